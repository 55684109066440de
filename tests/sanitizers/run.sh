#!/usr/bin/env bash
# Run a command with the sanitized core in place of the installed one.
#
#     tests/sanitizers/run.sh address|thread COMMAND...
#
# The core is compiled into build/sanitized/KIND, beside a copy of the package; .venv stays as it
# is. Address and undefined behaviour are clang's sanitizers; that of threads is GCC's, since the
# runtime that clang 14 has for it ends at once where it is loaded into a program made without it.
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=$1
shift
bin=$PWD/.venv/bin
python=$bin/python
folder=$PWD/build/sanitized/$kind
case $kind in
  address) compiler=clang++ sanitizers=address,undefined runtime=libclang_rt.asan-x86_64.so package="clang libclang-rt-14-dev" ;;
  thread) compiler=g++ sanitizers=thread runtime=libtsan.so.2 package=g++ ;;
  *) echo "address or thread, not $kind" >&2; exit 2 ;;
esac
# A path is printed only where the library is found.
library=$($compiler -print-file-name="$runtime" 2>/dev/null || true)
if [[ $library != /* ]]; then
  echo "$compiler with $runtime is needed: apt-get install $package" >&2
  exit 1
fi

mkdir -p "$folder/package"
{
  "$bin/cmake" -S tests/sanitizers -B "$folder" -G Ninja -DCMAKE_MAKE_PROGRAM="$bin/ninja" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER=$compiler -DDCSVM_SANITIZE=$sanitizers -DPython_EXECUTABLE="$python" \
    -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)"
  "$bin/cmake" --build "$folder"
} >"$folder/build.txt" 2>&1 || { tail -30 "$folder/build.txt" >&2; exit 1; }
rm -rf "$folder/package/dcsvm"
cp -r src/dcsvm "$folder/package/dcsvm"
rm -rf "$folder/package/dcsvm/core"
cp "$folder"/core/_core*.so "$folder/package/dcsvm/"

# Leaks are not looked for: Python itself frees little at its end, and what the core holds is freed
# with the objects of Python that own it (the leak test of `make torture` counts memory instead).
# A program that asks for too much memory gets none, as everywhere, and is not ended.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=64
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
export DCSVM_SANITIZED=$folder
export OMP_NUM_THREADS=1
export PYTHONPATH=$folder/package${PYTHONPATH:+:$PYTHONPATH}
# libstdc++ must be there when the sanitizer looks for what throws exceptions.
exec env LD_PRELOAD="$library $($compiler -print-file-name=libstdc++.so.6)" "$@"

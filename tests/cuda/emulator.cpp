// Runs the kernels of src/dcsvm/cuda/kernels.cu on a CPU: a block after the other, each thread of a
// block as a coroutine that goes on until it waits for others.
//
// compile with -DKERNELS='"…/kernels.cu"'; call `emulate` for the kernels by their names.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

struct Dim {
  unsigned x, y, z;
};

// Saves where this stack stands, and goes on where another one stood. For 64-bit Intel
// processors alone.
extern "C" void switch_stack(void** from, void* to);
#if defined(__x86_64__)
asm(".text\n.globl switch_stack\nswitch_stack:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n");
constexpr int saved_words = 6;
#else
#error "only for x86-64"
#endif

namespace emulator {

constexpr std::size_t stack_size = 1 << 16;

// Those who wait for each other: a warp, or a block.
struct Party {
  int size = 0, waiting = 0, generation = 0;
};

struct Thread {
  std::vector<char> stack = std::vector<char>(stack_size);
  void* top;
  Dim index;
  Party* warp;
  int place;
  bool ended;
};

void* scheduler;
std::vector<Thread> threads;
std::vector<Party> warps;
Party block;
Thread* current;
uint64_t slots[1024];
std::function<void()> body;

void yield() { switch_stack(&current->top, scheduler); }

void meet(Party& party) {
  const int generation = party.generation;
  if (++party.waiting >= party.size) {
    party.waiting = 0;
    ++party.generation;
  }
  while (party.generation == generation) yield();
}

void leave(Party& party) {
  if (--party.size > 0 && party.waiting >= party.size) {
    party.waiting = 0;
    ++party.generation;
  }
}

template <class T>
T exchange(T value, int from) {
  static_assert(sizeof(T) <= 8);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  slots[current->place] = bits;
  meet(*current->warp);
  const int first = current->place / 32 * 32;
  bits = slots[first + from];
  meet(*current->warp);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

void run_thread() {
  body();
  current->ended = true;
  leave(*current->warp);
  leave(block);
  yield();
}

}  // namespace emulator

Dim gridDim, blockDim, blockIdx;
double* dynamic_memory;
#define threadIdx (emulator::current->index)
#define EMULATED
#define __global__
#define __device__
#define __shared__ static

template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return emulator::exchange(value, (emulator::current->place % 32) ^ mask);
}
template <class T>
T __shfl_sync(unsigned, T value, int from) { return emulator::exchange(value, from % 32); }
unsigned __ballot_sync(unsigned, bool is_set) {
  using namespace emulator;
  slots[current->place] = is_set;
  meet(*current->warp);
  unsigned bits = 0;
  for (int lane = 0; lane < 32; ++lane) bits |= unsigned(slots[current->place / 32 * 32 + lane]) << lane;
  meet(*current->warp);
  return bits;
}
void __syncthreads() { emulator::meet(emulator::block); }
void __syncwarp() { emulator::meet(*emulator::current->warp); }
int __popc(unsigned bits) { return __builtin_popcount(bits); }
int __ffs(unsigned bits) { return __builtin_ffs(static_cast<int>(bits)); }
template <class To, class From>
To same_bits(From from) {
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}
double __longlong_as_double(long long bits) { return same_bits<double>(bits); }
long long __double_as_longlong(double x) { return same_bits<long long>(x); }
int __float_as_int(float x) { return same_bits<int>(x); }
int atomicAdd(int* to, int by) { return std::exchange(*to, *to + by); }
using std::exp2;
using std::tanh;
using std::fmaxf;
using std::fminf;

#include KERNELS

namespace emulator {

template <class... A, std::size_t... I>
void call(void (*kernel)(A...), void** given, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_reference_t<A>*>(given[I])...);
}
template <class... A>
std::pair<std::function<void(void**)>, int> kernel_of(void (*kernel)(A...)) {
  return {[kernel](void** given) { call(kernel, given, std::index_sequence_for<A...>{}); },
          static_cast<int>(sizeof...(A))};
}

#define BOTH(name) {#name "_float", kernel_of(name##_float)}, {#name "_double", kernel_of(name##_double)}
const std::map<std::string, std::pair<std::function<void(void**)>, int>> kernels = {
    BOTH(finish_products), {"finish_products_rounded", kernel_of(finish_products_rounded)},
    BOTH(hash_rows), BOTH(solve_pairs), BOTH(count_support), BOTH(write_support), BOTH(observe),
    BOTH(pack_signs), BOTH(count_votes), BOTH(eliminate), BOTH(walk)};

void run_block() {
  const int n = static_cast<int>(blockDim.x * blockDim.y);
  threads.resize(n);
  warps.assign((n + 31) / 32, Party{});
  block = Party{n, 0, 0};
  for (int t = 0; t < n; ++t) {
    Thread& thread = threads[t];
    thread.index = {t % blockDim.x, t / blockDim.x, 0};
    thread.warp = &warps[t / 32];
    ++thread.warp->size;
    thread.place = t;
    thread.ended = false;
    // A stack that returns to run_thread, as if that had been called.
    const auto end = reinterpret_cast<std::uintptr_t>(thread.stack.data() + stack_size) / 16 * 16;
    void** top = reinterpret_cast<void**>(end) - 2;
    *top = reinterpret_cast<void*>(&run_thread);
    thread.top = top - saved_words;
  }
  for (bool is_running = true; is_running;) {
    is_running = false;
    for (int t = 0; t < n; ++t) {
      if (threads[t].ended) continue;
      is_running = true;
      current = &threads[t];
      switch_stack(&scheduler, current->top);
    }
  }
}

}  // namespace emulator

// 0, or −1: there is no such kernel, or −2: it takes another number of arguments.
extern "C" int emulate(const char* name, const unsigned* grid, const unsigned* of_block,
                       long long n_bytes, void** given, int n_given) {
  const auto found = emulator::kernels.find(name);
  if (found == emulator::kernels.end()) return -1;
  if (found->second.second != n_given) return -2;
  gridDim = {grid[0], grid[1], 1};
  blockDim = {of_block[0], of_block[1], 1};
  std::vector<double> memory(n_bytes / 8 + 2);
  dynamic_memory = memory.data();
  emulator::body = [&] { found->second.first(given); };
  for (blockIdx.y = 0; blockIdx.y < grid[1]; ++blockIdx.y)
    for (blockIdx.x = 0; blockIdx.x < grid[0]; ++blockIdx.x) emulator::run_block();
  return 0;
}

// Built with flags for AVX-512 where the target has it; else it offers nothing.
#include "simd/evaluation.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#include "simd/instruction_set.inc.hpp"

namespace dcsvm {
const InstructionSet* instruction_set_avx512() {
  static constexpr InstructionSet set = set_named("avx512");
  const bool supported = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  return supported ? &set : nullptr;
}
}  // namespace dcsvm
#else
namespace dcsvm {
const InstructionSet* instruction_set_avx512() { return nullptr; }
}  // namespace dcsvm
#endif

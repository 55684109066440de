// Built with flags for AVX-512 where the target has it; else it offers nothing.
#include "simd/evaluation.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#include "simd/instruction_set.inc.hpp"
#include "simd/processor.hpp"

namespace dcsvm {
const InstructionSet* instruction_set_avx512() {
  static constexpr InstructionSet set = set_named("avx512");
  return processor_features().avx512 ? &set : nullptr;
}
}  // namespace dcsvm
#else
namespace dcsvm {
const InstructionSet* instruction_set_avx512() { return nullptr; }
}  // namespace dcsvm
#endif

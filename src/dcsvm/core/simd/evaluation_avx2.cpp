// Built with flags for AVX2 where the target has it; else it offers nothing.
#include "simd/evaluation.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "simd/instruction_set.inc.hpp"
#include "simd/processor.hpp"

namespace dcsvm {
const InstructionSet* instruction_set_avx2() {
  static constexpr InstructionSet set = set_named("avx2");
  return processor_features().avx2_fma ? &set : nullptr;
}
}  // namespace dcsvm
#else
namespace dcsvm {
const InstructionSet* instruction_set_avx2() { return nullptr; }
}  // namespace dcsvm
#endif

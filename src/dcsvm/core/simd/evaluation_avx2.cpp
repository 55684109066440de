// Built with flags for AVX2 where the target has it; else it offers nothing.
#include "simd/evaluation.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "simd/choice.inc.hpp"
#include "simd/elimination.inc.hpp"
#include "simd/evaluation.inc.hpp"
#include "simd/selection.inc.hpp"

namespace dcsvm {
const EvaluationTable* evaluation_avx2() {
  static constexpr EvaluationTable table{"avx2",          machine_values,
                                         kernel_panel,    indexed_kernel,
                                         weighted_sums,   positive_lanes,
                                         describe,        multiply_out,
                                         open_candidates, decide,
                                         choose,          dot,
                                         update_gradient, add_weighted_rows,
                                         largest_gain};
  const bool supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return supported ? &table : nullptr;
}
}  // namespace dcsvm
#else
namespace dcsvm {
const EvaluationTable* evaluation_avx2() { return nullptr; }
}  // namespace dcsvm
#endif

// Built with flags for AVX-512 where the target has it; else it offers nothing.
#include "simd/evaluation.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#include "simd/choice.inc.hpp"
#include "simd/elimination.inc.hpp"
#include "simd/evaluation.inc.hpp"
#include "simd/selection.inc.hpp"

namespace dcsvm {
const EvaluationTable* evaluation_avx512() {
  static constexpr EvaluationTable table{"avx512",        machine_values,
                                         kernel_panel,    indexed_kernel,
                                         weighted_sums,   positive_lanes,
                                         describe,        multiply_out,
                                         open_candidates, decide,
                                         choose,          dot,
                                         update_gradient, add_weighted_rows,
                                         largest_gain};
  const bool supported = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  return supported ? &table : nullptr;
}
}  // namespace dcsvm
#else
namespace dcsvm {
const EvaluationTable* evaluation_avx512() { return nullptr; }
}  // namespace dcsvm
#endif

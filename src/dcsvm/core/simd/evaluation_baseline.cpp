// Runs on every processor of the target.
#include "simd/choice.inc.hpp"
#include "simd/elimination.inc.hpp"
#include "simd/evaluation.inc.hpp"
#include "simd/selection.inc.hpp"

namespace dcsvm {

const EvaluationTable* evaluation_baseline() {
  static constexpr EvaluationTable table{"baseline",      machine_values,
                                         kernel_panel,    indexed_kernel,
                                         weighted_sums,   positive_lanes,
                                         describe,        multiply_out,
                                         open_candidates, decide,
                                         choose,          dot,
                                         update_gradient, add_weighted_rows,
                                         largest_gain};
  return &table;
}

}  // namespace dcsvm

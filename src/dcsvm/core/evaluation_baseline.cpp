// Runs on every processor of the target.
#include "choice.inc.hpp"
#include "elimination.inc.hpp"
#include "evaluation.inc.hpp"
#include "selection.inc.hpp"

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

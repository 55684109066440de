// All functions of evaluation.hpp, compiled for one instruction set by each file that includes it.
#pragma once

#include "simd/choice.inc.hpp"
#include "simd/elimination.inc.hpp"
#include "simd/evaluation.inc.hpp"
#include "simd/observation.inc.hpp"
#include "simd/selection.inc.hpp"
#include "simd/statistics.inc.hpp"

namespace dcsvm {
namespace {

template <class Real>
constexpr EvaluationTable<Real> table{
    machine_values<Real>,  kernel_panel<Real>,      indexed_kernel<Real>, apply_form<Real>,
    weighted_sums<Real>,   describe<Real>,          multiply_out<Real>,   dot<Real>,
    update_gradient<Real>, add_weighted_rows<Real>, largest_gain<Real>};

constexpr InstructionSet set_named(const char* name) {
  return {name,   table<float>, table<double>, open_meeting,  take_best,
          decide, choose,       summarise,     add_variances, margin_levels};
}

}  // namespace
}  // namespace dcsvm

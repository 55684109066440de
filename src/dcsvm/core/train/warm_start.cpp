#include "train/warm_start.hpp"

#include <algorithm>
#include <cmath>

namespace dcsvm {
namespace {

// Moves the variables for which `counts` holds, all in the direction of `missing`, by as much in
// sum or as far as their bounds, and returns what is still missing.
template <class Counts>
double spread(double missing, const std::vector<double>& low, const std::vector<double>& high,
              std::vector<double>& b, Counts&& counts) {
  const std::vector<double>& bound = missing > 0 ? high : low;
  double room = 0;
  for (std::size_t t = 0; t < b.size(); ++t)
    if (counts(t)) room += bound[t] - b[t];
  if (room == 0) return missing;
  const double share = missing / room;
  double moved = 0;
  for (std::size_t t = 0; t < b.size(); ++t) {
    if (!counts(t)) continue;
    const double before = b[t];
    b[t] = share < 1 ? std::clamp(before + share * (bound[t] - before), low[t], high[t]) : bound[t];
    moved += b[t] - before;
  }
  return share < 1 ? 0 : missing - moved;
}

template <class Real>
std::vector<double> start_from(const std::vector<double>& before, const double* C_before,
                               const BinaryProblem<Real>& problem) {
  const auto n = static_cast<std::size_t>(problem.n_positive + problem.n_negative);
  std::vector<double> b(n), low(n), high(n);
  double sum = 0;
  bool has_rows[2] = {false, false};
  for (std::size_t t = 0; t < n; ++t) {
    const bool positive = static_cast<int64_t>(t) < problem.n_positive;
    const double C = problem.C[t], size = std::abs(before[t]);
    (positive ? high : low)[t] = positive ? C : -C;
    const bool was_at_bound = size > 0 && size == C_before[t];
    b[t] = std::copysign(was_at_bound ? C : std::min(size, C), before[t]);
    sum += b[t];
    if (C > 0) has_rows[positive ? 0 : 1] = true;
  }
  if (!has_rows[0] || !has_rows[1]) return std::vector<double>(n);
  const double missing =
      spread(-sum, low, high, b, [&](std::size_t t) { return low[t] < b[t] && b[t] < high[t]; });
  if (missing != 0) spread(missing, low, high, b, [](std::size_t) { return true; });
  return b;
}

}  // namespace

template <class Real>
bool carry_over(const double* C_before, const BinaryProblem<Real>& problem,
                KernelRows<Real>& kernel, const std::atomic<bool>& cancelled, DualState& state) {
  std::vector<double> b = start_from(state.b, C_before, problem);
  std::vector<int64_t> moved;
  std::vector<double> by;
  for (std::size_t t = 0; t < b.size(); ++t) {
    if (b[t] == state.b[t]) continue;
    moved.push_back(static_cast<int64_t>(t));
    by.push_back(b[t] - state.b[t]);
  }
  state.b = std::move(b);
  return kernel.add_products_with_all(moved, by, state.f.data(), cancelled);
}

template bool carry_over(const double*, const BinaryProblem<float>&, KernelRows<float>&,
                         const std::atomic<bool>&, DualState&);
template bool carry_over(const double*, const BinaryProblem<double>&, KernelRows<double>&,
                         const std::atomic<bool>&, DualState&);

}  // namespace dcsvm

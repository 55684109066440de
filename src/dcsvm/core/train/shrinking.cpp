#include "train/shrinking.hpp"

#include <utility>

namespace dcsvm {
namespace {

// Whether a variable could be selected while the extremes stay as they are, or come closer.
template <class Real>
bool may_move(const Variables<Real>& v, int64_t at, const Extremes& e) {
  const bool can_rise = v.cannot_rise[at] == 0, can_fall = v.cannot_fall[at] == 0;
  return (can_rise && (can_fall || v.f[at] <= e.highest_falling)) ||
         (can_fall && v.f[at] >= e.lowest_rising);
}

}  // namespace

template <class Real>
bool LeftOut<Real>::leave(const Variables<Real>& variables, const Extremes& e, int64_t most,
                          std::vector<int64_t>& stay) {
  Leave leave;
  for (int64_t t = 0; t < variables.size(); ++t) {
    const int64_t at = variables.place(t);
    const bool stays = may_move(variables, at, e);
    (stays ? leave.stay : leave.gone).push_back(variables.row[t]);
    if (stays) leave.b.push_back(variables.b[at]);
  }
  if (static_cast<int64_t>(leave.stay.size()) > most) return false;
  stay = leave.stay;
  leaves_.push_back(std::move(leave));
  return true;
}

template <class Real>
bool LeftOut<Real>::bring_back(KernelRows<Real>& kernel, DualState& state,
                               const std::atomic<bool>& cancelled) {
  for (const Leave& leave : leaves_) {
    std::vector<int64_t> moved;
    std::vector<double> by, sums(leave.gone.size());
    for (std::size_t t = 0; t < leave.stay.size(); ++t) {
      const double change = state.b[leave.stay[t]] - leave.b[t];
      if (change == 0) continue;
      moved.push_back(leave.stay[t]);
      by.push_back(change);
    }
    if (!kernel.add_products(moved, by, leave.gone, sums.data(), cancelled)) return false;
    for (std::size_t t = 0; t < sums.size(); ++t) state.f[leave.gone[t]] += sums[t];
  }
  leaves_.clear();
  return true;
}

template class LeftOut<float>;
template class LeftOut<double>;

}  // namespace dcsvm

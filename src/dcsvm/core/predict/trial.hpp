// Trials of elimination: the machines that rows would need, by ranges of values that are plausible.
//
// A fit compares shortlists and thresholds on some of its rows. For these few rows the levels of
// all machines (elimination.hpp) would take longer to make than the trial: the range of a class is
// computed when a machine is evaluated,
//
//   [low - w, high + w],  w = max(widening * s, (low - high) / 2),
//   s² = (pooled_rows * pooled + freedom * spread²) / (pooled_rows + freedom),
//
// see routing/plausibility.py. All else is as in elimination.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "data/half.hpp"
#include "predict/elimination.hpp"

namespace dcsvm {

struct RangesView {
  int64_t n_classes, n_machines;
  const uint16_t* low;     // n_classes x n_machines, in half precision, as are these two
  const uint16_t* high;    // the values that rows of the class have had
  const uint16_t* spread;  // their standard deviation
  const float* pooled;     // n_machines: the mean variance of all classes
  const float* freedom;    // n_classes
  const float* widening;   // n_classes
  float pooled_rows;

  int64_t machine_of(int64_t i, int64_t j) const {
    return i * (2 * n_classes - i - 1) / 2 + j - i - 1;
  }

  bool is_plausible(int64_t c, int64_t machine, double value) const {
    const int64_t at = c * n_machines + machine;
    const float lowest = from_half(low[at]), highest = from_half(high[at]);
    const float deviation = from_half(spread[at]);
    const float variance = (pooled_rows * pooled[machine] + freedom[c] * (deviation * deviation)) /
                           (pooled_rows + freedom[c]);
    float wider = widening[c] * std::sqrt(variance);
    if (std::isnan(wider)) wider = std::numeric_limits<float>::infinity();
    wider = std::max(wider, (lowest - highest) / 2);
    return lowest - wider <= value && value <= highest + wider;
  }
};

// The candidates of one row.
class TrialRow {
 public:
  explicit TrialRow(const RangesView& ranges) : ranges_(ranges) {}

  // Adds the machines that are evaluated, in order, to the path. The candidates have a score of at
  // least the highest less gap.
  template <class Value>
  void follow(const float* scores, float gap, Value value_of, std::vector<int32_t>& path) {
    begin(scores, gap);
    while (open_.size() > 0) {
      const int64_t challenger = take_best(scores);
      const int64_t i = std::min(champion_, challenger), j = std::max(champion_, challenger);
      const int64_t machine = ranges_.machine_of(i, j);
      const double value = value_of(machine);
      path.push_back(static_cast<int32_t>(machine));
      champion_ = value > 0 ? i : j;
      const auto drop = [&](int64_t c) { return !ranges_.is_plausible(c, machine, value); };
      open_.erase(std::remove_if(open_.begin(), open_.end(), drop), open_.end());
      aside_.erase(std::remove_if(aside_.begin(), aside_.end(), drop), aside_.end());
      if (std::abs(value) < close_value && aside_.size() < most_aside) {
        aside_.push_back(value > 0 ? j : i);
        known_.push_back(machine);
      }
    }
    add_vote(path);
  }

 private:
  void begin(const float* scores, float gap) {
    const int64_t k = ranges_.n_classes;
    champion_ = std::max_element(scores, scores + k) - scores;
    const float least = scores[champion_] - gap;
    open_.clear();
    aside_.clear();
    known_.clear();
    for (int64_t c = 0; c < k; ++c)
      if (c != champion_ && scores[c] >= least) open_.push_back(c);
  }

  // The best class; the first of equal ones.
  int64_t take_best(const float* scores) {
    const auto lower = [&](int64_t a, int64_t b) { return scores[a] < scores[b]; };
    const auto best = std::max_element(open_.begin(), open_.end(), lower);
    const int64_t found = *best;
    open_.erase(best);
    return found;
  }

  // The machines of the final vote that have not been evaluated in a close decision.
  void add_vote(std::vector<int32_t>& path) {
    if (aside_.empty()) return;
    aside_.push_back(champion_);
    std::sort(aside_.begin(), aside_.end());
    for (std::size_t x = 0; x < aside_.size(); ++x)
      for (std::size_t y = x + 1; y < aside_.size(); ++y) {
        const int64_t machine = ranges_.machine_of(aside_[x], aside_[y]);
        if (std::find(known_.begin(), known_.end(), machine) == known_.end())
          path.push_back(static_cast<int32_t>(machine));
      }
  }

  const RangesView& ranges_;
  int64_t champion_ = 0;
  std::vector<int64_t> open_, aside_, known_;  // candidates in order; set aside; close decisions
};

}  // namespace dcsvm

// The candidates of rows while they are being eliminated, see elimination.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "aligned.hpp"
#include "elimination.hpp"
#include "evaluation.hpp"

namespace dcsvm {

class Candidates {
 public:
  Candidates(const LevelsView& levels, const EvaluationTable& evaluation, std::int64_t n_rows)
      : levels_(levels),
        evaluation_(evaluation),
        width_(levels.n_panels * panel_width),
        scores_(aligned_floats(n_rows * width_)),
        champion_(n_rows),
        challenger_(n_rows),
        n_decided_(n_rows, 0),
        aside_of_(n_rows, -1) {}

  void begin(std::int64_t row, const float* scores, std::int64_t champion,
             std::int64_t challenger) {
    std::memcpy(scores_.get() + row * width_, scores, width_ * sizeof(float));
    champion_[row] = static_cast<std::int32_t>(champion);
    challenger_[row] = static_cast<std::int32_t>(challenger);
  }

  // The machine on which the champion meets its next challenger.
  std::int64_t machine(std::int64_t row) const {
    return levels_.machine_of(champion_[row], challenger_[row]);
  }

  // Machines whose value has decided about this row.
  std::int64_t n_decided(std::int64_t row) const { return n_decided_[row]; }

  // What a machine's value leaves; false where there is no challenger any more.
  bool decide(std::int64_t row, std::int64_t machine, double value) {
    ++n_decided_[row];
    const std::int32_t first = std::min(champion_[row], challenger_[row]);
    const std::int32_t second = std::max(champion_[row], challenger_[row]);
    const std::int32_t loser = value > 0 ? second : first;
    champion_[row] = value > 0 ? first : second;
    const int level = levels_.level(machine, value);
    if (aside_of_[row] >= 0) aside_[aside_of_[row]].keep_plausible(levels_, machine, level);
    if (std::abs(value) < close_value)
      set_aside(row, {loser, static_cast<std::int32_t>(machine), value});
    const std::int64_t at = machine * width_;
    challenger_[row] = static_cast<std::int32_t>(evaluation_.keep_plausible(
        scores_.get() + row * width_, levels_.low + at, levels_.high + at, level, champion_[row],
        loser, levels_.n_panels));
    return challenger_[row] >= 0;
  }

  // The winner of a vote among the champion and those set aside, asking for values not known yet.
  template <class Value>
  std::int64_t vote(std::int64_t row, Value value_of) const {
    if (aside_of_[row] < 0 || aside_[aside_of_[row]].n == 0) return champion_[row];
    const Aside& aside = aside_[aside_of_[row]];
    std::array<std::int64_t, most_aside + 1> left;
    for (int a = 0; a < aside.n; ++a) left[a] = aside.decision[a].loser;
    left[aside.n] = champion_[row];
    const int n = aside.n + 1;
    std::sort(left.begin(), left.begin() + n);
    std::array<double, most_aside + 1> votes{};
    for (int x = 0; x < n; ++x)
      for (int y = x + 1; y < n; ++y) {
        const std::int64_t machine = levels_.machine_of(left[x], left[y]);
        const Close* known = aside.find(machine);
        const double v = known == nullptr ? value_of(machine) : known->value;
        (v > 0 ? votes[x] : votes[y]) += 1;
        votes[x] += value_in_votes * std::clamp(v, -1.0, 1.0);
        votes[y] -= value_in_votes * std::clamp(v, -1.0, 1.0);
      }
    return left[std::max_element(votes.begin(), votes.begin() + n) - votes.begin()];
  }

  void prefetch(std::int64_t row) const {
    for (std::int64_t c = 0; c < width_; c += panel_width)
      __builtin_prefetch(scores_.get() + row * width_ + c, 1);
  }

 private:
  // A close decision.
  struct Close {
    std::int32_t loser, machine;
    double value;
  };

  struct Aside {
    std::array<Close, most_aside> decision;
    int n = 0;

    void keep_plausible(const LevelsView& levels, std::int64_t machine, int level) {
      const std::int64_t at = machine * levels.n_panels * panel_width;
      int kept = 0;
      for (int a = 0; a < n; ++a) {
        const std::int32_t c = decision[a].loser;
        if (levels.low[at + c] <= level && level <= levels.high[at + c])
          decision[kept++] = decision[a];
      }
      n = kept;
    }

    const Close* find(std::int64_t machine) const {
      for (int a = 0; a < n; ++a)
        if (decision[a].machine == machine) return &decision[a];
      return nullptr;
    }
  };

  void set_aside(std::int64_t row, const Close& close) {
    if (aside_of_[row] < 0) {
      aside_of_[row] = static_cast<std::int32_t>(aside_.size());
      aside_.emplace_back();
    }
    Aside& aside = aside_[aside_of_[row]];
    if (aside.n < most_aside) aside.decision[aside.n++] = close;
  }

  const LevelsView& levels_;
  const EvaluationTable& evaluation_;
  const std::int64_t width_;
  AlignedFloats scores_;
  std::vector<std::int32_t> champion_, challenger_, n_decided_;
  std::vector<std::int32_t> aside_of_;  // where in aside_; few rows have any
  std::vector<Aside> aside_;
};

}  // namespace dcsvm

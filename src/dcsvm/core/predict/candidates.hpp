// The candidates of rows while they are being eliminated, see elimination.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "predict/elimination.hpp"
#include "simd/evaluation.hpp"

namespace dcsvm {

// Scores that overflow are the highest or the lowest there are; what is no number is the lowest.
inline float finite(float score) {
  constexpr float highest = std::numeric_limits<float>::max();
  return std::min(highest, std::max(-highest, score));
}

class Candidates {
 public:
  // Takes the scores over. Those further below the highest of their row than gap count as out.
  Candidates(const LevelsView& levels, const InstructionSet& set, float gap, float* scores,
             int64_t n_rows)
      : levels_(levels),
        set_(set),
        width_(levels.n_panels * panel_width),
        meeting_(n_rows),
        n_evaluated_(n_rows, 0),
        aside_of_(n_rows, -1),
        scores_(scores) {
    for (int64_t row = 0; row < n_rows; ++row) {
      float* score = scores + row * width_;
      for (int64_t c = 0; c < levels.n_classes; ++c) score[c] = finite(score[c]);
      std::fill(score + levels.n_classes, score + width_, no_score);
      meeting_[row] = set.open_meeting(score, gap, levels.n_panels);
      skip_without_machine(static_cast<int32_t>(row));
    }
  }

  bool has_challenger(int64_t row) const { return meeting_[row].challenger >= 0; }

  // The machine on which the champion meets its next challenger.
  int64_t machine(int64_t row) const {
    return levels_.machine_of(meeting_[row].champion, meeting_[row].challenger);
  }

  // How many machines have been evaluated at this row.
  int64_t n_evaluated(int64_t row) const { return n_evaluated_[row]; }

  // What the values of a machine leave of the candidates of rows that wait for it.
  void decide(int64_t machine, const int32_t* rows, const double* values, int64_t n) {
    for (int64_t t = 0; t < n; ++t) {
      const int32_t row = rows[t];
      ++n_evaluated_[row];
      if (aside_of_[row] >= 0 && levels_.knows_values())
        aside_[aside_of_[row]].keep_plausible(levels_, machine, levels_.level(machine, values[t]));
      if (std::abs(values[t]) < close_value)
        set_aside(row, {loser(row, values[t]), static_cast<int32_t>(machine), values[t]});
    }
    set_.decide(levels_, machine, rows, values, n, scores_, meeting_.data());
    for (int64_t t = 0; t < n; ++t) skip_without_machine(rows[t]);
  }

  // The winner of a vote among the champion and those set aside; value_of(machine) gives those not
  // known yet.
  template <class Value>
  int64_t vote(int64_t row, Value value_of) {
    if (aside_of_[row] < 0 || aside_[aside_of_[row]].n == 0) return meeting_[row].champion;
    const Aside& aside = aside_[aside_of_[row]];
    std::array<int64_t, most_aside + 1> left;  // in order
    int n = 0;
    const auto insert = [&](int64_t c) {
      int at = n++;
      for (; at > 0 && left[at - 1] > c; --at) left[at] = left[at - 1];
      left[at] = c;
    };
    for (int a = 0; a < aside.n; ++a) insert(aside.decision[a].loser);
    insert(meeting_[row].champion);
    std::array<double, most_aside + 1> votes{};
    for (int x = 0; x < n; ++x)
      for (int y = x + 1; y < n; ++y) {
        const int64_t machine = levels_.machine_of(left[x], left[y]);
        if (machine < 0) continue;
        const Close* known = aside.find(machine);
        n_evaluated_[row] += known == nullptr;
        const double v = known == nullptr ? value_of(machine) : known->value;
        (v > 0 ? votes[x] : votes[y]) += 1;
        votes[x] += value_in_votes * std::clamp(v, -1.0, 1.0);
        votes[y] -= value_in_votes * std::clamp(v, -1.0, 1.0);
      }
    return left[std::max_element(votes.begin(), votes.begin() + n) - votes.begin()];
  }

  void prefetch(int64_t row) const {
    for (int64_t c = 0; c < width_; c += panel_width)
      __builtin_prefetch(scores_ + row * width_ + c, 1);
  }

 private:
  // A close decision.
  struct Close {
    int32_t loser, machine;
    double value;
  };

  struct Aside {
    std::array<Close, most_aside> decision;
    int n = 0;

    void keep_plausible(const LevelsView& levels, int64_t machine, int level) {
      const int64_t at = machine * levels.n_panels * panel_width;
      int kept = 0;
      for (int a = 0; a < n; ++a) {
        const int32_t c = decision[a].loser;
        if (levels.low[at + c] <= level && level <= levels.high[at + c])
          decision[kept++] = decision[a];
      }
      n = kept;
    }

    const Close* find(int64_t machine) const {
      for (int a = 0; a < n; ++a)
        if (decision[a].machine == machine) return &decision[a];
      return nullptr;
    }
  };

  // Drops challengers that have no machine with the champion.
  void skip_without_machine(int32_t row) {
    if (levels_.partner == nullptr) return;
    while (has_challenger(row) && machine(row) < 0)
      meeting_[row].challenger = set_.take_best(scores_ + row * width_, levels_.n_panels);
  }

  int32_t loser(int32_t row, double value) const {
    const auto [a, b] = meeting_[row];
    return value > 0 ? std::max(a, b) : std::min(a, b);
  }

  void set_aside(int64_t row, const Close& close) {
    if (aside_of_[row] < 0) {
      aside_of_[row] = static_cast<int32_t>(aside_.size());
      aside_.emplace_back();
    }
    Aside& aside = aside_[aside_of_[row]];
    if (aside.n < most_aside) aside.decision[aside.n++] = close;
  }

  const LevelsView& levels_;
  const InstructionSet& set_;
  const int64_t width_;
  std::vector<Meeting> meeting_;
  std::vector<int32_t> n_evaluated_;
  std::vector<int32_t> aside_of_;  // where in aside_; few rows have any
  std::vector<Aside> aside_;
  float* const scores_;
};

}  // namespace dcsvm

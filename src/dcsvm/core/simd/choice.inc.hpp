// The choice of a node's machine, compiled for one instruction set by each file that includes it.
#pragma once

#include <cmath>

#include "predict/separators.hpp"

namespace dcsvm {
namespace {

inline int64_t members_of(const uint64_t* set, const uint64_t* candidates, int64_t n_words) {
  int64_t n = 0;
  for (int64_t w = 0; w < n_words; ++w) n += __builtin_popcountll(set[w] & candidates[w]);
  return n;
}

inline int64_t has(const uint64_t* set, int64_t c) { return set[c / 64] >> (c % 64) & 1; }

// Calls visit(machine, i, j) for the machines of all pairs of candidates i < j, in order.
template <class Visit>
inline void each_machine(const SidesView& sides, const uint64_t* candidates, Visit visit) {
  for (int64_t i = 0, first = 0; i < sides.n_classes; first += sides.n_classes - 1 - i, ++i) {
    if (!has(candidates, i)) continue;
    for (int64_t j = i + 1; j < sides.n_classes; ++j)
      if (has(candidates, j)) visit(first + j - i - 1, i, j);
  }
}

// By cost: the highest logarithm of (candidates / candidates expected to be left) per kernel
// evaluation. A class on both sides is thought to take either, and each candidate to be the right
// one as likely as another: of a on one side and b on the other, (a² + b²) / (a + b) are left.
int64_t choose_by_cost(const SidesView& sides, const uint64_t* candidates, int64_t n) {
  int64_t best = -1;
  double best_gain = 0;
  each_machine(sides, candidates, [&](int64_t machine, int64_t i, int64_t j) {
    // i and j are judged by the sign: one on either side.
    const auto on_side = [&](const uint64_t* sets) {
      const uint64_t* set = sets + machine * sides.n_words;
      return static_cast<double>(members_of(set, candidates, sides.n_words) - has(set, i) -
                                 has(set, j) + 1);
    };
    const double a = on_side(sides.to_i), b = on_side(sides.to_j);
    const double ratio = static_cast<double>(n) * (a + b) / (a * a + b * b);
    const double to_beat = best_gain * sides.cost[machine];
    // log x <= (x - 1) / √x for x >= 1: most logarithms need not be computed.
    constexpr double rounding = 1e-9;
    if (best >= 0 && (ratio - 1) * (ratio - 1) < (1 - rounding) * to_beat * to_beat * ratio) return;
    const double gain = std::log(ratio) / sides.cost[machine];
    if (best >= 0 && !(gain > best_gain)) return;
    best = machine;
    best_gain = gain;
  });
  return best;
}

// By purity: lowest purity, then highest balance, then highest score, then the first. By score:
// score, then purity and balance, then the first. Purity and balance are one number: the
// candidates on both sides, and then those on the larger one.
int64_t choose(const SidesView& sides, const uint64_t* candidates, Criterion criterion) {
  const int64_t n = members_of(candidates, candidates, sides.n_words);
  if (criterion == Criterion::cost) return choose_by_cost(sides, candidates, n);
  const bool score_first = criterion == Criterion::score;
  int64_t best = -1, best_division = 0;
  double best_score = 0;
  each_machine(sides, candidates, [&](int64_t machine, int64_t, int64_t) {
    const double score = sides.score[machine];
    if (score_first && best >= 0 && score < best_score) return;
    const int64_t at = machine * sides.n_words;
    const int64_t to_i = members_of(sides.to_i + at, candidates, sides.n_words);
    const int64_t to_j = members_of(sides.to_j + at, candidates, sides.n_words);
    const int64_t division = (to_i + to_j) * (n + 1) + (to_i > to_j ? to_i : to_j);
    const bool better =
        best < 0 || (score_first ? score > best_score || division < best_division
                                 : division < best_division ||
                                       (division == best_division && score > best_score));
    if (!better) return;
    best = machine;
    best_division = division;
    best_score = score;
  });
  return best;
}

}  // namespace
}  // namespace dcsvm

// The choice of a node's machine, compiled for one instruction set by each file that includes it.
#pragma once

#include <cmath>
#include <cstdint>

#include "predict/separators.hpp"

namespace dcsvm {
namespace {

using std::int64_t;

inline int64_t members_of(const std::uint64_t* set, const std::uint64_t* candidates,
                          int64_t n_words) {
  int64_t n = 0;
  for (int64_t w = 0; w < n_words; ++w) n += __builtin_popcountll(set[w] & candidates[w]);
  return n;
}

// By cost: the highest logarithm of (candidates / candidates expected to be left) per kernel
// evaluation. A class on both sides is thought to take either, and each candidate to be the right
// one as likely as another: of a on one side and b on the other, (a² + b²) / (a + b) are left.
int64_t choose_by_cost(const SidesView& sides, const std::uint64_t* candidates, int64_t n) {
  const auto has = [](const std::uint64_t* set, int64_t c) -> int64_t {
    return set[c / 64] >> (c % 64) & 1;
  };
  int64_t best = -1;
  double best_gain = 0;
  for (int64_t i = 0, first = 0; i < sides.n_classes; first += sides.n_classes - 1 - i, ++i) {
    if (!has(candidates, i)) continue;
    for (int64_t j = i + 1; j < sides.n_classes; ++j) {
      if (!has(candidates, j)) continue;
      const int64_t machine = first + j - i - 1;
      const std::uint64_t* to_i = sides.to_i + machine * sides.n_words;
      const std::uint64_t* to_j = sides.to_j + machine * sides.n_words;
      // i and j are judged by the sign: one on either side.
      const auto a = static_cast<double>(members_of(to_i, candidates, sides.n_words) -
                                         has(to_i, i) - has(to_i, j) + 1);
      const auto b = static_cast<double>(members_of(to_j, candidates, sides.n_words) -
                                         has(to_j, i) - has(to_j, j) + 1);
      const double gain =
          std::log(static_cast<double>(n) * (a + b) / (a * a + b * b)) / sides.cost[machine];
      if (best >= 0 && !(gain > best_gain)) continue;
      best = machine;
      best_gain = gain;
    }
  }
  return best;
}

// By purity: lowest purity, then highest balance, then highest score, then the first. By score:
// score, then purity and balance, then the first. Purity and balance are one number: the
// candidates on both sides, and then those on the larger one.
int64_t choose(const SidesView& sides, const std::uint64_t* candidates, Criterion criterion) {
  const auto has = [&](int64_t c) { return candidates[c / 64] >> (c % 64) & 1; };
  int64_t n = 0;
  for (int64_t w = 0; w < sides.n_words; ++w) n += __builtin_popcountll(candidates[w]);
  if (criterion == Criterion::cost) return choose_by_cost(sides, candidates, n);
  const bool score_first = criterion == Criterion::score;
  int64_t best = -1, best_division = 0;
  double best_score = 0;
  for (int64_t i = 0, first = 0; i < sides.n_classes; first += sides.n_classes - 1 - i, ++i) {
    if (!has(i)) continue;
    for (int64_t j = i + 1; j < sides.n_classes; ++j) {
      if (!has(j)) continue;
      const int64_t machine = first + j - i - 1;
      const double score = sides.score[machine];
      if (score_first && best >= 0 && score < best_score) continue;
      const int64_t to_i =
          members_of(sides.to_i + machine * sides.n_words, candidates, sides.n_words);
      const int64_t to_j =
          members_of(sides.to_j + machine * sides.n_words, candidates, sides.n_words);
      const int64_t division = (to_i + to_j) * (n + 1) + (to_i > to_j ? to_i : to_j);
      const bool better =
          best < 0 || (score_first ? score > best_score || division < best_division
                                   : division < best_division ||
                                         (division == best_division && score > best_score));
      if (!better) continue;
      best = machine;
      best_division = division;
      best_score = score;
    }
  }
  return best;
}

}  // namespace
}  // namespace dcsvm

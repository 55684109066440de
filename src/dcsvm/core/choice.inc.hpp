// The choice of a node's machine, compiled for one instruction set by each file that includes it.
#pragma once

#include <cstdint>

#include "separators.hpp"

namespace dcsvm {
namespace {

using std::int64_t;

inline int64_t members_of(const std::uint64_t* set, const std::uint64_t* candidates,
                          int64_t n_words) {
  int64_t n = 0;
  for (int64_t w = 0; w < n_words; ++w) n += __builtin_popcountll(set[w] & candidates[w]);
  return n;
}

// Lowest purity, then highest balance, then highest score, then the first (or score, then purity
// and balance, then the first). Purity and balance are one number: the candidates on both sides,
// and then those on the larger one.
int64_t choose(const SidesView& sides, const std::uint64_t* candidates, bool score_first) {
  const auto has = [&](int64_t c) { return candidates[c / 64] >> (c % 64) & 1; };
  int64_t n = 0;
  for (int64_t w = 0; w < sides.n_words; ++w) n += __builtin_popcountll(candidates[w]);
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

// The table's statistics of values, and the levels that follow from them. Compiled for one
// instruction set by each file that includes it: plain loops, from which the compiler makes
// vectors.
#pragma once

#include <cmath>

#include "data/half.hpp"
#include "simd/evaluation.hpp"

namespace dcsvm {
namespace {

// Machines whose levels are computed together: few enough that they stay in the first-level cache.
constexpr int64_t machines_together = 64;

void summarise(const SeenValues& seen, int64_t n_machines, int64_t n_rows, const ValueRanges& to) {
  const auto n = static_cast<double>(n_rows);
  const double freedom = n_rows > 1 ? n - 1 : 1;
  for (int64_t m = 0; m < n_machines; ++m) {
    double variance = (seen.squares[m] - seen.sum[m] * seen.sum[m] / n) / freedom;
    variance = variance < 0 ? 0 : variance;  // not a number stays that
    to.low[m] = to_half(seen.low[m]);
    to.high[m] = to_half(seen.high[m]);
    to.spread[m] = to_half(static_cast<float>(std::sqrt(variance)));
  }
}

void add_variances(const uint16_t* spread, float weight, int64_t n_machines, float* sums) {
  for (int64_t m = 0; m < n_machines; ++m) {
    const float deviation = from_half(spread[m]);
    sums[m] += weight * (deviation * deviation);
  }
}

// The span of the values that have been seen; beyond it lies the first or the last level.
inline void find_spans(const MarginLevels& t, int64_t begin, int64_t n) {
  float first[machines_together], last[machines_together];
  for (int64_t m = 0; m < n; ++m) {
    first[m] = __builtin_inff();
    last[m] = -__builtin_inff();
  }
  for (int64_t c = 0; c < t.n_classes; ++c) {
    const uint16_t *low = t.low + c * t.n_machines + begin,
                   *high = t.high + c * t.n_machines + begin;
    for (int64_t m = 0; m < n; ++m) {
      const float x = from_half(low[m]), y = from_half(high[m]);
      first[m] = x < first[m] ? x : first[m];
      last[m] = y > last[m] ? y : last[m];
    }
  }
  for (int64_t m = 0; m < n; ++m) {
    const double span = static_cast<double>(last[m]) - first[m];
    t.origin[begin + m] = std::isfinite(first[m]) ? first[m] : 0.0;
    t.scale[begin + m] = (highest_level - 1) / (std::isfinite(span) && span > 0 ? span : 1.0);
  }
}

// The level at which a bound lies; `unknown` where it is not a number.
inline uint8_t level_at(float bound, double origin, double scale, double unknown) {
  double x = (bound - origin) * scale;
  x = x == x ? x : unknown;
  x = x > 0 ? x : 0;
  x = x < highest_level ? x : highest_level;
  const auto whole = static_cast<int32_t>(x);
  return static_cast<uint8_t>(whole + (whole < x));
}

inline void levels_of_class(const MarginLevels& t, int64_t c, int64_t begin, int64_t n,
                            uint8_t* lowest, uint8_t* highest) {
  const int64_t at = c * t.n_machines + begin;
  const float rows = t.pooled_rows, freedom = t.freedom[c], widening = t.widening[c];
  for (int64_t m = 0; m < n; ++m) {
    const float low = from_half(t.low[at + m]), high = from_half(t.high[at + m]);
    const float deviation = from_half(t.spread[at + m]);
    const float variance =
        (rows * t.pooled[begin + m] + freedom * (deviation * deviation)) / (rows + freedom);
    const float mixed = std::sqrt(variance);
    // What other classes do widens a range, and never narrows it.
    float wider = widening * (widening < 0 && deviation < mixed ? deviation : mixed);
    wider = wider == wider ? wider : __builtin_inff();
    // A narrower range does not turn round.
    const float least = (low - high) / 2;
    wider = wider >= least ? wider : least;
    const double origin = t.origin[begin + m], scale = t.scale[begin + m];
    lowest[m] = level_at(low - wider, origin, scale, 0);
    highest[m] = level_at(high + wider, origin, scale, highest_level);
  }
}

void margin_levels(const MarginLevels& t, int64_t begin, int64_t end) {
  constexpr int64_t classes_together = 64;
  uint8_t lowest[classes_together][machines_together], highest[classes_together][machines_together];
  for (; begin < end; begin += machines_together) {
    const int64_t n = end - begin < machines_together ? end - begin : machines_together;
    find_spans(t, begin, n);
    for (int64_t first = 0; first < t.n_classes; first += classes_together) {
      const int64_t rest = t.n_classes - first;
      const int64_t n_classes = rest < classes_together ? rest : classes_together;
      for (int64_t c = 0; c < n_classes; ++c)
        levels_of_class(t, first + c, begin, n, lowest[c], highest[c]);
      for (int64_t m = 0; m < n; ++m) {
        uint8_t* to_lowest = t.lowest + (begin + m) * t.width + first;
        uint8_t* to_highest = t.highest + (begin + m) * t.width + first;
        for (int64_t c = 0; c < n_classes; ++c) {
          to_lowest[c] = lowest[c][m];
          to_highest[c] = highest[c][m];
        }
      }
    }
  }
}

}  // namespace
}  // namespace dcsvm

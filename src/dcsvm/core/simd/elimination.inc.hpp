// What the elimination of classes does with decision values (see elimination.hpp), compiled for one
// instruction set by each file that includes it.
#pragma once

#include <limits>

#include "predict/elimination.hpp"
#include "simd/evaluation.hpp"
#include "simd/lanes.hpp"

namespace dcsvm {
namespace {

template <class Real>
void multiply_out(const Real* numbers, int64_t n, Real* out) {
  const auto write = [&](const Lanes<Real>& factor, int64_t first) {
    for (int64_t b = first; b < n; b += n_lanes) store(out + b - first, factor * load(numbers + b));
    out += n - first;
  };
  write(broadcast(Real{1}), 0);
  for (int64_t a = 0; a < n; ++a) write(broadcast(numbers[a]), a);
}

// Bit c says whether low[c] <= level <= high[c], for a panel of classes.
inline unsigned plausible_bits(const uint8_t* low, const uint8_t* high, int level) {
#if defined(__SSE2__)
  const __m128i at = _mm_set1_epi8(static_cast<char>(level));
  const __m128i not_below = _mm_max_epu8(_mm_loadu_si128((const __m128i*)low), at);
  const __m128i not_above = _mm_min_epu8(_mm_loadu_si128((const __m128i*)high), at);
  return _mm_movemask_epi8(
      _mm_and_si128(_mm_cmpeq_epi8(not_below, at), _mm_cmpeq_epi8(not_above, at)));
#elif defined(__aarch64__)
  constexpr uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t at = vdupq_n_u8(static_cast<uint8_t>(level));
  const uint8x16_t within = vcleq_u8(vld1q_u8(low), at) & vcgeq_u8(vld1q_u8(high), at) & bit;
  return vaddv_u8(vget_low_u8(within)) | unsigned{vaddv_u8(vget_high_u8(within))} << 8;
#else
  unsigned bits = 0;
  for (int c = 0; c < n_lanes; ++c)
    bits |= static_cast<unsigned>(low[c] <= level && level <= high[c]) << c;
  return bits;
#endif
}

// Scores are in single precision, whatever the precision of the values.
using Scores = Lanes<float>;

// The scores whose bits are set; the others become -infinity.
inline Scores select(unsigned bits, const Scores& s) {
  Scores y;
#if defined(__AVX512F__)
  y.part[0] = (Register<float>)_mm512_mask_blend_ps(static_cast<__mmask16>(bits),
                                                    _mm512_set1_ps(no_score), (__m512)s.part[0]);
#else
  DCSVM_EACH_REGISTER(float) {
    const auto in = spread_bits<float>(bits >> (i * register_lanes<float>));
    y.part[i] = in ? s.part[i] : no_score - Register<float>{};
  }
#endif
  return y;
}

inline void raise(Scores& best, const Scores& s) {
  DCSVM_EACH_REGISTER(float) best.part[i] = s.part[i] > best.part[i] ? s.part[i] : best.part[i];
}

// Takes the first class with the highest score, best[lane] in its lane, out of the scores: says
// which it is, or -1.
inline int32_t take_highest(float* scores, const Scores& best, int64_t n_panels) {
  constexpr int64_t panels_per_word = 4;
  const float highest = highest_lane(best);
  if (!(highest > no_score)) return -1;
  const Scores wanted = broadcast(highest);
  for (int64_t first = 0; first < n_panels; first += panels_per_word) {
    uint64_t found = 0;  // of several panels, for where it is cannot be foretold
    const int64_t end = n_panels - first < panels_per_word ? n_panels : first + panels_per_word;
    for (int64_t p = first; p < end; ++p)
      found |= static_cast<uint64_t>(equal_lanes(load(scores + p * panel_width), wanted))
               << ((p - first) * panel_width);
    if (found == 0) continue;
    const int64_t cls = first * panel_width + __builtin_ctzll(found);
    scores[cls] = no_score;
    return static_cast<int32_t>(cls);
  }
  return -1;
}

Meeting open_meeting(float* scores, float gap, int64_t n_panels) {
  Scores best = broadcast(no_score);
  for (int64_t p = 0; p < n_panels; ++p) raise(best, load(scores + p * panel_width));
  const Scores least = broadcast(highest_lane(best) - gap);
  const int32_t champion = take_highest(scores, best, n_panels);
  best = broadcast(no_score);
  for (int64_t p = 0; p < n_panels; ++p) {
    Scores s = load(scores + p * panel_width);
    DCSVM_EACH_REGISTER(float)
    s.part[i] = s.part[i] >= least.part[i] ? s.part[i] : no_score - Register<float>{};
    store(scores + p * panel_width, s);
    raise(best, s);
  }
  return {champion, take_highest(scores, best, n_panels)};
}

// Takes the class with the highest score out of the scores: says which it is, or -1.
int32_t take_best(float* scores, int64_t n_panels) {
  Scores best = broadcast(no_score);
  for (int64_t p = 0; p < n_panels; ++p) raise(best, load(scores + p * panel_width));
  return take_highest(scores, best, n_panels);
}

// Takes the classes out for which the level is implausible, and the one with the highest score.
inline int32_t next_challenger(float* scores, const uint8_t* low, const uint8_t* high, int level,
                               int64_t n_panels) {
  Scores best = broadcast(no_score);
  for (int64_t at = 0; at < n_panels * panel_width; at += panel_width) {
    const Scores s = select(plausible_bits(low + at, high + at, level), load(scores + at));
    store(scores + at, s);
    raise(best, s);
  }
  return take_highest(scores, best, n_panels);
}

void decide(const LevelsView& levels, int64_t machine, const int32_t* rows, const double* values,
            int64_t n, float* scores, Meeting* meeting) {
  const int64_t width = levels.n_panels * panel_width;
  const Meeting met = meeting[rows[0]];
  const int32_t i = met.champion < met.challenger ? met.champion : met.challenger;
  const int32_t j = met.champion < met.challenger ? met.challenger : met.champion;
  const auto next = [&](float* row, double value) {
    if (!levels.knows_values()) return take_best(row, levels.n_panels);
    const int64_t at = machine * width;
    return next_challenger(row, levels.low + at, levels.high + at, levels.level(machine, value),
                           levels.n_panels);
  };
  for (int64_t t = 0; t < n; ++t)
    meeting[rows[t]] = {values[t] > 0 ? i : j, next(scores + rows[t] * width, values[t])};
}

}  // namespace
}  // namespace dcsvm

// The two passes over all rows that an iteration of smo.hpp takes: the step of the gradient, and
// the selection of the next pair. Compiled for one instruction set by each file that includes it.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "simd/evaluation.hpp"
#include "simd/lanes.hpp"

namespace dcsvm {
namespace {

using Doubles = Register<double>;
using Longs = WholeRegister<double>;
constexpr int n_doubles = register_lanes<double>;
typedef float HalfRegister __attribute__((vector_size(register_bytes / 2)));

inline Doubles load_doubles(const double* from) {
  Doubles y;
  std::memcpy(&y, from, sizeof y);
  return y;
}

// From and to single precision; GCC splits the widest of these conversions in two.
inline Doubles load_doubles(const float* from) {
#if defined(__AVX512F__)
  return (Doubles)_mm512_cvtps_pd(_mm256_loadu_ps(from));
#else
  HalfRegister half;
  std::memcpy(&half, from, sizeof half);
  return __builtin_convertvector(half, Doubles);
#endif
}

inline void store_doubles(double* to, Doubles x) { std::memcpy(to, &x, sizeof x); }

inline void store_doubles(float* to, Doubles x) {
#if defined(__AVX512F__)
  _mm256_storeu_ps(to, _mm512_cvtpd_ps((__m512d)x));
#else
  const HalfRegister half = __builtin_convertvector(x, HalfRegister);
  std::memcpy(to, &half, sizeof half);
#endif
}

inline Longs first_places() {
  Longs places;
  for (int lane = 0; lane < n_doubles; ++lane) places[lane] = lane;
  return places;
}

// The best of some numbers so far, lane by lane, and where it stands.
struct Best {
  Doubles value;
  Longs where;

  void offer(Doubles other, Longs at) {
    where = other < value ? at : where;
    value = other < value ? other : value;
  }
};

// Of equals the one that stands first. Without branches, as nothing tells beforehand which lane it
// will be.
inline void find_lowest(const Best& best, double& value, int64_t& where) {
#if defined(__AVX512F__)
  const auto values = (__m512d)best.value;
  value = _mm512_reduce_min_pd(values);
  const __mmask8 lowest = _mm512_cmp_pd_mask(values, _mm512_set1_pd(value), _CMP_EQ_OQ);
  where = _mm512_mask_reduce_min_epi64(lowest, (__m512i)best.where);
#else
  value = best.value[0];
  for (int lane = 1; lane < n_doubles; ++lane)
    value = best.value[lane] < value ? best.value[lane] : value;
  where = INT64_MAX;
  for (int lane = 0; lane < n_doubles; ++lane) {
    const int64_t here = best.value[lane] == value ? best.where[lane] : INT64_MAX;
    where = here < where ? here : where;
  }
#endif
}

template <class Real>
Extremes update_gradient(double* f, const double* cannot_rise, const double* cannot_fall,
                         const int64_t (&length)[2], const Real* const (&row_i)[2], double step_i,
                         const Real* const (&row_j)[2], double step_j, Real* falling_f) {
  const Doubles infinity = __builtin_inf() - Doubles{};
  // A comparison waits for the one before: two chains of them run side by side.
  Best rising[2] = {{infinity, {}}, {infinity, {}}}, falling[2] = {{infinity, {}}, {infinity, {}}};
  Longs here = first_places();
  for (int64_t s = 0, at = 0; s < 2; at += length[s], ++s)
    for (int64_t t = 0; t < length[s]; t += 2 * n_doubles)
#pragma GCC unroll 2
      for (int chain = 0; chain < 2; ++chain) {
        const int64_t in_row = t + chain * n_doubles, place = at + in_row;
        Doubles g = load_doubles(f + place);
        if (row_i[s] != nullptr) {
          g = g + step_i * load_doubles(row_i[s] + in_row);
          g = g + step_j * load_doubles(row_j[s] + in_row);
          store_doubles(f + place, g);
        }
        const Doubles can_fall = g - load_doubles(cannot_fall + place);
        store_doubles(falling_f + place, can_fall);
        rising[chain].offer(g + load_doubles(cannot_rise + place), here);
        falling[chain].offer(-can_fall, here);
        here += n_doubles;
      }
  rising[0].offer(rising[1].value, rising[1].where);
  falling[0].offer(falling[1].value, falling[1].where);
  Extremes e{__builtin_inf(), __builtin_inf(), 0, 0};
  find_lowest(rising[0], e.lowest_rising, e.riser);
  find_lowest(falling[0], e.highest_falling, e.faller);
  e.highest_falling = -e.highest_falling;
  return e;
}

template <class Real>
void add_weighted_rows(const Real* rows, int64_t distance, int64_t width, const double* coef,
                       int64_t n_rows, double* sums) {
  constexpr int n_parts = panel_width / n_doubles;
  for (int64_t t = 0; t < width; t += panel_width) {
    Doubles sum[n_parts];
#pragma GCC unroll 8
    for (int p = 0; p < n_parts; ++p) sum[p] = load_doubles(sums + t + p * n_doubles);
    for (int64_t r = 0; r < n_rows; ++r)
#pragma GCC unroll 8
      for (int p = 0; p < n_parts; ++p)
        sum[p] = sum[p] + coef[r] * load_doubles(rows + r * distance + t + p * n_doubles);
#pragma GCC unroll 8
    for (int p = 0; p < n_parts; ++p) store_doubles(sums + t + p * n_doubles, sum[p]);
  }
}

// The largest fraction so far, lane by lane, and in which panel it stands. Fractions are compared
// crosswise: a division is dearer than the rest together.
template <class Real>
struct BestGain {
  Lanes<Real> square{}, curvature = broadcast(Real{1}), panel{};

  void offer(const Lanes<Real>& other_square, const Lanes<Real>& other_curvature,
             const Lanes<Real>& at) {
    const Lanes<Real> theirs = other_square * curvature, ours = square * other_curvature;
    panel = select(theirs, ours, at, panel);
    square = select(theirs, ours, other_square, square);
    curvature = select(theirs, ours, other_curvature, curvature);
  }
};

template <class Real>
int64_t largest_gain(const Real* falling_f, const Real* diagonal, const int64_t (&length)[2],
                     const Real* const (&row_i)[2], Real f_i, Real k_ii) {
  const Lanes<Real> zero{}, least_curvature = broadcast(Real(1e-12)), two = broadcast(Real{2});
  const Lanes<Real> reference = broadcast(f_i), own = broadcast(k_ii), one = broadcast(Real{1});
  // A comparison waits for the one before: two chains of them run side by side.
  BestGain<Real> best[2];
  Lanes<Real> panel{};
  for (int64_t s = 0, at = 0; s < 2; at += length[s], ++s) {
    const auto offer = [&](int64_t t, int chain) {
      const Lanes<Real> difference = load(falling_f + at + t) - reference;
      const Lanes<Real> square = select(difference, zero, difference * difference, zero);
      Lanes<Real> curvature = own + load(diagonal + at + t) - two * load(row_i[s] + t);
      curvature = select(curvature, least_curvature, curvature, least_curvature);
      best[chain].offer(square, curvature, panel);
      panel = panel + one;
    };
    int64_t t = 0;
    for (; t + 2 * n_lanes <= length[s]; t += 2 * n_lanes) {
      offer(t, 0);
      offer(t + n_lanes, 1);
    }
    if (t < length[s]) offer(t, 0);
  }
  best[0].offer(best[1].square, best[1].curvature, best[1].panel);
  const Lanes<Real> gains = best[0].square / best[0].curvature;
  const auto largest = static_cast<Real>(highest_lane(gains));
  if (!(largest > 0)) return -1;
  Real gain[n_lanes], where[n_lanes];
  store(gain, gains);
  store(where, best[0].panel);
  int64_t first = INT64_MAX;  // of equals
  for (int lane = 0; lane < n_lanes; ++lane) {
    const int64_t place = static_cast<int64_t>(where[lane]) * n_lanes + lane;
    const int64_t here = gain[lane] == largest ? place : INT64_MAX;
    first = here < first ? here : first;
  }
  return first;
}

}  // namespace
}  // namespace dcsvm

// The values of all machines at some rows, from kernel values, and what they say of the rows.
// Compiled for one instruction set by each file that includes it.
#pragma once

#include <type_traits>

#include "simd/evaluation.hpp"
#include "simd/lanes.hpp"

namespace dcsvm {
namespace {

// Even and odd entries are summed by themselves: a sum waits for the one before.
constexpr int sum_chains = 2;

// Panels of rows summed at a time: as many as there are registers for the sums.
template <class Real>
constexpr int panels_of_sums =
    n_vector_registers / (sum_chains * n_registers<Real>) >= 16 ? 6
                                                                : (n_registers<Real> <= 4 ? 2 : 1);

template <int P, class Real>
inline void add_entries(const Real* kernel, int64_t width, const int32_t* index, const Real* coef,
                        int64_t n, Lanes<Real> (&total)[P]) {
  Lanes<Real> sum[sum_chains][P];
#pragma GCC unroll 8
  for (int chain = 0; chain < sum_chains; ++chain)
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p) sum[chain][p] = Lanes<Real>{};
  const auto add = [&](int64_t e, int chain) {
    const Real* k = kernel + index[e] * width;
    const Lanes<Real> c = broadcast(coef[e]);
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p)
      sum[chain][p] = multiply_add(c, load(k + p * panel_width), sum[chain][p]);
  };
  int64_t e = 0;
  for (; e + sum_chains <= n; e += sum_chains)
#pragma GCC unroll 8
    for (int chain = 0; chain < sum_chains; ++chain) add(e + chain, chain);
  if (e < n) add(e, 0);
#pragma GCC unroll 8
  for (int p = 0; p < P; ++p) total[p] = sum[0][p] + sum[1][p];
}

template <int P, class Real>
void sums_of_machine(const Real* kernel, int64_t width, const int32_t* index, const Real* coef,
                     int64_t n, double intercept, Real* values) {
  Lanes<Real> sum[P];
  if (n <= panels_per_sum) {
    add_entries(kernel, width, index, coef, n, sum);
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p)
      store(values + p * n_lanes, sum[p] + broadcast(static_cast<Real>(intercept)));
    return;
  }
  double total[P * n_lanes];
  for (double& t : total) t = intercept;
  for (int64_t begin = 0; begin < n; begin += panels_per_sum) {
    const int64_t count = n - begin < panels_per_sum ? n - begin : panels_per_sum;
    add_entries(kernel, width, index + begin, coef + begin, count, sum);
    for (int p = 0; p < P; ++p) store(values + p * n_lanes, sum[p]);
    for (int t = 0; t < P * n_lanes; ++t) total[t] += values[t];
  }
  for (int t = 0; t < P * n_lanes; ++t) values[t] = static_cast<Real>(total[t]);
}

// Calls visit(first panel, Count<P>) for groups of at most `most` panels.
template <int most, class Visit>
inline void each_group_of_panels(int64_t n_panels, Visit&& visit, int64_t first = 0) {
  for (; first + most <= n_panels; first += most) visit(first, Count<most>{});
  if constexpr (most > 1) each_group_of_panels<most - 1>(n_panels, visit, first);
}

template <class Real>
void weighted_sums(const Real* kernel, int64_t n_panels, const int64_t* start, const int32_t* index,
                   const Real* coef, const double* intercept, const int32_t* machine,
                   int64_t n_machines, Real* values) {
  const int64_t width = n_panels * panel_width;
  each_group_of_panels<panels_of_sums<Real>>(n_panels, [&](int64_t p, auto count) {
    for (int64_t t = 0; t < n_machines; ++t) {
      const int64_t m = machine[t], first = start[m], n = start[m + 1] - first;
      sums_of_machine<decltype(count)::value>(kernel + p * panel_width, width, index + first,
                                              coef + first, n, intercept[m],
                                              values + t * width + p * panel_width);
    }
  });
}

// Bit l says whether lane l is positive.
template <class Real>
inline unsigned positive_lanes(const Lanes<Real>& x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Real) == sizeof(float))
    return _mm512_cmp_ps_mask((__m512)x.part[0], _mm512_setzero_ps(), _CMP_GT_OQ);
#endif
  Real lane[n_lanes];
  store(lane, x);
  unsigned bits = 0;
  for (int l = 0; l < n_lanes; ++l) bits |= static_cast<unsigned>(lane[l] > 0) << l;
  return bits;
}

inline void put_signs(uint8_t* signs, int64_t first_bit, unsigned bits) {
  bits <<= first_bit % 8;
  for (uint8_t* to = signs + first_bit / 8; bits != 0; bits >>= 8)
    *to++ |= static_cast<uint8_t>(bits);
}

inline int64_t rows_in(const uint16_t* lanes, int64_t n_panels) {
  int64_t n = 0;
  for (int64_t p = 0; p < n_panels; ++p) n += __builtin_popcount(lanes[p]);
  return n;
}

// The weight on either side beyond that of usual rows, and the signs.
template <class Real>
void add_row_by_row(const Real* values, const ObservedRows& rows, int64_t m, int64_t place,
                    const Observed& seen) {
  for (int64_t p = 0; p < rows.n_panels; ++p) {
    const unsigned positive = positive_lanes(load(values + p * panel_width)) & rows.filled[p];
    for (unsigned left = rows.filled[p] & ~rows.usual[p]; left != 0; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      (positive >> lane & 1 ? seen.to_i : seen.to_j)[place] += rows.weight[p * panel_width + lane];
    }
    if (seen.signs != nullptr)
      put_signs(seen.signs + m * seen.bytes_of_signs, rows.first_bit + p * panel_width, positive);
  }
}

// Sums are of the differences from the first value, as values that lie close together would lose
// their deviation among the rounding errors of squares.
template <class Real>
void describe(const Real* values, const ObservedRows& rows, const int32_t* machine,
              const int32_t* place, int64_t n_machines, const Observed& seen) {
  const int64_t last = rows.n_panels - 1, n_usual = rows_in(rows.usual, rows.n_panels);
  const auto n_rows = static_cast<double>(rows_in(rows.filled, rows.n_panels));
  const bool row_by_row = n_usual != n_rows || seen.signs != nullptr;
  for (int64_t t = 0; t < n_machines; ++t, values += rows.n_panels * panel_width) {
    const int64_t at = place[t];
    const Lanes<Real> first = broadcast(values[0]);
    Lanes<Real> low = first, high = first, sum{}, squares{};
    int64_t n_positive = 0;
    const auto add = [&](const Lanes<Real>& x) {
      low = select(x, low, low, x);
      high = select(x, high, x, high);
      const Lanes<Real> difference = x - first;
      sum = sum + difference;
      squares = multiply_add(difference, difference, squares);
    };
    for (int64_t p = 0; p <= last; ++p) {
      const Lanes<Real> x = load(values + p * panel_width);
      n_positive += __builtin_popcount(positive_lanes(x) & rows.usual[p]);
      add(p < last ? x : where_set(rows.filled[p], x, first));
    }
    // Each side is summed by itself, so that a side without rows is exactly zero.
    seen.to_i[at] += rows.usual_weight * static_cast<double>(n_positive);
    seen.to_j[at] += rows.usual_weight * static_cast<double>(n_usual - n_positive);
    if (row_by_row) add_row_by_row(values, rows, machine[t], at, seen);
    const auto lowest = static_cast<float>(lowest_lane(low));
    const auto highest = static_cast<float>(highest_lane(high));
    seen.low[at] = lowest < seen.low[at] ? lowest : seen.low[at];
    seen.high[at] = highest > seen.high[at] ? highest : seen.high[at];
    const double from = values[0], differences = own_sum_of_lanes(sum);
    seen.sum[at] += n_rows * from + differences;
    seen.squares[at] += (n_rows * from + 2 * differences) * from + own_sum_of_lanes(squares);
  }
}

}  // namespace
}  // namespace dcsvm

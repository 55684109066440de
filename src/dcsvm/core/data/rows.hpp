// Matrix rows, dense or compressed, float or double, behind one set of operations.
//
// A row takes part in two roles. As a query it is scattered once into a buffer of doubles; as a
// support vector it stays where it is and is measured against that buffer. Only the second role is
// in the inner loop, so only it needs to be compiled per storage type.
//
// All views are borrowed: whoever makes one keeps the arrays alive.
#pragma once

#include <variant>

#include "data/integers.hpp"

namespace dcsvm {

template <class Value>
struct DenseRows {
  const Value* values;  // row-major
  int64_t n_rows;
  int64_t n_features;

  // Writes the row into x and returns its squared norm.
  double scatter(int64_t row, double* x) const {
    const Value* source = values + row * n_features;
    double squared_norm = 0;
    for (int64_t d = 0; d < n_features; ++d) {
      x[d] = source[d];
      squared_norm += x[d] * x[d];
    }
    return squared_norm;
  }

  // Dense rows overwrite the whole buffer: nothing is left to clean.
  void erase(int64_t, double*) const {}

  double dot(int64_t row, const double* x) const {
    const Value* s = values + row * n_features;
    return sum_over_features([=](int64_t d) { return s[d] * x[d]; });
  }

  // Σ weight (x - s)²; norm is Σ weight x².
  double squared_distance(int64_t row, const double* x, const double* weight,
                          double /*norm*/) const {
    const Value* s = values + row * n_features;
    return sum_over_features([=](int64_t d) { return weight[d] * (x[d] - s[d]) * (x[d] - s[d]); });
  }

 private:
  // Independent partial sums, so that the compiler may use vector registers without being allowed
  // to reorder floating-point arithmetic in general.
  template <class Term>
  double sum_over_features(Term term) const {
    constexpr int lanes = 8;
    double partial[lanes] = {};
    int64_t d = 0;
    for (; d + lanes <= n_features; d += lanes)
      for (int lane = 0; lane < lanes; ++lane) partial[lane] += term(d + lane);
    double rest = 0;
    for (; d < n_features; ++d) rest += term(d);
    return ((partial[0] + partial[4]) + (partial[1] + partial[5])) +
           ((partial[2] + partial[6]) + (partial[3] + partial[7])) + rest;
  }
};

// Compressed sparse rows. Each row's indices are distinct.
template <class Value, class Index>
struct SparseRows {
  const Value* values;
  const Index* indices;
  const Index* start;
  int64_t n_rows;
  int64_t n_features;

  // Writes the row into x, which must be zero elsewhere, and returns its squared norm.
  double scatter(int64_t row, double* x) const {
    double squared_norm = 0;
    for (Index e = start[row]; e < start[row + 1]; ++e) {
      const double value = values[e];
      x[indices[e]] = value;
      squared_norm += value * value;
    }
    return squared_norm;
  }

  // Undoes scatter.
  void erase(int64_t row, double* x) const {
    for (Index e = start[row]; e < start[row + 1]; ++e) x[indices[e]] = 0;
  }

  double dot(int64_t row, const double* x) const {
    double sum = 0;
    for (Index e = start[row]; e < start[row + 1]; ++e) sum += values[e] * x[indices[e]];
    return sum;
  }

  // Σ weight (x - s)² = norm + Σ weight s (s - 2x), the sum over the stored entries of s alone.
  double squared_distance(int64_t row, const double* x, const double* weight, double norm) const {
    double sum = norm;
    for (Index e = start[row]; e < start[row + 1]; ++e)
      sum += weight[indices[e]] * values[e] * (values[e] - 2 * x[indices[e]]);
    return sum > 0 ? sum : 0;
  }
};

using Rows = std::variant<DenseRows<float>, DenseRows<double>, SparseRows<float, int32_t>,
                          SparseRows<float, int64_t>, SparseRows<double, int32_t>,
                          SparseRows<double, int64_t>>;

inline int64_t n_rows(const Rows& rows) {
  return std::visit([](const auto& r) { return r.n_rows; }, rows);
}

inline int64_t n_features(const Rows& rows) {
  return std::visit([](const auto& r) { return r.n_features; }, rows);
}

}  // namespace dcsvm

// How far values of rows left out lie beyond those of their class, see routing/left_out.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "data/integers.hpp"

namespace dcsvm {

struct ReachesView {
  int64_t n_classes, n_machines, n_rows;
  const double* values;    // n_machines x n_rows
  const int64_t* edges;    // rows of class c are edges[c] ... edges[c + 1] - 1
  const int32_t* pairs;    // the two classes of each machine
  const double* variance;  // n_classes x n_machines
  const double* freedom;   // of each variance
  const double* reached;   // expected maximum of the other rows of each class, as standard normals
  double pooled_rows;
};

// The values of the rows of a class on a machine that was not trained on it.
class ClassValues {
 public:
  ClassValues(const double* values, int64_t n) : values_(values), n_(n) {
    for (int64_t r = 0; r < n; ++r) {
      const double v = values[r];
      sum_ += v;
      if (v > highest_[0]) {
        highest_[1] = highest_[0];
        highest_[0] = v;
      } else {
        highest_[1] = std::max(highest_[1], v);
      }
      if (v < lowest_[0]) {
        lowest_[1] = lowest_[0];
        lowest_[0] = v;
      } else {
        lowest_[1] = std::min(lowest_[1], v);
      }
    }
    for (int64_t r = 0; r < n; ++r) squares_ += from_mean(r) * from_mean(r);
  }

  // By how much row r lies beyond the others.
  double beyond(int64_t r) const {
    const double v = values_[r];
    return std::max(v - highest_[v == highest_[0]], lowest_[v == lowest_[0]] - v);
  }

  // The variance of the others.
  double variance_without(int64_t r) const {
    const double rest = squares_ - from_mean(r) * from_mean(r) * n_ / (n_ - 1.0);
    return std::max(rest, 0.0) / std::max<int64_t>(n_ - 2, 1);
  }

 private:
  double from_mean(int64_t r) const { return values_[r] - sum_ / n_; }

  const double* values_;
  int64_t n_;
  double sum_ = 0, squares_ = 0;
  double highest_[2] = {-std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity()};
  double lowest_[2] = {std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::infinity()};
};

// Adds the reaches, as far as they are finite, of the rows of classes begin ... end - 1.
inline void add_reaches(const ReachesView& v, int64_t begin, int64_t end,
                        std::vector<double>& reaches) {
  double freedom = 0;
  for (int64_t c = 0; c < v.n_classes; ++c) freedom += v.freedom[c];
  std::vector<double> others(v.n_machines);
  for (int64_t m = 0; m < v.n_machines; ++m)
    for (int64_t c = 0; c < v.n_classes; ++c)
      others[m] += v.freedom[c] * v.variance[c * v.n_machines + m];
  for (int64_t c = begin; c < end; ++c) {
    const int64_t n = v.edges[c + 1] - v.edges[c];
    const double known = freedom - v.freedom[c] + n - 2;
    if (n < 2 || known == 0) continue;
    for (int64_t m = 0; m < v.n_machines; ++m) {
      if (v.pairs[2 * m] == c || v.pairs[2 * m + 1] == c) continue;
      const ClassValues values(v.values + m * v.n_rows + v.edges[c], n);
      const double of_others = others[m] - v.freedom[c] * v.variance[c * v.n_machines + m];
      for (int64_t r = 0; r < n; ++r) {
        const double own = (n - 2) * values.variance_without(r);
        const double pooled = (of_others + own) / known;
        const double unit = std::sqrt((v.pooled_rows * pooled + own) / (v.pooled_rows + n - 2));
        const double reach = values.beyond(r) / unit + v.reached[c];
        if (std::isfinite(reach)) reaches.push_back(reach);
      }
    }
  }
}

}  // namespace dcsvm

// The values of machines at one row after the other, where every kernel value is computed once.
#pragma once

#include <algorithm>
#include <vector>

#include "predict/row_kernel.hpp"

namespace dcsvm {

// Kernel values by support vector, each with the number of the row it belongs to. A thread keeps
// one for all its rows: numbering them by a counter spares clearing it for each.
template <class Real>
struct KernelCache {
  std::vector<Real> value;
  std::vector<uint32_t> row_of;
  uint32_t row = 0;

  void next_row(std::size_t n_vectors) {
    if (value.size() < n_vectors) {
      value.resize(n_vectors);
      row_of.resize(n_vectors);
    }
    if (++row != 0) return;
    std::fill(row_of.begin(), row_of.end(), 0);
    row = 1;
  }
};

template <class Real>
class Engine<Real>::RowValues {
 public:
  explicit RowValues(const Engine& engine) : p_(engine.parameters_), row_(engine), cache_(own()) {}

  void begin(const Real* query, Real bias) {
    cache_.next_row(p_.n_vectors);
    row_.begin(query, bias);
  }

  double value(int64_t machine) {
    const int64_t first = p_.start[machine], last = p_.start[machine + 1];
    if (p_.own_scale != nullptr) {  // no kernel value serves two machines
      cache_.next_row(p_.n_vectors);
      row_.standardise(machine);
    }
    missing_.clear();
    for (int64_t e = first; e < last; ++e) {
      if (cache_.row_of[p_.index[e]] == cache_.row) continue;
      cache_.row_of[p_.index[e]] = cache_.row;
      missing_.push_back(p_.index[e]);
    }
    row_.evaluate(missing_.data(), static_cast<int64_t>(missing_.size()), cache_.value.data());
    double sum[4] = {p_.intercept[machine], 0, 0, 0};
    for (int64_t e = first; e < last; ++e)
      sum[(e - first) % 4] += static_cast<double>(p_.coef[e]) * cache_.value[p_.index[e]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

 private:
  static KernelCache<Real>& own() {
    thread_local KernelCache<Real> cache;
    return cache;
  }

  const EngineParameters<Real>& p_;
  RowKernel row_;
  KernelCache<Real>& cache_;
  std::vector<int32_t> missing_;
};

}  // namespace dcsvm

#include "predict/machines.hpp"

#include <vector>

namespace dcsvm {
namespace {

using std::int32_t;
using std::int64_t;

// One row of X as the machines see it.
//
// Standardising both x and s, with c the centre and v = inverse_scale²:
//   dot product       Σ v (x - c)(s - c)  =  <direction, s> - <direction, c>,  direction = v (x -
//   c) squared distance  Σ v (x - s)²
// so that the support vectors are used as they are stored.
class Query {
 public:
  explicit Query(int64_t n_features) : x_(n_features) {}

  void load(const Rows& X, int64_t row) {
    if (loaded_) std::visit([&](const auto& rows) { rows.erase(row_, x_.data()); }, X);
    norm_ = std::visit([&](const auto& rows) { return rows.scatter(row, x_.data()); }, X);
    row_ = row;
    loaded_ = true;
  }

  void standardise(const double* centre, const double* inverse_scale) {
    const auto n = x_.size();
    weight_.resize(n);
    direction_.resize(n);
    weighted_norm_ = offset_ = 0;
    for (std::size_t d = 0; d < n; ++d) {
      weight_[d] = inverse_scale[d] * inverse_scale[d];
      direction_[d] = weight_[d] * (x_[d] - centre[d]);
      offset_ -= direction_[d] * centre[d];
      weighted_norm_ += weight_[d] * x_[d] * x_[d];
    }
  }

  template <bool standardised, class Kernel, class Pool>
  double kernel_value(const Kernel& kernel, const Pool& pool, int64_t s) const {
    if constexpr (standardised && Kernel::uses_distance)
      return kernel(pool.squared_distance(s, x_.data(), weight_.data(), weighted_norm_));
    else if constexpr (standardised)
      return kernel(pool.dot(s, direction_.data()) + offset_);
    else if constexpr (Kernel::uses_distance)
      return kernel(pool.squared_distance(s, x_.data(), norm_));
    else
      return kernel(pool.dot(s, x_.data()));
  }

 private:
  std::vector<double> x_, direction_, weight_;
  double norm_ = 0, weighted_norm_ = 0, offset_ = 0;
  int64_t row_ = 0;
  bool loaded_ = false;
};

// intercept + Σ coef * (kernel value of the support vector), in storage order.
template <class KernelValue>
double weighted_sum(const Machines& m, int64_t machine, KernelValue kernel_value) {
  double sum = 0;
  for (int64_t e = m.start[machine]; e < m.start[machine + 1]; ++e)
    sum += m.coef[e] * kernel_value(m.index[e]);
  return sum + m.intercept[machine];
}

template <bool standardised, class Kernel, class Pool>
double value_of(const Machines& m, const Kernel& kernel, const Pool& pool, Query& query,
                int64_t machine) {
  if constexpr (standardised) {
    const int64_t offset = machine * pool.n_features;
    query.standardise(m.centre + offset, m.inverse_scale + offset);
  }
  return weighted_sum(m, machine, [&](int32_t s) {
    return query.template kernel_value<standardised>(kernel, pool, s);
  });
}

// Calls visit(kernel, pool, standardised) with all three known to the compiler.
template <class Visitor>
void with_types(const Machines& m, Visitor&& visit) {
  with_kernel(m.kernel, [&](const auto& kernel) {
    std::visit(
        [&](const auto& pool) {
          if (m.centre != nullptr)
            visit(kernel, pool, std::true_type{});
          else
            visit(kernel, pool, std::false_type{});
        },
        m.pool);
  });
}

}  // namespace

void Machines::values(const Rows& X, const int64_t* row, const int32_t* machine, int64_t n,
                      double* out) const {
  with_types(*this, [&](const auto& kernel, const auto& pool, auto standardised) {
    Query query(pool.n_features);
    for (int64_t t = 0; t < n; ++t) {
      query.load(X, row[t]);
      out[t] = value_of<standardised.value>(*this, kernel, pool, query, machine[t]);
    }
  });
}

void Machines::all_values(const Rows& X, int64_t begin, int64_t end, double* out) const {
  with_types(*this, [&](const auto& kernel, const auto& pool, auto standardised) {
    Query query(pool.n_features);
    std::vector<double> shared(standardised.value ? 0 : pool.n_rows);
    for (int64_t row = begin; row < end; ++row, out += n_machines) {
      query.load(X, row);
      if constexpr (standardised.value) {
        for (int64_t m = 0; m < n_machines; ++m)
          out[m] = value_of<true>(*this, kernel, pool, query, m);
      } else {
        for (int64_t s = 0; s < pool.n_rows; ++s)
          shared[s] = query.template kernel_value<false>(kernel, pool, s);
        for (int64_t m = 0; m < n_machines; ++m)
          out[m] = weighted_sum(*this, m, [&](int32_t s) { return shared[s]; });
      }
    }
  });
}

void Machines::distinct_support(const int64_t* path_start, const int32_t* machine, int64_t n_paths,
                                int64_t* out) const {
  std::vector<int64_t> last_seen(n_rows(pool), -1);
  for (int64_t path = 0; path < n_paths; ++path) {
    int64_t distinct = 0;
    for (int64_t t = path_start[path]; t < path_start[path + 1]; ++t)
      for (int64_t e = start[machine[t]]; e < start[machine[t] + 1]; ++e) {
        int64_t& seen = last_seen[index[e]];
        distinct += seen != path;
        seen = path;
      }
    out[path] = distinct;
  }
}

}  // namespace dcsvm

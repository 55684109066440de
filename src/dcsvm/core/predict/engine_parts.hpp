// What the files of the engine share: panels, scratch memory, and the loading of queries.
#pragma once

#include <vector>

#include "predict/engine.hpp"
#include "simd/aligned.hpp"

namespace dcsvm {

// Queries that are mapped for a machine with a standardisation of its own at a time.
constexpr int64_t mapped_at_once = 64;
// Rows whose kernel values are held at a time in a vote.
constexpr int64_t vote_block = 2 * panel_width;
// Panels of rows that are observed at a time: most classes fit.
constexpr int64_t observed_panels = 6;

template <class Real>
struct Engine<Real>::Panels {
  Aligned<Real> memory;
  PackedMachine<Real> packed;
  int64_t bytes;
};

// What a thread needs while it evaluates; grown to the largest group it meets.
template <class Real>
struct Engine<Real>::Scratch {
  std::vector<Real> lane_sums, mapped, mapped_bias;
  std::vector<int32_t> in_order;
  Panels unkept;
  std::unique_ptr<RowValues> row_values;  // where there are no panels

  Real* lane_sums_for(int64_t n) {
    if (static_cast<int64_t>(lane_sums.size()) < n * panel_width) lane_sums.resize(n * panel_width);
    return lane_sums.data();
  }
};

// Rows of X as queries.
template <class Real>
class Engine<Real>::Loader {
 public:
  explicit Loader(const EngineParameters<Real>& p) : p_(p), x_(p.n_features) {}

  // Writes the query of a row, entry d to q[d * stride], and returns its bias, or throws
  // RowTooLong.
  Real load(const Rows& X, int64_t row, Real* q, int64_t stride = 1) {
    return std::visit(
        [&](const auto& rows) {
          // Given kernel values may stand among others that no machine uses.
          if (static_cast<int64_t>(x_.size()) < rows.n_features) x_.resize(rows.n_features);
          rows.scatter(row, x_.data());
          double squared_norm = 0;
          if (p_.column != nullptr) {
            for (int64_t s = 0; s < p_.n_vectors; ++s)
              q[s * stride] = static_cast<Real>(x_[p_.column[s]]);
          } else {
            for (int64_t d = 0; d < p_.n_features; ++d) {
              const double value = (x_[d] - p_.centre[d]) * p_.scale[d];
              q[d * stride] = static_cast<Real>(value);
              squared_norm += value * value;
            }
          }
          rows.erase(row, x_.data());
          if (squared_norm > p_.norm_limit) throw RowTooLong{};
          return static_cast<Real>(p_.query_bias * squared_norm);
        },
        X);
  }

 private:
  const EngineParameters<Real>& p_;
  std::vector<double> x_;
};

}  // namespace dcsvm

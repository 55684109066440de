// What the files of the engine share: panels, scratch memory, and the loading of queries.
#pragma once

#include <vector>

#include "predict/engine.hpp"
#include "simd/aligned.hpp"

namespace dcsvm {

// Queries<float> that are mapped for a machine with a standardisation of its own at a time.
constexpr std::int64_t mapped_at_once = 64;
// Rows whose kernel values are held at a time in a vote.
constexpr std::int64_t vote_block = 2 * panel_width;

struct Engine::Panels {
  Aligned<float> memory;
  PackedMachine<float> packed;
  std::int64_t bytes;
};

// What a thread needs while it evaluates; grown to the largest group it meets.
struct Engine::Scratch {
  std::vector<float> lane_sums, mapped, mapped_bias;
  std::vector<std::int32_t> in_order;
  Panels unkept;

  float* lane_sums_for(std::int64_t n) {
    if (static_cast<std::int64_t>(lane_sums.size()) < n * panel_width)
      lane_sums.resize(n * panel_width);
    return lane_sums.data();
  }
};

// Rows of X as queries.
class Engine::Loader {
 public:
  explicit Loader(const EngineParameters& p) : p_(p), x_(p.n_features) {}

  // Writes the query of a row, feature d to q[d * stride], and returns its bias.
  float load(const Rows& X, std::int64_t row, float* q, std::int64_t stride = 1) {
    return std::visit(
        [&](const auto& rows) {
          rows.scatter(row, x_.data());
          double squared_norm = 0;
          for (std::int64_t d = 0; d < p_.n_features; ++d) {
            const double value = (x_[d] - p_.centre[d]) * p_.scale[d];
            q[d * stride] = static_cast<float>(value);
            squared_norm += value * value;
          }
          rows.erase(row, x_.data());
          return static_cast<float>(p_.query_bias * squared_norm);
        },
        X);
  }

 private:
  const EngineParameters& p_;
  std::vector<double> x_;
};

}  // namespace dcsvm

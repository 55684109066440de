// The part of the engine that asks all machines about every row: votes, and counts for the table.
#include <algorithm>
#include <cstring>

#include "engine.hpp"
#include "engine_parts.hpp"

namespace dcsvm {

using std::int32_t;
using std::int64_t;

namespace {

// Panels of queries whose kernel values are held at a time in a vote: 32 rows.
constexpr int64_t vote_panels = 2;

}  // namespace

// Calls consume(first row, number of rows, values[m][lane], lanes) for blocks of rows.
template <class Consume>
void Engine::values_by_panel(const Rows& X, int64_t begin, int64_t end, Consume consume) const {
  const EngineParameters& p = parameters_;
  const int64_t block = vote_panels * panel_width, panel_size = p.n_features * panel_width;
  const AlignedFloats panels = aligned_floats(vote_panels * panel_size);
  const AlignedFloats bias = aligned_floats(block);
  const AlignedFloats kernel = aligned_floats(p.n_vectors * block);
  const bool linear = p.form.form == Form::identity;
  const AlignedFloats values = aligned_floats(linear ? 0 : p.n_machines * block);
  std::memset(panels.get(), 0, vote_panels * panel_size * sizeof(float));
  std::memset(bias.get(), 0, block * sizeof(float));
  Loader loader(p);
  for (int64_t first = begin; first < end; first += block) {
    const int64_t n = std::min(block, end - first);
    const int64_t n_panels = (n + panel_width - 1) / panel_width, width = n_panels * panel_width;
    for (int64_t t = 0; t < n; ++t)
      bias[t] = loader.load(
          X, first + t, panels.get() + t / panel_width * panel_size + t % panel_width, panel_width);
    evaluation_.kernel_panel(p.form, panels.get(), bias.get(), n_panels, p.vectors, p.vector_bias,
                             p.n_vectors, p.n_features, kernel.get());
    if (linear) {
      for (int64_t m = 0; m < p.n_machines; ++m)
        for (int64_t t = 0; t < width; ++t)
          kernel[m * width + t] = static_cast<float>(kernel[m * width + t] + p.intercept[m]);
      consume(first, n, kernel.get(), width);
    } else {
      evaluation_.weighted_sums(kernel.get(), n_panels, p.start, p.index, p.coef, p.intercept,
                                p.n_machines, values.get());
      consume(first, n, values.get(), width);
    }
  }
}

// The same where no kernel value serves two machines.
template <class Consume>
void Engine::values_by_machine(const Rows& X, int64_t begin, int64_t end, Consume consume) const {
  const EngineParameters& p = parameters_;
  std::vector<float> q(mapped_at_once * p.n_features), bias(mapped_at_once);
  std::vector<float> values(p.n_machines * mapped_at_once);
  std::vector<double> value(mapped_at_once);
  std::vector<int32_t> all(mapped_at_once);
  for (int64_t t = 0; t < mapped_at_once; ++t) all[t] = static_cast<int32_t>(t);
  Loader loader(p);
  Scratch scratch{};
  for (int64_t first = begin; first < end; first += mapped_at_once) {
    const int64_t n = std::min(mapped_at_once, end - first);
    for (int64_t t = 0; t < n; ++t)
      bias[t] = loader.load(X, first + t, q.data() + t * p.n_features);
    const Queries queries{q.data(), bias.data(), p.n_features};
    for (int64_t m = 0; m < p.n_machines; ++m) {
      group_values(m, queries, all.data(), n, scratch, value.data());
      for (int64_t t = 0; t < n; ++t) values[m * n + t] = static_cast<float>(value[t]);
    }
    consume(first, n, values.data(), n);
  }
}

template <class Consume>
void Engine::each_block_of_values(const Rows& X, int64_t begin, int64_t end,
                                  Consume consume) const {
  if (parameters_.own_scale == nullptr || parameters_.form.form == Form::identity)
    values_by_panel(X, begin, end, consume);
  else
    values_by_machine(X, begin, end, consume);
}

void Engine::all_values(const Rows& X, int64_t begin, int64_t end, float* out) const {
  const int64_t n_rows = end - begin;
  const auto copy = [&](int64_t first, int64_t n, const float* values, int64_t width) {
    for (int64_t m = 0; m < parameters_.n_machines; ++m)
      std::memcpy(out + m * n_rows + (first - begin), values + m * width, n * sizeof(float));
  };
  each_block_of_values(X, begin, end, copy);
}

namespace {

// Bit t % 8 of bits[t / 8] says whether values[t] is positive.
void pack_signs(const float* values, int64_t n, std::uint8_t* bits) {
  for (int64_t t = 0; t < n; t += 8) {
    unsigned byte = 0;
    for (int64_t b = 0; b < std::min<int64_t>(8, n - t); ++b)
      byte |= static_cast<unsigned>(values[t + b] > 0) << b;
    bits[t / 8] = static_cast<std::uint8_t>(byte);
  }
}

}  // namespace

void Engine::count(const Rows& X, int64_t begin, int64_t end, const double* weight, double* to_i,
                   double* to_j, std::uint8_t* signs) const {
  const int64_t stride = (end - begin + 7) / 8;
  const auto add = [&](int64_t first, int64_t n, const float* values, int64_t width) {
    const double* w = weight + (first - begin);
    for (int64_t m = 0; m < parameters_.n_machines; ++m) {
      const float* value = values + m * width;
      // Each side is summed by itself, so that a side without rows is exactly zero.
      double i = 0, j = 0;
      for (int64_t t = 0; t < n; ++t) {
        i += value[t] > 0 ? w[t] : 0;
        j += value[t] > 0 ? 0 : w[t];
      }
      to_i[m] += i;
      to_j[m] += j;
      // Blocks begin at multiples of eight rows.
      if (signs != nullptr) pack_signs(value, n, signs + m * stride + (first - begin) / 8);
    }
  };
  each_block_of_values(X, begin, end, add);
}

void Engine::vote(const Rows& X, int64_t begin, int64_t end, int64_t n_classes,
                  int64_t* winner) const {
  std::vector<int32_t> votes(n_classes * std::max(vote_panels * panel_width, mapped_at_once));
  const auto decide = [&](int64_t first, int64_t n, const float* values, int64_t width) {
    std::fill(votes.begin(), votes.end(), 0);
    const float* value = values;
    for (int64_t i = 0; i < n_classes; ++i)
      for (int64_t j = i + 1; j < n_classes; ++j, value += width) {
        int32_t* for_i = votes.data() + i * width;
        int32_t* for_j = votes.data() + j * width;
        for (int64_t t = 0; t < width; ++t) {
          const int32_t to_i = value[t] > 0;
          for_i[t] += to_i;
          for_j[t] += 1 - to_i;
        }
      }
    for (int64_t t = 0; t < n; ++t) {
      int64_t best = 0;
      for (int64_t c = 1; c < n_classes; ++c)
        if (votes[c * width + t] > votes[best * width + t]) best = c;
      winner[first - begin + t] = best;
    }
  };
  each_block_of_values(X, begin, end, decide);
}

}  // namespace dcsvm

// The part of the engine that asks all machines about every row: votes, and what the table needs.
#include <algorithm>
#include <cstring>

#include "predict/engine.hpp"
#include "predict/engine_parts.hpp"

namespace dcsvm {

using std::int32_t;
using std::int64_t;

namespace {

constexpr int64_t most_block = std::max(vote_block, mapped_at_once);

// A mask of the first n of 64 lanes.
std::uint64_t lanes_below(int64_t n) {
  return n < 64 ? (std::uint64_t{1} << n) - 1 : ~std::uint64_t{0};
}
static_assert(most_block <= 64);

}  // namespace

// Calls consume(first row, number of rows, values[m][lane], lanes) for blocks of rows.
template <class Consume>
void Engine::values_by_panel(const Rows& X, int64_t begin, int64_t end, Consume consume) const {
  const EngineParameters& p = parameters_;
  const int64_t panel_size = p.n_features * panel_width, size = p.n_features * vote_block;
  const Aligned<float> panels = aligned<float>(size);
  const Aligned<float> bias = aligned<float>(vote_block);
  const Aligned<float> kernel = aligned<float>(p.n_vectors * vote_block);
  const bool linear = p.form.form == Form::identity;
  const Aligned<float> values = aligned<float>(linear ? 0 : p.n_machines * vote_block);
  std::memset(panels.get(), 0, size * sizeof(float));
  std::memset(bias.get(), 0, vote_block * sizeof(float));
  Loader loader(p);
  for (int64_t first = begin; first < end; first += vote_block) {
    const int64_t n = std::min(vote_block, end - first);
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
                                vote_order_.data(), p.n_machines, values.get());
      consume(first, n, values.get(), width);
    }
  }
}

// The same where no kernel value serves two machines.
template <class Consume>
void Engine::values_by_machine(const Rows& X, int64_t begin, int64_t end, Consume consume) const {
  const EngineParameters& p = parameters_;
  std::vector<float> q(mapped_at_once * p.n_features), bias(mapped_at_once);
  std::vector<float> values(p.n_machines * mapped_at_once + panel_width);
  std::vector<double> value(mapped_at_once);
  std::vector<int32_t> all(mapped_at_once);
  for (int64_t t = 0; t < mapped_at_once; ++t) all[t] = static_cast<int32_t>(t);
  Loader loader(p);
  Scratch scratch{};
  for (int64_t first = begin; first < end; first += mapped_at_once) {
    const int64_t n = std::min(mapped_at_once, end - first);
    for (int64_t t = 0; t < n; ++t)
      bias[t] = loader.load(X, first + t, q.data() + t * p.n_features);
    const Queries<float> queries{q.data(), bias.data(), p.n_features};
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

void Engine::observe(const Rows& X, int64_t begin, int64_t end, const double* weight,
                     const int64_t* edges, int64_t n_parts, const Observed& seen) const {
  const int64_t n_machines = parameters_.n_machines, stride = (end - begin + 7) / 8;
  // Most rows have the same weight, and are counted by their bits; the others one by one.
  const double usual = begin < end ? *std::min_element(weight, weight + (end - begin)) : 0;
  const auto add = [&](int64_t first, int64_t n, const float* values, int64_t width) {
    const int64_t row = first - begin;
    struct Overlap {
      int64_t part;
      std::uint64_t usual, others;
    };
    Overlap overlaps[most_block];
    int64_t n_overlaps = 0;
    for (int64_t part = 0; part < n_parts; ++part) {
      const int64_t low = std::max(edges[part] - row, int64_t{0});
      const int64_t high = std::min(edges[part + 1] - row, n);
      if (low >= high) continue;
      std::uint64_t others = 0;
      for (int64_t t = low; t < high; ++t)
        if (weight[row + t] != usual) others |= std::uint64_t{1} << t;
      overlaps[n_overlaps++] = {part, lanes_below(high) & ~lanes_below(low) & ~others, others};
    }
    const int64_t n_panels = (n + panel_width - 1) / panel_width;
    std::uint16_t bits[most_block / panel_width];
    for (int64_t m = 0; m < n_machines; ++m) {
      const float* value = values + m * width;
      evaluation_.positive_lanes(value, n_panels, bits);
      std::uint64_t positive = 0;
      for (int64_t p = 0; p < n_panels; ++p) positive |= std::uint64_t{bits[p]} << p * panel_width;
      positive &= lanes_below(n);
      for (int64_t o = 0; o < n_overlaps; ++o) {
        const Overlap& in = overlaps[o];
        // Each side is summed by itself, so that a side without rows is exactly zero.
        double i = usual * __builtin_popcountll(positive & in.usual);
        double j = usual * __builtin_popcountll(~positive & in.usual);
        for (std::uint64_t left = in.others; left != 0; left &= left - 1) {
          const int t = __builtin_ctzll(left);
          (positive >> t & 1 ? i : j) += weight[row + t];
        }
        const int64_t at = in.part * n_machines + m;
        seen.to_i[at] += i;
        seen.to_j[at] += j;
        const auto d = evaluation_.describe(value, n_panels, in.usual | in.others);
        seen.low[at] = std::min(seen.low[at], d.low);
        seen.high[at] = std::max(seen.high[at], d.high);
        seen.sum[at] += d.sum;
        seen.squares[at] += d.squares;
      }
      // Blocks begin at multiples of eight rows.
      if (seen.signs != nullptr)
        for (int64_t t = 0; t < n; t += 8)
          seen.signs[m * stride + (row + t) / 8] = static_cast<std::uint8_t>(positive >> t);
    }
  };
  each_block_of_values(X, begin, end, add);
}

void Engine::vote(const Rows& X, int64_t begin, int64_t end, int64_t n_classes,
                  int64_t* winner) const {
  std::vector<int32_t> votes(n_classes * most_block);
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

// The values of all machines at every row: votes, and what the table needs.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>

#include "predict/engine_parts.hpp"
#include "predict/row_values.hpp"

namespace dcsvm {

namespace {

constexpr int64_t most_block = std::max(vote_block, mapped_at_once);

// A mask of the first n of 64 lanes.
inline uint64_t lanes_below(int64_t n) { return n < 64 ? (uint64_t{1} << n) - 1 : ~uint64_t{0}; }
static_assert(most_block <= 64);

}  // namespace

// kernel[s][lane] = K(row first + lane, vector s) for n rows of X, lanes padded to panels.
template <class Real>
class Engine<Real>::KernelBlock {
 public:
  explicit KernelBlock(const Engine& engine)
      : engine_(engine),
        p_(engine.parameters_),
        loader_(p_),
        row_(engine),
        queries_(zeros<Real>(p_.query_width() * vote_block)),
        bias_(zeros<Real>(vote_block)) {
    if (engine.has_vectors()) return;
    all_.resize(p_.n_vectors);
    std::iota(all_.begin(), all_.end(), 0);
    of_row_.resize(p_.n_vectors);
  }

  void evaluate(const Rows& X, int64_t first, int64_t n, Real* kernel) {
    const int64_t n_panels = panels_for(n), panel_size = p_.n_features * panel_width;
    if (!engine_.has_vectors()) return evaluate_by_row(X, first, n, kernel);
    for (int64_t t = 0; t < n; ++t)
      bias_[t] = loader_.load(X, first + t,
                              queries_.get() + t / panel_width * panel_size + t % panel_width,
                              panel_width);
    engine_.evaluation_.kernel_panel(p_.form, queries_.get(), bias_.get(), n_panels, p_.vectors,
                                     p_.vector_bias, p_.n_vectors, p_.n_features, kernel);
  }

 private:
  void evaluate_by_row(const Rows& X, int64_t first, int64_t n, Real* kernel) {
    const int64_t width = padded(n);
    std::memset(kernel, 0, p_.n_vectors * width * sizeof(Real));
    for (int64_t t = 0; t < n; ++t) {
      const Real bias = loader_.load(X, first + t, queries_.get());
      row_.begin(queries_.get(), bias);
      row_.evaluate(all_.data(), p_.n_vectors, of_row_.data());
      for (int64_t s = 0; s < p_.n_vectors; ++s) kernel[s * width + t] = of_row_[s];
    }
  }

  const Engine& engine_;
  const EngineParameters<Real>& p_;
  Loader loader_;
  RowKernel row_;
  Aligned<Real> queries_, bias_;
  std::vector<int32_t> all_;
  std::vector<Real> of_row_;
};

// Calls consume(first row, number of rows, values[m][lane], lanes) for blocks of rows.
template <class Real>
template <class Consume>
void Engine<Real>::values_by_panel(const Rows& X, int64_t begin, int64_t end,
                                   Consume consume) const {
  const EngineParameters<Real>& p = parameters_;
  KernelBlock block(*this);
  const Aligned<Real> kernel = aligned<Real>(p.n_vectors * vote_block);
  const Aligned<Real> values = aligned<Real>(p.is_linear() ? 0 : p.n_machines * vote_block);
  for (int64_t first = begin; first < end; first += vote_block) {
    const int64_t n = std::min(vote_block, end - first);
    const int64_t n_panels = panels_for(n), width = n_panels * panel_width;
    block.evaluate(X, first, n, kernel.get());
    if (p.is_linear()) {
      for (int64_t m = 0; m < p.n_machines; ++m)
        for (int64_t t = 0; t < width; ++t)
          kernel[m * width + t] = static_cast<Real>(kernel[m * width + t] + p.intercept[m]);
      consume(first, n, kernel.get(), width);
    } else {
      evaluation_.weighted_sums(kernel.get(), n_panels, p.start, p.index, p.coef, p.intercept,
                                vote_order_.data(), p.n_machines, values.get());
      consume(first, n, values.get(), width);
    }
  }
}

// The same where no kernel value serves two machines.
template <class Real>
template <class Consume>
void Engine<Real>::values_by_machine(const Rows& X, int64_t begin, int64_t end,
                                     Consume consume) const {
  const EngineParameters<Real>& p = parameters_;
  std::vector<Real> q(mapped_at_once * p.n_features), bias(mapped_at_once);
  std::vector<Real> values(p.n_machines * mapped_at_once + panel_width);
  std::vector<double> value(mapped_at_once);
  std::vector<int32_t> all(mapped_at_once);
  for (int64_t t = 0; t < mapped_at_once; ++t) all[t] = static_cast<int32_t>(t);
  Loader loader(p);
  Scratch scratch{};
  for (int64_t first = begin; first < end; first += mapped_at_once) {
    const int64_t n = std::min(mapped_at_once, end - first);
    for (int64_t t = 0; t < n; ++t)
      bias[t] = loader.load(X, first + t, q.data() + t * p.n_features);
    const Queries<Real> queries{q.data(), bias.data(), p.n_features};
    for (int64_t m = 0; m < p.n_machines; ++m) {
      group_values(m, queries, all.data(), n, scratch, value.data());
      for (int64_t t = 0; t < n; ++t) values[m * n + t] = static_cast<Real>(value[t]);
    }
    consume(first, n, values.data(), n);
  }
}

template <class Real>
template <class Consume>
void Engine<Real>::each_block_of_values(const Rows& X, int64_t begin, int64_t end,
                                        Consume consume) const {
  if (parameters_.own_scale == nullptr || parameters_.is_linear())
    values_by_panel(X, begin, end, consume);
  else
    values_by_machine(X, begin, end, consume);
}

template <class Real>
void Engine<Real>::all_values(const Rows& X, int64_t begin, int64_t end, double* out) const {
  const int64_t n_rows = end - begin;
  const auto copy = [&](int64_t first, int64_t n, const Real* values, int64_t width) {
    for (int64_t m = 0; m < parameters_.n_machines; ++m)
      std::copy_n(values + m * width, n, out + m * n_rows + (first - begin));
  };
  each_block_of_values(X, begin, end, copy);
}

template <class Real>
void Engine<Real>::observe(const Rows& X, int64_t begin, int64_t end, const double* weight,
                           const int64_t* edges, int64_t n_parts, const Observed& seen) const {
  const int64_t n_machines = parameters_.n_machines, stride = (end - begin + 7) / 8;
  // Most rows have the same weight, and are counted by their bits; the others one by one.
  const double usual = begin < end ? *std::min_element(weight, weight + (end - begin)) : 0;
  const auto add = [&](int64_t first, int64_t n, const Real* values, int64_t width) {
    const int64_t row = first - begin;
    struct Overlap {
      int64_t part;
      uint64_t usual, others;
    };
    Overlap overlaps[most_block];
    int64_t n_overlaps = 0;
    for (int64_t part = 0; part < n_parts; ++part) {
      const int64_t low = std::max(edges[part] - row, int64_t{0});
      const int64_t high = std::min(edges[part + 1] - row, n);
      if (low >= high) continue;
      uint64_t others = 0;
      for (int64_t t = low; t < high; ++t)
        if (weight[row + t] != usual) others |= uint64_t{1} << t;
      overlaps[n_overlaps++] = {part, lanes_below(high) & ~lanes_below(low) & ~others, others};
    }
    const int64_t n_panels = panels_for(n);
    uint16_t bits[most_block / panel_width];
    for (int64_t m = 0; m < n_machines; ++m) {
      const Real* value = values + m * width;
      evaluation_.positive_lanes(value, n_panels, bits);
      uint64_t positive = 0;
      for (int64_t p = 0; p < n_panels; ++p) positive |= uint64_t{bits[p]} << p * panel_width;
      positive &= lanes_below(n);
      for (int64_t o = 0; o < n_overlaps; ++o) {
        const Overlap& in = overlaps[o];
        // Each side is summed by itself, so that a side without rows is exactly zero.
        double i = usual * __builtin_popcountll(positive & in.usual);
        double j = usual * __builtin_popcountll(~positive & in.usual);
        for (uint64_t left = in.others; left != 0; left &= left - 1) {
          const int t = __builtin_ctzll(left);
          (positive >> t & 1 ? i : j) += weight[row + t];
        }
        const int64_t at = in.part * n_machines + m;
        seen.to_i[at] += i;
        seen.to_j[at] += j;
        const auto d = evaluation_.describe(value, n_panels, in.usual | in.others);
        seen.low[at] = std::min(seen.low[at], static_cast<float>(d.low));
        seen.high[at] = std::max(seen.high[at], static_cast<float>(d.high));
        seen.sum[at] += d.sum;
        seen.squares[at] += d.squares;
      }
      // Blocks begin at multiples of eight rows.
      if (seen.signs != nullptr)
        for (int64_t t = 0; t < n; t += 8)
          seen.signs[m * stride + (row + t) / 8] = static_cast<uint8_t>(positive >> t);
    }
  };
  each_block_of_values(X, begin, end, add);
}

template <class Real>
void Engine<Real>::vote(const Rows& X, int64_t begin, int64_t end, int64_t n_classes,
                        int64_t* winner) const {
  std::vector<int32_t> votes(n_classes * most_block);
  const auto decide = [&](int64_t first, int64_t n, const Real* values, int64_t width) {
    std::fill(votes.begin(), votes.end(), 0);
    const Real* value = values;
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

// The values of all machines at every row: votes, and what the table needs.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <variant>

#include "predict/engine_parts.hpp"
#include "predict/row_values.hpp"

namespace dcsvm {

namespace {

// Bytes of kernel values of vectors j that should be found in the second-level cache.
constexpr int64_t cached_bytes = 384 << 10;

// The machines in an order in which the kernel values, at n rows, of as many classes j as the cache
// holds serve all classes i before the next are looked at.
template <class Real>
std::vector<int32_t> order_of_machines(const EngineParameters<Real>& p, int64_t n_rows) {
  std::vector<int32_t> order;
  int64_t k = 2;
  while (k * (k - 1) / 2 < p.n_machines) ++k;
  const int64_t bytes_of_class = p.n_vectors * n_rows * int64_t{sizeof(Real)} / k + 1;
  const int64_t at_once = std::max<int64_t>(1, cached_bytes / bytes_of_class);
  order.reserve(p.n_machines);
  for (int64_t begin = 0; begin < k; begin += at_once)
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = std::max(begin, i + 1); j < std::min(begin + at_once, k); ++j)
        order.push_back(static_cast<int32_t>(i * (2 * k - i - 1) / 2 + j - i - 1));
  return order;
}

// Keeps the values of a machine at n rows from `first` on.
template <class Real>
void keep_values(const KeptValues& kept, int32_t machine, int64_t first, int64_t n,
                 const Real* value) {
  if (kept.column[machine] < 0) return;
  double* to = kept.values + kept.column[machine] * kept.n_places;
  for (int64_t r = 0; r < n; ++r)
    if (kept.place[first + r] >= 0) to[kept.place[first + r]] = value[r];
}

}  // namespace

// kernel[s][lane] = K(row first + lane, vector s) for n rows of X, lanes padded to panels.
template <class Real>
class Engine<Real>::KernelBlock {
 public:
  KernelBlock(const Engine& engine, int64_t most_rows)
      : engine_(engine),
        p_(engine.parameters_),
        loader_(p_),
        row_(engine),
        queries_(zeros<Real>(p_.query_width() * most_rows)),
        bias_(zeros<Real>(most_rows)) {
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

// The values of all machines at blocks of rows, a few machines at a time so that their values stay
// in the cache: calls consume(machine, n_machines, values, width) with values[t][lane] those of
// machine[t], rows padded to `width` lanes.
template <class Real>
class Engine<Real>::AllValues {
 public:
  static constexpr int64_t machines_at_once = 64;

  // At most so many rows in a block, a multiple of the panel width.
  AllValues(const Engine& engine, int64_t most_rows)
      : engine_(engine),
        p_(engine.parameters_),
        by_machine_(p_.own_scale != nullptr && !p_.is_linear()),
        values_(aligned<Real>(machines_at_once * most_rows)) {
    if (by_machine_) {
      queries_.resize(most_rows * p_.n_features);
      bias_.resize(most_rows);
      value_.resize(most_rows);
      rows_.resize(most_rows);
      std::iota(rows_.begin(), rows_.end(), 0);
      return;
    }
    block_ = std::make_unique<KernelBlock>(engine, most_rows);
    kernel_ = aligned<Real>(p_.n_vectors * most_rows);
    if (!p_.is_linear()) order_ = order_of_machines(p_, most_rows);
  }

  template <class Consume>
  void at(const Rows& X, int64_t first, int64_t n, Consume consume) {
    if (by_machine_) return one_by_one(X, first, n, consume);
    const int64_t n_panels = panels_for(n), width = padded(n);
    block_->evaluate(X, first, n, kernel_.get());
    int32_t machine[machines_at_once];
    for (int64_t begin = 0; begin < p_.n_machines; begin += machines_at_once) {
      const int64_t n_machines = std::min(machines_at_once, p_.n_machines - begin);
      if (p_.is_linear()) {
        std::iota(machine, machine + n_machines, static_cast<int32_t>(begin));
        for (int64_t t = 0; t < n_machines * width; ++t)
          values_[t] =
              static_cast<Real>(kernel_[begin * width + t] + p_.intercept[begin + t / width]);
        consume(machine, n_machines, values_.get(), width);
        continue;
      }
      const int32_t* next = order_.data() + begin;
      engine_.evaluation_.weighted_sums(kernel_.get(), n_panels, p_.start, p_.index, p_.coef,
                                        p_.intercept, next, n_machines, values_.get());
      consume(next, n_machines, values_.get(), width);
    }
  }

 private:
  // Where no kernel value serves two machines.
  template <class Consume>
  void one_by_one(const Rows& X, int64_t first, int64_t n, Consume consume) {
    Loader loader(p_);
    for (int64_t t = 0; t < n; ++t)
      bias_[t] = loader.load(X, first + t, queries_.data() + t * p_.n_features);
    const Queries<Real> queries{queries_.data(), bias_.data(), p_.n_features};
    for (int32_t m = 0; m < p_.n_machines; ++m) {
      engine_.group_values(m, queries, rows_.data(), n, scratch_, value_.data());
      for (int64_t t = 0; t < n; ++t) values_[t] = static_cast<Real>(value_[t]);
      consume(&m, int64_t{1}, values_.get(), padded(n));
    }
  }

  const Engine& engine_;
  const EngineParameters<Real>& p_;
  const bool by_machine_;
  Aligned<Real> values_, kernel_;
  std::unique_ptr<KernelBlock> block_;
  std::vector<int32_t> order_;
  std::vector<Real> queries_, bias_;  // these to the end: where machines come one by one
  std::vector<double> value_;
  std::vector<int32_t> rows_;
  Scratch scratch_{};
};

template <class Real>
void Engine<Real>::all_values(const Rows& X, int64_t begin, int64_t end, double* out) const {
  AllValues values(*this, vote_block);
  for (int64_t first = begin; first < end; first += vote_block) {
    const int64_t n = std::min(vote_block, end - first);
    values.at(X, first, n,
              [&](const int32_t* machine, int64_t n_machines, const Real* value, int64_t width) {
                for (int64_t t = 0; t < n_machines; ++t)
                  std::copy_n(value + t * width, n,
                              out + machine[t] * (end - begin) + (first - begin));
              });
  }
}

// Calls visit(part, is_first, is_last, rows, machine, n_machines, values) for blocks of the rows of
// each part, a few machines at a time; machines are the innermost.
template <class Real>
template <class Visit>
void Engine<Real>::each_observed(const Rows& X, int64_t begin, int64_t end, const double* weight,
                                 const int64_t* edges, int64_t n_parts, const KeptValues* kept,
                                 Visit visit) const {
  // Most rows have the same weight, and are counted by their bits; the others one by one.
  const double usual = begin < end ? *std::min_element(weight, weight + (end - begin)) : 0;
  AllValues values(*this, observed_panels * panel_width);
  for (int64_t part = 0; part < n_parts; ++part) {
    const int64_t n_panels = panels_for(edges[part + 1] - edges[part]);
    const int64_t n_blocks = (n_panels + observed_panels - 1) / observed_panels;
    for (int64_t block = 0, row = edges[part]; block < n_blocks; ++block) {
      // Blocks of about the same number of panels.
      const int64_t until = edges[part] + (block + 1) * n_panels / n_blocks * panel_width;
      const int64_t n = std::min(until, edges[part + 1]) - row;
      uint16_t filled[observed_panels] = {}, as_usual[observed_panels] = {};
      for (int64_t t = 0; t < n; ++t) {
        const auto bit = static_cast<uint16_t>(1u << t % panel_width);
        filled[t / panel_width] |= bit;
        if (weight[row + t] == usual) as_usual[t / panel_width] |= bit;
      }
      const ObservedRows rows{panels_for(n), filled, as_usual, usual, weight + row, row};
      values.at(X, begin + row, n,
                [&](const int32_t* machine, int64_t n_machines, const Real* value, int64_t width) {
                  visit(part, block == 0, block == n_blocks - 1, rows, machine, n_machines, value);
                  if (kept == nullptr) return;
                  for (int64_t t = 0; t < n_machines; ++t)
                    keep_values(*kept, machine[t], row, n, value + t * width);
                });
      row += n;
    }
  }
}

template <class Real>
void Engine<Real>::observe(const Rows& X, int64_t begin, int64_t end, const double* weight,
                           const int64_t* edges, int64_t n_parts, const Observed& seen,
                           const KeptValues* kept) const {
  each_observed(X, begin, end, weight, edges, n_parts, kept,
                [&](int64_t part, bool, bool, const ObservedRows& rows, const int32_t* machine,
                    int64_t n_machines, const Real* values) {
                  const int64_t at = part * parameters_.n_machines;
                  const Observed here{seen.to_i + at, seen.to_j + at,     seen.low + at,
                                      seen.high + at, seen.sum + at,      seen.squares + at,
                                      seen.signs,     seen.bytes_of_signs};
                  evaluation_.describe(values, rows, machine, machine, n_machines, here);
                });
}

// What has been seen of a class so far: of all machines, or, of a class of one block, of those at
// hand.
template <class Real>
class Engine<Real>::ClassObserver {
 public:
  ClassObserver(const Engine& engine, const ClassEntries& entries, uint8_t* signs,
                int64_t bytes_of_signs)
      : engine_(engine), entries_(entries), signs_(signs), bytes_of_signs_(bytes_of_signs) {
    std::iota(in_order_, in_order_ + most_at_hand, 0);
  }

  void see(int64_t part, int64_t n_rows, bool is_first, bool is_last, const ObservedRows& rows,
           const int32_t* machine, int64_t n_machines, const Real* values) {
    const int32_t* place = is_first && is_last ? in_order_ : machine;
    Statistics& here = is_first && is_last ? at_hand_ : all_;
    here.resize(place == in_order_ ? most_at_hand : engine_.parameters_.n_machines);
    for (int64_t t = 0; is_first && t < n_machines; ++t) here.clear(place[t]);
    const Observed seen{here.to_i.data(), here.to_j.data(),    here.low.data(), here.high.data(),
                        here.sum.data(),  here.squares.data(), signs_,          bytes_of_signs_};
    engine_.evaluation_.describe(values, rows, machine, place, n_machines, seen);
    if (is_last) write(part, n_rows, here, place, machine, n_machines);
  }

 private:
  static constexpr int64_t most_at_hand = AllValues::machines_at_once;

  struct Statistics {
    std::vector<double> to_i, to_j, sum, squares;
    std::vector<float> low, high;

    void resize(int64_t n) {
      if (static_cast<int64_t>(low.size()) == n) return;
      for (std::vector<double>* numbers : {&to_i, &to_j, &sum, &squares}) numbers->resize(n);
      for (std::vector<float>* numbers : {&low, &high}) numbers->resize(n);
    }
    void clear(int64_t at) {
      to_i[at] = to_j[at] = sum[at] = squares[at] = 0;
      low[at] = std::numeric_limits<float>::infinity();
      high[at] = -low[at];
    }
  };

  void write(int64_t part, int64_t n_rows, const Statistics& here, const int32_t* place,
             const int32_t* machine, int64_t n_machines) {
    const int64_t first = part * engine_.parameters_.n_machines;
    for (int64_t t = 0; place != in_order_ && t < n_machines; ++t) {
      at_hand_.resize(most_at_hand);
      at_hand_.low[t] = here.low[place[t]];
      at_hand_.high[t] = here.high[place[t]];
      at_hand_.sum[t] = here.sum[place[t]];
      at_hand_.squares[t] = here.squares[place[t]];
    }
    uint16_t low[most_at_hand], high[most_at_hand], spread[most_at_hand];
    engine_.set_.summarise(
        {at_hand_.low.data(), at_hand_.high.data(), at_hand_.sum.data(), at_hand_.squares.data()},
        n_machines, n_rows, {low, high, spread});
    for (int64_t t = 0; t < n_machines; ++t) {
      entries_.ranges.low[first + machine[t]] = low[t];
      entries_.ranges.high[first + machine[t]] = high[t];
      entries_.ranges.spread[first + machine[t]] = spread[t];
    }
    std::visit(
        [&](auto* counts) {
          using Count = std::decay_t<decltype(*counts)>;
          for (int64_t t = 0; t < n_machines; ++t) {
            Count* to = counts + 2 * (first + machine[t]);
            to[0] = static_cast<Count>(here.to_i[place[t]]);
            to[1] = static_cast<Count>(here.to_j[place[t]]);
          }
        },
        entries_.counts);
  }

  const Engine& engine_;
  const ClassEntries& entries_;
  uint8_t* signs_;
  int64_t bytes_of_signs_;
  Statistics all_, at_hand_;
  int32_t in_order_[most_at_hand];
};

template <class Real>
void Engine<Real>::observe_classes(const Rows& X, int64_t begin, int64_t end, const double* weight,
                                   const int64_t* edges, int64_t n_parts,
                                   const ClassEntries& entries, uint8_t* signs,
                                   int64_t bytes_of_signs, const KeptValues* kept) const {
  ClassObserver observer(*this, entries, signs, bytes_of_signs);
  each_observed(X, begin, end, weight, edges, n_parts, kept,
                [&](int64_t part, bool is_first, bool is_last, const ObservedRows& rows,
                    const int32_t* machine, int64_t n_machines, const Real* values) {
                  observer.see(part, edges[part + 1] - edges[part], is_first, is_last, rows,
                               machine, n_machines, values);
                });
}

template <class Real>
void Engine<Real>::vote(const Rows& X, int64_t begin, int64_t end, int64_t n_classes,
                        int64_t* winner) const {
  std::vector<int32_t> votes(n_classes * vote_block), pair;
  pair.reserve(2 * parameters_.n_machines);
  for (int32_t i = 0; i < n_classes; ++i)
    for (int32_t j = i + 1; j < n_classes; ++j) pair.insert(pair.end(), {i, j});
  AllValues values(*this, vote_block);
  for (int64_t first = begin; first < end; first += vote_block) {
    const int64_t n = std::min(vote_block, end - first);
    std::fill(votes.begin(), votes.end(), 0);
    values.at(X, first, n,
              [&](const int32_t* machine, int64_t n_machines, const Real* value, int64_t width) {
                for (int64_t m = 0; m < n_machines; ++m, value += width) {
                  int32_t* for_i = votes.data() + pair[2 * machine[m]] * width;
                  int32_t* for_j = votes.data() + pair[2 * machine[m] + 1] * width;
                  for (int64_t t = 0; t < width; ++t) {
                    const int32_t to_i = value[t] > 0;
                    for_i[t] += to_i;
                    for_j[t] += 1 - to_i;
                  }
                }
              });
    const int64_t width = padded(n);
    for (int64_t t = 0; t < n; ++t) {
      int64_t best = 0;
      for (int64_t c = 1; c < n_classes; ++c)
        if (votes[c * width + t] > votes[best * width + t]) best = c;
      winner[first - begin + t] = best;
    }
  }
}

}  // namespace dcsvm

// The scores of classes and their elimination, see elimination.hpp.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "predict/candidates.hpp"
#include "predict/engine_parts.hpp"
#include "predict/groups.hpp"
#include "predict/row_values.hpp"

namespace dcsvm {

namespace {

// Fewer rows than this are not worth sorting by machine.
constexpr int64_t worth_grouping = 8;
// Rows that are scored at a time.
constexpr int64_t scored_at_once = 64;
// With so many machines few rows wait for the same one at a time, and with so many features a
// kernel value is worth keeping for the next machine.
constexpr int64_t many_machines = 1000, many_features = 48;

}  // namespace

template <class Real>
bool Engine<Real>::keeps_values() const {
  const EngineParameters<Real>& p = parameters_;
  if (!has_vectors()) return true;
  return p.n_machines >= many_machines && p.n_features >= many_features && p.own_scale == nullptr &&
         !p.is_linear();
}

template <class Real>
void Engine<Real>::values_by_row(const Rows& X, const int64_t* row, const int32_t* machine,
                                 int64_t n, double* out) const {
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return row[a] < row[b]; });
  std::vector<Real> q(parameters_.query_width());
  Loader loader(parameters_);
  RowValues values(*this);
  for (int64_t t = 0; t < n; ++t) {
    const int64_t at = order[t];
    if (t == 0 || row[at] != row[order[t - 1]]) {
      const Real bias = loader.load(X, row[at], q.data());
      values.begin(q.data(), bias);
    }
    out[at] = values.value(machine[at]);
  }
}

template <class Real>
const Real* Engine<Real>::padded_vectors() const {
  const EngineParameters<Real>& p = parameters_;
  if (p.n_features % panel_width == 0) return p.vectors;
  if (const Real* made = padded_.load(std::memory_order_acquire)) return made;
  const int64_t width = padded(p.n_features);
  Aligned<Real> made = zeros<Real>(p.n_vectors * width);
  for (int64_t s = 0; s < p.n_vectors; ++s)
    std::memcpy(made.get() + s * width, p.vectors + s * p.n_features, p.n_features * sizeof(Real));
  Real* first = nullptr;
  if (padded_.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel))
    return made.release();
  return first;  // of another thread
}

// values[t][l] = K(query t, landmark l), padded to panels of landmarks.
template <class Real>
void Engine<Real>::landmark_values(const ShortlistView<Real>& shortlist,
                                   const Queries<Real>& queries, int64_t n, Real* values) const {
  const EngineParameters<Real>& p = parameters_;
  if (has_vectors()) {
    evaluation_.kernel_panel(p.form, shortlist.landmark_panels, shortlist.landmark_bias,
                             panels_for(shortlist.n_landmarks), queries.rows, queries.bias, n,
                             p.n_features, values);
    return;
  }
  const int64_t length = shortlist.length(p.n_features);
  RowKernel row(*this);
  std::vector<Real> kernel(p.n_vectors);
  for (int64_t t = 0; t < n; ++t) {
    row.begin(queries.rows + t * queries.n_features, queries.bias[t]);
    row.evaluate(shortlist.landmark, shortlist.n_landmarks, kernel.data());
    for (int64_t l = 0; l < shortlist.n_landmarks; ++l)
      values[t * length + l] = kernel[shortlist.landmark[l]];
  }
}

template <class Real>
void Engine<Real>::score(const ShortlistView<Real>& shortlist, const Rows& X, int64_t begin,
                         int64_t end, float* scores) const {
  const EngineParameters<Real>& p = parameters_;
  const int64_t width = shortlist.n_panels * panel_width, query_width = p.query_width();
  const int64_t length = shortlist.length(p.n_features);
  const int64_t at_once = std::min(scored_at_once, end - begin);
  std::vector<Real> q(at_once * query_width + panel_width), bias(at_once);
  std::vector<Real> values(at_once * length + panel_width), none(std::max(width, at_once), Real{0});
  std::vector<Real> sums(at_once * width);
  const FormParameters linear{Form::identity, 0.0, 0};
  Loader loader(p);
  for (int64_t first = begin; first < end; first += at_once) {
    const int64_t n = std::min(at_once, end - first);
    for (int64_t t = 0; t < n; ++t) bias[t] = loader.load(X, first + t, q.data() + t * query_width);
    const Queries<Real> queries{q.data(), bias.data(), query_width};
    const Real* numbers = q.data();
    if (shortlist.landmark != nullptr) {
      landmark_values(shortlist, queries, n, values.data());
      numbers = values.data();
    } else if (shortlist.quadratic) {
      for (int64_t t = 0; t < n; ++t)
        evaluation_.multiply_out(q.data() + t * query_width, query_width,
                                 values.data() + t * length);
      numbers = values.data();
    }
    evaluation_.kernel_panel(linear, shortlist.weights, none.data(), shortlist.n_panels, numbers,
                             none.data(), n, length, sums.data());
    float* out = scores + (first - begin) * width;
    for (int64_t t = 0; t < n; ++t)
      for (int64_t c = 0; c < width; ++c)
        out[t * width + c] = static_cast<float>(sums[t * width + c] + shortlist.intercept[c]);
  }
}

template <class Real>
void Engine<Real>::eliminate(const LevelsView& levels, const Rows& X, int64_t begin, int64_t end,
                             float gap, float* scores, int64_t* leaf, int64_t* n_evaluated) const {
  const EngineParameters<Real>& p = parameters_;
  const int64_t n = end - begin;
  Candidates candidates(levels, set_, gap, scores, n);
  std::vector<Real> q(n * p.query_width()), bias(n);
  Loader loader(p);
  for (int64_t row = 0; row < n; ++row)
    if (candidates.has_challenger(row))
      bias[row] = loader.load(X, begin + row, q.data() + row * p.query_width());
  const Queries<Real> queries{q.data(), bias.data(), p.query_width()};
  if (keeps_values())
    eliminate_by_row(candidates, queries, n, leaf);
  else
    eliminate_together(candidates, queries, n, leaf);
  if (n_evaluated == nullptr) return;
  for (int64_t row = 0; row < n; ++row) n_evaluated[row] += candidates.n_evaluated(row);
}

template <class Real>
void Engine<Real>::eliminate_by_row(Candidates& candidates, const Queries<Real>& queries, int64_t n,
                                    int64_t* leaf) const {
  RowValues values(*this);
  const auto value_of = [&](int64_t machine) { return values.value(machine); };
  for (int32_t row = 0; row < n; ++row) {
    if (candidates.has_challenger(row))
      values.begin(queries.rows + row * queries.n_features, queries.bias[row]);
    while (candidates.has_challenger(row)) {
      const int64_t machine = candidates.machine(row);
      const double value = value_of(machine);
      candidates.decide(machine, &row, &value, 1);
    }
    leaf[row] = candidates.vote(row, value_of);
  }
}

// Round by round; the rows that wait for a machine are evaluated together.
template <class Real>
void Engine<Real>::eliminate_together(Candidates& candidates, const Queries<Real>& queries,
                                      int64_t n, int64_t* leaf) const {
  std::vector<int32_t> under_way, going_on;
  for (int32_t row = 0; row < n; ++row)
    if (candidates.has_challenger(row)) under_way.push_back(row);
  Scratch scratch{};
  std::vector<double> value;
  const auto evaluate = [&](int64_t machine, const int32_t* rows, int64_t n_rows) {
    for (int64_t t = 0; t < n_rows; ++t) candidates.prefetch(rows[t]);
    value.resize(n_rows);
    group_values(machine, queries, rows, n_rows, scratch, value.data());
    candidates.decide(machine, rows, value.data(), n_rows);
    for (int64_t t = 0; t < n_rows; ++t)
      if (candidates.has_challenger(rows[t])) going_on.push_back(rows[t]);
  };
  const auto machine_of = [&](int32_t row) {
    return static_cast<int32_t>(candidates.machine(row));
  };
  const bool grouped = n >= worth_grouping;
  Groups groups(grouped ? parameters_.n_machines : 0);
  for (; !under_way.empty(); under_way.swap(going_on)) {
    going_on.clear();
    if (grouped)
      groups.each(under_way, machine_of, evaluate);
    else
      for (const int32_t row : under_way) evaluate(machine_of(row), &row, 1);
  }
  for (int32_t row = 0; row < n; ++row)
    leaf[row] = candidates.vote(row, [&](int64_t machine) {
      double v;
      group_values(machine, queries, &row, 1, scratch, &v);
      return v;
    });
}

template <class Real>
void Engine<Real>::try_out(const RangesView& ranges, const Rows& X, int64_t begin, int64_t end,
                           float gap, const float* scores, std::vector<int64_t>& start,
                           std::vector<int32_t>& machine) const {
  const EngineParameters<Real>& p = parameters_;
  Loader loader(p);
  std::vector<Real> q(p.query_width());
  Scratch scratch{};
  RowValues values(*this);
  TrialRow row(ranges);
  const bool shares_values = !p.is_linear() && p.own_scale == nullptr;
  const int32_t only = 0;
  start.assign(1, 0);
  for (int64_t r = begin; r < end; ++r, scores += ranges.n_classes) {
    const Real bias = loader.load(X, r, q.data());
    const Queries<Real> query{q.data(), &bias, p.query_width()};
    if (shares_values) values.begin(q.data(), bias);
    const auto value_of = [&](int64_t m) {
      if (shares_values) return values.value(m);
      double value;
      group_values(m, query, &only, 1, scratch, &value);
      return value;
    };
    row.follow(scores, gap, value_of, machine);
    start.push_back(static_cast<int64_t>(machine.size()));
  }
}

}  // namespace dcsvm

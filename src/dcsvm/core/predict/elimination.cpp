#include "predict/elimination.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "predict/candidates.hpp"
#include "predict/engine.hpp"
#include "predict/engine_parts.hpp"
#include "predict/groups.hpp"

namespace dcsvm {

using std::int32_t;
using std::int64_t;

namespace {

// Fewer rows than this are not worth sorting by machine.
constexpr int64_t worth_grouping = 8;
// Rows that are scored at a time.
constexpr int64_t scored_at_once = 64;
// With so many machines few rows ask the same one at a time, and with so many features a kernel
// value is worth keeping for the next machine.
constexpr int64_t many_machines = 1000, many_features = 48;

// Kernel values of the row in hand. A thread keeps them for the next: to forget them is to count
// on.
struct KernelValues {
  std::vector<float> value;
  std::vector<std::uint32_t> row_of;
  std::uint32_t row = 0;

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

thread_local KernelValues kernel_values;

}  // namespace

// The values of machines at one row after the other, where every kernel value is computed once.
class Engine::RowValues {
 public:
  explicit RowValues(const Engine& engine)
      : engine_(engine),
        n_blocks_((engine.parameters_.n_features + panel_width - 1) / panel_width),
        query_(aligned<float>(n_blocks_ * panel_width)),
        known_(kernel_values) {
    std::memset(query_.get(), 0, n_blocks_ * panel_width * sizeof(float));
  }

  void begin(const float* query, float bias) {
    known_.next_row(engine_.parameters_.n_vectors);
    bias_ = bias;
    std::memcpy(query_.get(), query, engine_.parameters_.n_features * sizeof(float));
  }

  double value(int64_t machine) {
    const EngineParameters& p = engine_.parameters_;
    const int64_t first = p.start[machine], last = p.start[machine + 1];
    missing_.clear();
    for (int64_t e = first; e < last; ++e) {
      if (known_.row_of[p.index[e]] == known_.row) continue;
      known_.row_of[p.index[e]] = known_.row;
      missing_.push_back(p.index[e]);
    }
    engine_.evaluation_.indexed_kernel(p.form, engine_.padded_vectors(), p.vector_bias, n_blocks_,
                                       missing_.data(), missing_.size(), query_.get(), bias_,
                                       known_.value.data());
    double sum[4] = {p.intercept[machine], 0, 0, 0};
    for (int64_t e = first; e < last; ++e)
      sum[(e - first) % 4] += static_cast<double>(p.coef[e]) * known_.value[p.index[e]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

 private:
  const Engine& engine_;
  const int64_t n_blocks_;
  Aligned<float> query_;
  float bias_ = 0;
  KernelValues& known_;
  std::vector<int32_t> missing_;
};

bool Engine::keeps_values() const {
  const EngineParameters& p = parameters_;
  return p.n_machines >= many_machines && p.n_features >= many_features && p.own_scale == nullptr &&
         p.form.form != Form::identity;
}

void Engine::values_by_row(const Rows& X, const int64_t* row, const int32_t* machine, int64_t n,
                           double* out) const {
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return row[a] < row[b]; });
  std::vector<float> q(parameters_.n_features);
  Loader loader(parameters_);
  RowValues values(*this);
  for (int64_t t = 0; t < n; ++t) {
    const int64_t at = order[t];
    if (t == 0 || row[at] != row[order[t - 1]]) {
      const float bias = loader.load(X, row[at], q.data());
      values.begin(q.data(), bias);
    }
    out[at] = values.value(machine[at]);
  }
}

const float* Engine::padded_vectors() const {
  const EngineParameters& p = parameters_;
  if (p.n_features % panel_width == 0) return p.vectors;
  std::call_once(padding_, [&] {
    const int64_t width = (p.n_features + panel_width - 1) / panel_width * panel_width;
    padded_ = aligned<float>(p.n_vectors * width);
    std::memset(padded_.get(), 0, p.n_vectors * width * sizeof(float));
    for (int64_t s = 0; s < p.n_vectors; ++s)
      std::memcpy(padded_.get() + s * width, p.vectors + s * p.n_features,
                  p.n_features * sizeof(float));
  });
  return padded_.get();
}

void Engine::score(const ScorerView& scorer, const Rows& X, int64_t begin, int64_t end,
                   float* scores) const {
  const EngineParameters& p = parameters_;
  const int64_t width = scorer.n_panels * panel_width;
  const int64_t length = scorer.length(p.n_features);
  const int64_t at_once = std::min(scored_at_once, end - begin);
  std::vector<float> q(at_once * p.n_features + panel_width), bias(at_once);
  std::vector<float> values(at_once * length + panel_width), none(std::max(width, at_once), 0.0f);
  const FormParameters linear{Form::identity, 0.0f, 0};
  Loader loader(p);
  for (int64_t first = begin; first < end; first += at_once) {
    const int64_t n = std::min(at_once, end - first);
    for (int64_t t = 0; t < n; ++t)
      bias[t] = loader.load(X, first + t, q.data() + t * p.n_features);
    const float* features = q.data();
    if (scorer.landmarks != nullptr) {
      evaluation_.kernel_panel(p.form, scorer.landmarks, scorer.landmark_bias,
                               scorer.n_landmark_panels, q.data(), bias.data(), n, p.n_features,
                               values.data());
      features = values.data();
    } else if (scorer.quadratic) {
      for (int64_t t = 0; t < n; ++t)
        evaluation_.multiply_out(q.data() + t * p.n_features, p.n_features,
                                 values.data() + t * length);
      features = values.data();
    }
    float* out = scores + (first - begin) * width;
    evaluation_.kernel_panel(linear, scorer.weights, none.data(), scorer.n_panels, features,
                             none.data(), n, length, out);
    for (int64_t t = 0; t < n; ++t)
      for (int64_t c = 0; c < width; ++c) out[t * width + c] += scorer.intercept[c];
  }
}

void Engine::eliminate(const LevelsView& levels, const Rows& X, int64_t begin, int64_t end,
                       float gap, float* scores, int64_t* leaf, int64_t* asked) const {
  const EngineParameters& p = parameters_;
  const int64_t n = end - begin;
  Candidates candidates(levels, set_, gap, scores, n);
  std::vector<float> q(n * p.n_features), bias(n);
  Loader loader(p);
  for (int64_t row = 0; row < n; ++row)
    if (candidates.has_challenger(row))
      bias[row] = loader.load(X, begin + row, q.data() + row * p.n_features);
  const Queries<float> queries{q.data(), bias.data(), p.n_features};
  if (keeps_values())
    eliminate_by_row(candidates, queries, n, leaf);
  else
    eliminate_together(candidates, queries, n, leaf);
  if (asked == nullptr) return;
  for (int64_t row = 0; row < n; ++row) asked[row] += candidates.n_asked(row);
}

void Engine::eliminate_by_row(Candidates& candidates, const Queries<float>& queries, int64_t n,
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

// Round by round, the rows that wait for a machine asking it together.
void Engine::eliminate_together(Candidates& candidates, const Queries<float>& queries, int64_t n,
                                int64_t* leaf) const {
  std::vector<int32_t> under_way, going_on;
  for (int32_t row = 0; row < n; ++row)
    if (candidates.has_challenger(row)) under_way.push_back(row);
  Scratch scratch{};
  std::vector<double> value;
  const auto ask = [&](int64_t machine, const int32_t* rows, int64_t n_rows) {
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
      groups.each(under_way, machine_of, ask);
    else
      for (const int32_t row : under_way) ask(machine_of(row), &row, 1);
  }
  for (int32_t row = 0; row < n; ++row)
    leaf[row] = candidates.vote(row, [&](int64_t machine) {
      double v;
      group_values(machine, queries, &row, 1, scratch, &v);
      return v;
    });
}

}  // namespace dcsvm

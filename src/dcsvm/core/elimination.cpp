#include "elimination.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "engine.hpp"
#include "engine_parts.hpp"
#include "groups.hpp"

namespace dcsvm {

using std::int32_t;
using std::int64_t;

namespace {

constexpr float no_score = -std::numeric_limits<float>::infinity();

// Scores that overflow are the highest or the lowest there are; what is no number is the lowest.
inline float finite(float score) {
  constexpr float highest = std::numeric_limits<float>::max();
  return std::min(highest, std::max(-highest, score));
}

// Fewer rows than this are not worth sorting by machine.
constexpr int64_t worth_grouping = 8;
// Rows that are scored at a time.
constexpr int64_t scored_at_once = 64;
// With so many machines few rows ask the same one at a time, and with so many features a kernel
// value is worth keeping for the next machine.
constexpr int64_t many_machines = 1000, many_features = 48;

// A close decision that is not the last word.
struct CloseDecision {
  int32_t loser, machine;
  double value;
};

// Those that a row has set aside.
struct Aside {
  std::array<CloseDecision, most_aside> decision;
  int n = 0;

  void add(const CloseDecision& d) {
    if (n < most_aside) decision[n++] = d;
  }

  void keep_plausible(const LevelsView& levels, int64_t machine, int level) {
    const int64_t at = machine * levels.n_panels * panel_width;
    int kept = 0;
    for (int a = 0; a < n; ++a) {
      const int32_t c = decision[a].loser;
      if (levels.low[at + c] <= level && level <= levels.high[at + c])
        decision[kept++] = decision[a];
    }
    n = kept;
  }
};

// The winner among the champion and those set aside; values not known yet are asked for.
template <class Value>
int64_t final_vote(const LevelsView& levels, int64_t champion, const CloseDecision* aside, int n,
                   Value value_of) {
  std::array<int64_t, most_aside + 1> left;
  for (int a = 0; a < n; ++a) left[a] = aside[a].loser;
  left[n] = champion;
  std::sort(left.begin(), left.begin() + n + 1);
  std::array<double, most_aside + 1> votes{};
  for (int x = 0; x <= n; ++x)
    for (int y = x + 1; y <= n; ++y) {
      const int64_t machine = levels.machine_of(left[x], left[y]);
      const auto* known = std::find_if(
          aside, aside + n, [&](const CloseDecision& d) { return d.machine == machine; });
      const double v = known == aside + n ? value_of(machine) : known->value;
      (v > 0 ? votes[x] : votes[y]) += 1;
      votes[x] += value_in_votes * std::clamp(v, -1.0, 1.0);
      votes[y] -= value_in_votes * std::clamp(v, -1.0, 1.0);
    }
  return left[std::max_element(votes.begin(), votes.begin() + n + 1) - votes.begin()];
}

}  // namespace

// The values of machines at one row after the other, where every kernel value is computed once.
class Engine::RowValues {
 public:
  explicit RowValues(const Engine& engine)
      : engine_(engine),
        n_blocks_((engine.parameters_.n_features + panel_width - 1) / panel_width),
        query_(aligned_floats(n_blocks_ * panel_width)),
        kernel_(engine.parameters_.n_vectors),
        row_of_(engine.parameters_.n_vectors, -1) {
    std::memset(query_.get(), 0, n_blocks_ * panel_width * sizeof(float));
  }

  void begin(int64_t row, const float* query, float bias) {
    row_ = row;
    bias_ = bias;
    std::memcpy(query_.get(), query, engine_.parameters_.n_features * sizeof(float));
  }

  double value(int64_t machine) {
    const EngineParameters& p = engine_.parameters_;
    const int64_t first = p.start[machine], last = p.start[machine + 1];
    missing_.clear();
    for (int64_t e = first; e < last; ++e) {
      if (row_of_[p.index[e]] == row_) continue;
      row_of_[p.index[e]] = row_;
      missing_.push_back(p.index[e]);
    }
    engine_.evaluation_.indexed_kernel(p.form, engine_.padded_vectors(), p.vector_bias, n_blocks_,
                                       missing_.data(), missing_.size(), query_.get(), bias_,
                                       kernel_.data());
    double sum[4] = {p.intercept[machine], 0, 0, 0};
    for (int64_t e = first; e < last; ++e)
      sum[(e - first) % 4] += static_cast<double>(p.coef[e]) * kernel_[p.index[e]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

 private:
  const Engine& engine_;
  const int64_t n_blocks_;
  AlignedFloats query_;
  float bias_ = 0;
  int64_t row_ = -1;
  std::vector<float> kernel_;
  std::vector<int64_t> row_of_;  // the row that a kernel value is of
  std::vector<int32_t> missing_;
};

const float* Engine::padded_vectors() const {
  const EngineParameters& p = parameters_;
  if (p.n_features % panel_width == 0) return p.vectors;
  std::call_once(padding_, [&] {
    const int64_t width = (p.n_features + panel_width - 1) / panel_width * panel_width;
    padded_ = aligned_floats(p.n_vectors * width);
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
  const int64_t n_values = scorer.n_landmark_panels * panel_width;
  std::vector<float> q(scored_at_once * p.n_features), bias(scored_at_once);
  std::vector<float> kernel(scored_at_once * n_values), none(std::max(width, scored_at_once), 0.0f);
  const FormParameters linear{Form::identity, 0.0f, 0};
  Loader loader(p);
  for (int64_t first = begin; first < end; first += scored_at_once) {
    const int64_t n = std::min(scored_at_once, end - first);
    for (int64_t t = 0; t < n; ++t)
      bias[t] = loader.load(X, first + t, q.data() + t * p.n_features);
    const float* features = q.data();
    int64_t n_features = p.n_features;
    if (scorer.landmarks != nullptr) {
      evaluation_.kernel_panel(p.form, scorer.landmarks, scorer.landmark_bias,
                               scorer.n_landmark_panels, q.data(), bias.data(), n, p.n_features,
                               kernel.data());
      features = kernel.data();
      n_features = n_values;
    }
    float* out = scores + (first - begin) * width;
    evaluation_.kernel_panel(linear, scorer.weights, none.data(), scorer.n_panels, features,
                             none.data(), n, n_features, out);
    for (int64_t t = 0; t < n; ++t)
      for (int64_t c = 0; c < width; ++c) out[t * width + c] += scorer.intercept[c];
  }
}

void Engine::eliminate(const LevelsView& levels, const Rows& X, int64_t begin, int64_t end,
                       float gap, float* scores, int64_t* leaf) const {
  const EngineParameters& p = parameters_;
  const int64_t n = end - begin, width = levels.n_panels * panel_width;
  std::vector<float> q(n * p.n_features), bias(n);
  std::vector<int32_t> challenger(n), under_way, going_on;
  Loader loader(p);
  for (int64_t t = 0; t < n; ++t) {
    float* score = scores + t * width;
    for (int64_t c = 0; c < levels.n_classes; ++c) score[c] = finite(score[c]);
    std::fill(score + levels.n_classes, score + width, no_score);
    challenger[t] =
        static_cast<int32_t>(evaluation_.open_candidates(score, gap, levels.n_panels, &leaf[t]));
    if (challenger[t] < 0) continue;
    under_way.push_back(static_cast<int32_t>(t));
    bias[t] = loader.load(X, begin + t, q.data() + t * p.n_features);
  }
  const Queries queries{q.data(), bias.data(), p.n_features};
  Scratch scratch{};
  std::vector<double> value;
  std::vector<Aside> aside;
  std::vector<int32_t> aside_of(n, -1);  // where in aside; few rows have any
  const auto decide = [&](int32_t t, int64_t machine, double v) {
    const int64_t first = std::min<int64_t>(leaf[t], challenger[t]);
    const int64_t second = std::max<int64_t>(leaf[t], challenger[t]);
    const int64_t loser = v > 0 ? second : first;
    float* score = scores + t * width;
    leaf[t] = v > 0 ? first : second;
    score[loser] = no_score;
    const int64_t at = machine * width;
    const int level = levels.level(machine, v);
    if (aside_of[t] >= 0) aside[aside_of[t]].keep_plausible(levels, machine, level);
    if (std::abs(v) < close_value) {
      if (aside_of[t] < 0) {
        aside_of[t] = static_cast<int32_t>(aside.size());
        aside.emplace_back();
      }
      aside[aside_of[t]].add({static_cast<int32_t>(loser), static_cast<int32_t>(machine), v});
    }
    challenger[t] = static_cast<int32_t>(evaluation_.keep_plausible(
        score, levels.low + at, levels.high + at, level, leaf[t], levels.n_panels));
    return challenger[t] >= 0;
  };
  const auto vote_of_row = [&](int32_t t, auto value_of) {
    if (aside_of[t] < 0) return;
    const Aside& of_row = aside[aside_of[t]];
    if (of_row.n > 0)
      leaf[t] = final_vote(levels, leaf[t], of_row.decision.data(), of_row.n, value_of);
  };
  const auto alone = [&](int32_t t, auto value_of) {
    int64_t machine;
    do machine = levels.machine_of(leaf[t], challenger[t]);
    while (decide(t, machine, value_of(machine)));
    vote_of_row(t, value_of);
  };
  if (p.n_machines >= many_machines && p.n_features >= many_features && p.own_scale == nullptr &&
      p.form.form != Form::identity) {
    // Rows that begin alike ask for the same support vectors: they are found in the cache.
    std::sort(under_way.begin(), under_way.end(), [&](int32_t a, int32_t b) {
      return std::make_pair(leaf[a], challenger[a]) < std::make_pair(leaf[b], challenger[b]);
    });
    RowValues values(*this);
    for (const int32_t t : under_way) {
      values.begin(t, q.data() + t * p.n_features, bias[t]);
      alone(t, [&](int64_t machine) { return values.value(machine); });
    }
    return;
  }
  const auto value_at = [&](int32_t t) {
    return [&, t](int64_t machine) {
      double v;
      group_values(machine, queries, &t, 1, scratch, &v);
      return v;
    };
  };
  if (n < worth_grouping) {
    for (const int32_t t : under_way) alone(t, value_at(t));
    return;
  }
  Groups groups(p.n_machines);
  while (!under_way.empty()) {
    going_on.clear();
    groups.gather(under_way, [&](int32_t t) {
      return static_cast<int32_t>(levels.machine_of(leaf[t], challenger[t]));
    });
    groups.each(under_way, [&](int32_t m, const std::vector<int32_t>& members) {
      value.resize(members.size());
      group_values(m, queries, members.data(), members.size(), scratch, value.data());
      for (std::size_t i = 0; i < members.size(); ++i)
        if (decide(members[i], m, value[i])) going_on.push_back(members[i]);
    });
    under_way.swap(going_on);
  }
  for (int32_t t = 0; t < n; ++t) vote_of_row(t, value_at(t));
}

}  // namespace dcsvm

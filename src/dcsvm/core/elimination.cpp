#include "elimination.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine.hpp"
#include "engine_parts.hpp"
#include "groups.hpp"

namespace dcsvm {

using std::int32_t;
using std::int64_t;

namespace {

constexpr float no_score = -std::numeric_limits<float>::infinity();
// Fewer rows than this are not worth sorting by machine.
constexpr int64_t worth_grouping = 8;
// Rows that are scored at a time.
constexpr int64_t scored_at_once = 64;

// A close decision that is not the last word.
struct CloseDecision {
  int32_t loser, machine;
  double value;
};

// Those set aside, of which the ones still plausible come first.
struct Aside {
  std::array<CloseDecision, most_aside> decision;
  int n = 0;

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
  std::vector<Aside> aside(n);
  const auto decide = [&](int32_t t, int64_t machine, double v) {
    const int64_t first = std::min<int64_t>(leaf[t], challenger[t]);
    const int64_t second = std::max<int64_t>(leaf[t], challenger[t]);
    const int64_t loser = v > 0 ? second : first;
    float* score = scores + t * width;
    leaf[t] = v > 0 ? first : second;
    score[loser] = no_score;
    const int64_t at = machine * width;
    const int level = levels.level(machine, v);
    if (aside[t].n > 0) aside[t].keep_plausible(levels, machine, level);
    if (std::abs(v) < close_value && aside[t].n < most_aside)
      aside[t].decision[aside[t].n++] = {static_cast<int32_t>(loser), static_cast<int32_t>(machine),
                                         v};
    challenger[t] = static_cast<int32_t>(evaluation_.keep_plausible(
        score, levels.low + at, levels.high + at, level, leaf[t], levels.n_panels));
    return challenger[t] >= 0;
  };
  if (n < worth_grouping) {
    double v;
    for (const int32_t t : under_way) {
      int64_t machine;
      do {
        machine = levels.machine_of(leaf[t], challenger[t]);
        group_values(machine, queries, &t, 1, scratch, &v);
      } while (decide(t, machine, v));
    }
    under_way.clear();
  }
  Groups groups(under_way.empty() ? 0 : p.n_machines);
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
  for (int32_t t = 0; t < n; ++t)
    if (aside[t].n > 0)
      leaf[t] = final_vote(levels, leaf[t], aside[t].decision.data(), aside[t].n, [&](int64_t m) {
        double v;
        group_values(m, queries, &t, 1, scratch, &v);
        return v;
      });
}

}  // namespace dcsvm

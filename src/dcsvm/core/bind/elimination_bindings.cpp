// Bindings of scores and elimination. No arithmetic.
#include <nanobind/stl/optional.h>

#include <cstring>
#include <optional>
#include <vector>

#include "bind/bound_engine.hpp"
#include "simd/aligned.hpp"

namespace dcsvm {
namespace {

using namespace nb::literals;

int64_t panels_for(int64_t n) { return (n + panel_width - 1) / panel_width; }

struct BoundLevels {
  LevelsView view;
  int64_t n_machines;
  Owner owner;
};

BoundLevels make_levels(int64_t n_classes, Vector<double> origin, Vector<double> scale,
                        Array<std::uint8_t, 2> low, Array<std::uint8_t, 2> high) {
  const int64_t n_machines = n_classes * (n_classes - 1) / 2, n_panels = panels_for(n_classes);
  const auto fits = [&](const auto& levels) {
    return static_cast<int64_t>(levels.shape(0)) == n_machines &&
           static_cast<int64_t>(levels.shape(1)) == n_panels * panel_width;
  };
  require(n_classes >= 2 && static_cast<int64_t>(origin.size()) == n_machines &&
              static_cast<int64_t>(scale.size()) == n_machines,
          "origin and scale need one entry per machine");
  require(fits(low) && fits(high), "levels need a row per machine and a column per padded class");
  return {{n_classes, n_panels, origin.data(), scale.data(), low.data(), high.data()},
          n_machines,
          own(origin, scale, low, high)};
}

struct BoundScorer {
  ScorerView view;
  int64_t n_features;
  Aligned<float> weights, intercept, landmarks, landmark_bias;
};

// Rows of an array, side by side in panels.
void interleave(const float* rows, int64_t n_rows, int64_t length, int64_t padded_length,
                float* panels) {
  for (int64_t r = 0; r < n_rows; ++r)
    for (int64_t d = 0; d < length; ++d)
      panels[(r / panel_width * padded_length + d) * panel_width + r % panel_width] =
          rows[r * length + d];
}

Aligned<float> zeros(int64_t n) {
  Aligned<float> floats = aligned<float>(n);
  std::memset(floats.get(), 0, n * sizeof(float));
  return floats;
}

BoundScorer make_scorer(const BoundEngine& e, Array<float, 2> weights, Vector<float> intercept,
                        std::optional<Vector<int32_t>> landmarks, bool quadratic) {
  const EngineParameters& p = e.engine->parameters();
  const auto n_classes = static_cast<int64_t>(weights.shape(0));
  const auto length = static_cast<int64_t>(weights.shape(1));
  require(intercept.size() == weights.shape(0), "an intercept per class is needed");
  BoundScorer scorer{};
  scorer.n_features = p.n_features;
  ScorerView& view = scorer.view;
  view.n_panels = panels_for(n_classes);
  int64_t padded_length = length;
  if (landmarks.has_value()) {
    require(p.form.form != Form::identity && p.own_scale == nullptr,
            "these machines share no kernel values");
    require(static_cast<int64_t>(landmarks->size()) == length, "a weight per landmark is needed");
    require_within(*landmarks, p.n_vectors, "a landmark is not in the pool");
    view.n_landmark_panels = panels_for(length);
    padded_length = view.n_landmark_panels * panel_width;
    scorer.landmarks = zeros(padded_length * p.n_features);
    scorer.landmark_bias = zeros(padded_length);
    for (int64_t l = 0; l < length; ++l) {
      const int64_t vector = landmarks->data()[l];
      scorer.landmark_bias[l] = p.vector_bias[vector];
      interleave(
          p.vectors + vector * p.n_features, 1, p.n_features, p.n_features,
          scorer.landmarks.get() + l / panel_width * p.n_features * panel_width + l % panel_width);
    }
    view.landmarks = scorer.landmarks.get();
    view.landmark_bias = scorer.landmark_bias.get();
  } else {
    view.quadratic = quadratic;
    require(length == view.length(p.n_features), "a weight per feature is needed");
  }
  scorer.weights = zeros(view.n_panels * panel_width * padded_length);
  interleave(weights.data(), n_classes, length, padded_length, scorer.weights.get());
  scorer.intercept = zeros(view.n_panels * panel_width);
  std::memcpy(scorer.intercept.get(), intercept.data(), n_classes * sizeof(float));
  view.weights = scorer.weights.get();
  view.intercept = scorer.intercept.get();
  return scorer;
}

void score(const BoundScorer& scorer, const BoundEngine& e, const BoundRows& X, int64_t begin,
           int64_t end, Output<float, 2> scores) {
  require_range(e, X, begin, end);
  require(scorer.n_features == e.engine->parameters().n_features,
          "the scores are made for another number of features");
  require(static_cast<int64_t>(scores.shape(0)) == end - begin &&
              static_cast<int64_t>(scores.shape(1)) == scorer.view.n_panels * panel_width,
          "a score per row and padded class is needed");
  nb::gil_scoped_release release;
  e.engine->score(scorer.view, X.rows, begin, end, scores.data());
}

void eliminate(const BoundLevels& levels, const BoundEngine& e, const BoundRows& X, int64_t begin,
               int64_t end, double gap, Output<float, 2> scores, Output<int64_t, 1> leaf,
               std::optional<Output<int64_t, 1>> asked) {
  require_range(e, X, begin, end);
  require(levels.n_machines == e.engine->parameters().n_machines,
          "levels are made for other machines");
  require(static_cast<int64_t>(scores.shape(0)) == end - begin &&
              static_cast<int64_t>(scores.shape(1)) == levels.view.n_panels * panel_width,
          "a score per row and padded class is needed");
  require(static_cast<int64_t>(leaf.size()) == end - begin, "a leaf per row is needed");
  require(!asked || asked->size() == leaf.size(), "a count per row is needed");
  nb::gil_scoped_release release;
  e.engine->eliminate(levels.view, X.rows, begin, end, static_cast<float>(gap), scores.data(),
                      leaf.data(), asked ? asked->data() : nullptr);
}

// The class of a single row, without preparing for more.
template <class T>
int64_t eliminate_one(const BoundLevels& levels, const BoundEngine& e, const BoundScorer& scorer,
                      double gap, Vector<T> x) {
  const int64_t n_features = e.engine->parameters().n_features;
  require(static_cast<int64_t>(x.size()) == n_features && scorer.n_features == n_features,
          "x has another number of features than the machines");
  require(levels.n_machines == e.engine->parameters().n_machines &&
              scorer.view.n_panels == levels.view.n_panels,
          "levels are made for other machines");
  const Rows row = DenseRows<T>{x.data(), 1, n_features};
  std::vector<float> scores(levels.view.n_panels * panel_width);
  int64_t leaf;
  e.engine->score(scorer.view, row, 0, 1, scores.data());
  e.engine->eliminate(levels.view, row, 0, 1, static_cast<float>(gap), scores.data(), &leaf,
                      nullptr);
  return leaf;
}

}  // namespace

void bind_elimination(nb::module_& module) {
  nb::class_<BoundScorer>(module, "Scorer")
      .def(
          "__init__",
          [](BoundScorer* self, const BoundEngine& engine, Array<float, 2> weights,
             Vector<float> intercept, std::optional<Vector<int32_t>> landmarks, bool quadratic) {
            new (self) BoundScorer(make_scorer(engine, weights, intercept, landmarks, quadratic));
          },
          nb::kw_only(), "engine"_a, "weights"_a, "intercept"_a, "landmarks"_a.none(),
          "quadratic"_a)
      .def("score", &score, "engine"_a, "X"_a, "begin"_a, "end"_a, "scores"_a.noconvert());

  nb::class_<BoundLevels>(module, "Levels")
      .def(
          "__init__",
          [](BoundLevels* self, int64_t n_classes, Vector<double> origin, Vector<double> scale,
             Array<std::uint8_t, 2> low, Array<std::uint8_t, 2> high) {
            new (self) BoundLevels(make_levels(n_classes, origin, scale, low, high));
          },
          nb::kw_only(), "n_classes"_a, "origin"_a, "scale"_a, "low"_a, "high"_a)
      .def("eliminate", &eliminate, "engine"_a, "X"_a, "begin"_a, "end"_a, "gap"_a,
           "scores"_a.noconvert(), "leaf"_a.noconvert(), "asked"_a.noconvert() = nb::none())
      .def("eliminate_one", &eliminate_one<float>, "engine"_a, "scorer"_a, "gap"_a,
           "x"_a.noconvert())
      .def("eliminate_one", &eliminate_one<double>, "engine"_a, "scorer"_a, "gap"_a,
           "x"_a.noconvert());
}

}  // namespace dcsvm

// Bindings of the prediction engine, once for each precision. No arithmetic.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bind/binding_tools.hpp"
#include "predict/engine.hpp"
#include "simd/aligned.hpp"

namespace dcsvm {
namespace {

using namespace nb::literals;

template <class Real>
struct BoundEngine {
  std::unique_ptr<Engine<Real>> engine;
  Owner owner;

  const EngineParameters<Real>& parameters() const { return engine->parameters(); }

  void require_width(int64_t width) const {
    const int64_t n_features = parameters().n_features;
    require(parameters().column == nullptr ? width == n_features : width >= n_features,
            "X has another number of features than the machines");
  }

  void require_range(const BoundRows& X, int64_t begin, int64_t end) const {
    require_width(n_features(X.rows));
    require(0 <= begin && begin <= end && end <= n_rows(X.rows), "rows are not in X");
  }
};

// Scores of n rows, with so many panels of classes.
void require_scores(const Output<float, 2>& scores, int64_t n, int64_t n_panels) {
  require(extent(scores) == n && extent(scores, 1) == n_panels * panel_width,
          "a score per row and padded class is needed");
}

template <class Real>
BoundEngine<Real> make_engine(
    const std::string& instruction_set, const std::string& form, double coef0, int degree,
    Vector<double> centre, Vector<double> scale, Real query_bias, Real query_factor,
    std::optional<Array<Real, 2>> vectors, std::optional<Vector<Real>> vector_bias,
    const BoundRows* stored, std::optional<Vector<int32_t>> given_column,
    Vector<int64_t> given_start, Vector<int32_t> given_index, Vector<Real> coef,
    Vector<double> intercept, std::optional<Array<Real, 2>> own_centre,
    std::optional<Array<Real, 2>> own_scale, int64_t panel_budget, double norm_limit) {
  const auto start = keep(given_start);
  const auto index = keep(given_index);
  const auto column = given_column ? keep(*given_column) : nullptr;
  require(vectors.has_value() + (stored != nullptr) + given_column.has_value() == 1,
          "support vectors are needed in one way");
  require(vectors.has_value() == vector_bias.has_value(), "a bias per vector is needed");
  require(!column || column->size() > 0, "no kernel values are given");
  const auto kept = stored == nullptr ? nullptr : std::make_shared<const Rows>(stored->rows);
  int64_t n_vectors, n_features;
  if (vectors) {
    n_vectors = extent(*vectors);
    n_features = extent(*vectors, 1);
  } else if (kept) {
    n_vectors = n_rows(*kept);
    n_features = dcsvm::n_features(*kept);
  } else {
    n_vectors = extent(*given_column);
    n_features = 1 + int64_t{*std::max_element(column->begin(), column->end())};
  }
  const auto n_machines = extent(intercept);
  if (column)
    require_within(*column, n_features, "a column must not be negative");
  else
    require(extent(centre) == n_features && extent(scale) == n_features,
            "centre and scale need one entry per feature");
  if (vectors) require(extent(*vector_bias) == n_vectors, "a bias per vector is needed");
  if (form_of(form) == Form::identity) {
    require(vectors.has_value() && n_vectors == n_machines,
            "a weight vector per machine is needed");
  } else {
    require(extent(given_start) == n_machines + 1, "start must fit the machines");
    require(index->size() == coef.size(), "as many coefficients as support vectors are needed");
    require_offsets(*start, index->size(), "start must rise from 0 to the number of coefficients");
    require_within(*index, n_vectors, "a support vector is not in the pool");
  }
  require(!own_scale || (form != "exp_dot" && !column), "this form knows no scaling by machine");
  require_own_map(own_centre, own_scale, n_machines, n_features);
  const FormParameters kernel{form_of(form), coef0, degree};
  const EngineParameters<Real> parameters{
      kernel,           n_features,           centre.data(),      scale.data(),
      query_bias,       query_factor,         norm_limit,         n_vectors,
      data_of(vectors), data_of(vector_bias), kept.get(),         column ? column->data() : nullptr,
      n_machines,       start->data(),        index->data(),      coef.data(),
      intercept.data(), data_of(own_centre),  data_of(own_scale), panel_budget};
  return {
      std::make_unique<Engine<Real>>(parameters, instruction_set_named(instruction_set)),
      own(centre, scale, vectors, vector_bias, kept, stored == nullptr ? Owner{} : stored->owner,
          column, start, index, coef, intercept, own_centre, own_scale)};
}

template <class Real>
void values(const BoundEngine<Real>& e, const BoundRows& X, Vector<int64_t> row,
            Vector<int32_t> machine, Output<double, 1> out) {
  e.require_width(n_features(X.rows));
  require(row.size() == machine.size() && row.size() == out.size(),
          "row, machine and out must be of one length");
  require_within(row, n_rows(X.rows), "a row is not in X");
  require_within(machine, e.parameters().n_machines, "there is no such machine");
  nb::gil_scoped_release release;
  e.engine->values(X.rows, row.data(), machine.data(), extent(row), out.data());
}

template <class Real>
void mark_longer(const BoundEngine<Real>& e, const BoundRows& X, double norm_limit,
                 Output<bool, 1> out) {
  e.require_width(n_features(X.rows));
  require(extent(out) == n_rows(X.rows), "out needs one entry per row");
  nb::gil_scoped_release release;
  e.engine->mark_longer(X.rows, norm_limit, out.data());
}

template <class Real>
void walk(const BoundEngine<Real>& e, const BoundDag& dag, const BoundRows& X, Vector<int64_t> row,
          Output<int32_t, 1> node, Output<int64_t, 1> slot,
          std::optional<Output<int64_t, 1>> n_evaluated) {
  e.require_width(n_features(X.rows));
  require(row.size() == node.size() && row.size() == slot.size(),
          "row, node and slot must be of one length");
  require(!n_evaluated || n_evaluated->size() == row.size(), "a count per row is needed");
  require_within(row, n_rows(X.rows), "a row is not in X");
  require_within(node, dag.n_nodes, "there is no such node");
  require(dag.highest_machine < e.parameters().n_machines, "there is no such machine");
  nb::gil_scoped_release release;
  e.engine->walk(dag.view, X.rows, row.data(), extent(row), node.data(), slot.data(),
                 data_of(n_evaluated));
}

// The leaf of a single row, or -1 - slot where the structure is not grown.
template <class Real, class Value>
int64_t walk_one(const BoundEngine<Real>& e, const BoundDag& dag, Vector<Value> x) {
  const auto width = extent(x);
  e.require_width(width);
  require(dag.highest_machine < e.parameters().n_machines, "there is no such machine");
  return e.engine->walk_one(dag.view, DenseRows<Value>{x.data(), 1, width});
}

template <class Real>
void all_values(const BoundEngine<Real>& e, const BoundRows& X, int64_t begin, int64_t end,
                Output<double, 2> out) {
  e.require_range(X, begin, end);
  require(extent(out) == e.parameters().n_machines && extent(out, 1) == end - begin,
          "out needs one row per machine and one column per row of X");
  nb::gil_scoped_release release;
  e.engine->all_values(X.rows, begin, end, out.data());
}

// Where values are kept while rows are observed.
struct GivenKept {
  std::optional<Vector<int32_t>> column;
  std::optional<Vector<int64_t>> place;
  std::optional<Output<double, 2>> values;

  std::optional<KeptValues> checked(int64_t n_machines, int64_t n_rows) const {
    if (!values.has_value()) return std::nullopt;
    require(column && extent(*column) == n_machines, "a column per machine is needed, or -1");
    require(place && extent(*place) == n_rows, "a place per row is needed, or -1");
    require_below(*column, extent(*values), "there is no such column");
    require_below(*place, extent(*values, 1), "there is no such place");
    return KeptValues{column->data(), place->data(), extent(*values, 1), values->data()};
  }
};

template <class Real>
void require_observable(const BoundEngine<Real>& e, const BoundRows& X, int64_t begin, int64_t end,
                        const Vector<double>& weight, const Vector<int64_t>& edges,
                        const std::optional<Output<uint8_t, 2>>& signs) {
  e.require_range(X, begin, end);
  require(extent(weight) == end - begin, "a weight per row is needed");
  require(edges.size() > 0 && std::is_sorted(edges.data(), edges.data() + edges.size()),
          "edges must be in order");
  require(edges.data()[0] >= 0 && edges.data()[edges.size() - 1] <= end - begin,
          "edges must be among the rows");
  if (signs.has_value())
    require(
        extent(*signs) == e.parameters().n_machines && extent(*signs, 1) == (end - begin + 7) / 8,
        "a bit per machine and row is needed");
}

template <class Real>
void observe(const BoundEngine<Real>& e, const BoundRows& X, int64_t begin, int64_t end,
             Vector<double> weight, Vector<int64_t> edges, Output<double, 2> to_i,
             Output<double, 2> to_j, Output<float, 2> low, Output<float, 2> high,
             Output<double, 2> sum, Output<double, 2> squares,
             std::optional<Output<uint8_t, 2>> signs, std::optional<Vector<int32_t>> kept_column,
             std::optional<Vector<int64_t>> kept_place,
             std::optional<Output<double, 2>> kept_values) {
  require_observable(e, X, begin, end, weight, edges, signs);
  const auto n_machines = static_cast<std::size_t>(e.parameters().n_machines);
  const auto fits = [&](const auto& out) {
    return out.shape(0) == edges.size() - 1 && out.shape(1) == n_machines;
  };
  require(fits(to_i) && fits(to_j) && fits(low) && fits(high) && fits(sum) && fits(squares),
          "a number per part and machine is needed");
  const auto kept = GivenKept{kept_column, kept_place, kept_values}.checked(
      e.parameters().n_machines, end - begin);
  const Observed seen{to_i.data(), to_j.data(),    low.data(),     high.data(),
                      sum.data(),  squares.data(), data_of(signs), (end - begin + 7) / 8};
  nb::gil_scoped_release release;
  e.engine->observe(X.rows, begin, end, weight.data(), edges.data(), extent(edges) - 1, seen,
                    kept ? &*kept : nullptr);
}

using AnyCounts = nb::ndarray<nb::ndim<3>, nb::c_contig, nb::device::cpu>;

Counts counts_of(const AnyCounts& counts) {
  if (counts.dtype() == nb::dtype<uint8_t>()) return static_cast<uint8_t*>(counts.data());
  if (counts.dtype() == nb::dtype<uint16_t>()) return static_cast<uint16_t*>(counts.data());
  if (counts.dtype() == nb::dtype<uint32_t>()) return static_cast<uint32_t*>(counts.data());
  require(counts.dtype() == nb::dtype<double>(), "counts are whole numbers or of type double");
  return static_cast<double*>(counts.data());
}

template <class Real>
void observe_classes(const BoundEngine<Real>& e, const BoundRows& X, int64_t begin, int64_t end,
                     Vector<double> weight, Vector<int64_t> edges, AnyCounts counts,
                     Output<uint16_t, 2> low, Output<uint16_t, 2> high, Output<uint16_t, 2> spread,
                     std::optional<Output<uint8_t, 2>> signs,
                     std::optional<Vector<int32_t>> kept_column,
                     std::optional<Vector<int64_t>> kept_place,
                     std::optional<Output<double, 2>> kept_values) {
  require_observable(e, X, begin, end, weight, edges, signs);
  const int64_t n_machines = e.parameters().n_machines, n_classes = extent(edges) - 1;
  const auto fits = [&](const auto& out) {
    return extent(out) == n_classes && extent(out, 1) == n_machines;
  };
  require(fits(low) && fits(high) && fits(spread) && fits(counts) && extent(counts, 2) == 2,
          "a number per class and machine is needed");
  for (int64_t c = 0; c < n_classes; ++c)
    require(edges.data()[c] < edges.data()[c + 1], "every class needs a row");
  const auto kept =
      GivenKept{kept_column, kept_place, kept_values}.checked(n_machines, end - begin);
  const ClassEntries entries{counts_of(counts), {low.data(), high.data(), spread.data()}};
  nb::gil_scoped_release release;
  e.engine->observe_classes(X.rows, begin, end, weight.data(), edges.data(), n_classes, entries,
                            data_of(signs), (end - begin + 7) / 8, kept ? &*kept : nullptr);
}

template <class Real>
void vote(const BoundEngine<Real>& e, const BoundRows& X, int64_t begin, int64_t end,
          int64_t n_classes, Output<int64_t, 1> winner) {
  e.require_range(X, begin, end);
  require(pairs_of(n_classes) == e.parameters().n_machines,
          "a machine per pair of classes is needed");
  require(extent(winner) == end - begin, "a winner per row is needed");
  nb::gil_scoped_release release;
  e.engine->vote(X.rows, begin, end, n_classes, winner.data());
}

template <class Real>
struct BoundShortlist {
  ShortlistView<Real> view;
  int64_t n_features;
  Aligned<Real> weights, intercept, landmark_panels, landmark_bias;
  std::vector<int32_t> landmarks;
};

// Rows of an array, side by side in panels.
template <class Number, class Real>
void interleave(const Number* rows, int64_t n_rows, int64_t length, int64_t padded_length,
                Real* panels) {
  for (int64_t r = 0; r < n_rows; ++r)
    for (int64_t d = 0; d < length; ++d)
      panels[(r / panel_width * padded_length + d) * panel_width + r % panel_width] =
          static_cast<Real>(rows[r * length + d]);
}

template <class Real>
BoundShortlist<Real> make_shortlist(const BoundEngine<Real>& e, Array<double, 2> weights,
                                    Vector<double> intercept,
                                    std::optional<Vector<int32_t>> landmarks, bool quadratic) {
  const EngineParameters<Real>& p = e.parameters();
  const auto n_classes = extent(weights);
  const auto length = extent(weights, 1);
  require(intercept.size() == weights.shape(0), "an intercept per class is needed");
  BoundShortlist<Real> made{};
  made.n_features = p.n_features;
  ShortlistView<Real>& view = made.view;
  view.n_panels = panels_for(n_classes);
  view.quadratic = quadratic;
  if (landmarks.has_value()) {
    require(!p.is_linear() && p.own_scale == nullptr, "these machines share no kernel values");
    require(extent(*landmarks) == length, "a weight per landmark is needed");
    require_within(*landmarks, p.n_vectors, "a landmark is not in the pool");
    made.landmarks.assign(landmarks->data(), landmarks->data() + length);
    view.landmark = made.landmarks.data();
    view.n_landmarks = length;
  }
  const int64_t padded_length = view.length(p.n_features);
  require(landmarks.has_value() || (p.column == nullptr && length == padded_length),
          "a weight per feature is needed");
  if (landmarks.has_value() && p.vectors != nullptr) {
    made.landmark_panels = zeros<Real>(padded_length * p.n_features);
    made.landmark_bias = zeros<Real>(padded_length);
    for (int64_t l = 0; l < length; ++l) {
      const int64_t vector = made.landmarks[l];
      made.landmark_bias[l] = p.vector_bias[vector];
      interleave(p.vectors + vector * p.n_features, 1, p.n_features, p.n_features,
                 made.landmark_panels.get() + l / panel_width * p.n_features * panel_width +
                     l % panel_width);
    }
    view.landmark_panels = made.landmark_panels.get();
    view.landmark_bias = made.landmark_bias.get();
  }
  made.weights = zeros<Real>(view.n_panels * panel_width * padded_length);
  interleave(weights.data(), n_classes, length, padded_length, made.weights.get());
  made.intercept = zeros<Real>(view.n_panels * panel_width);
  std::copy_n(intercept.data(), n_classes, made.intercept.get());
  view.weights = made.weights.get();
  view.intercept = made.intercept.get();
  return made;
}

template <class Real>
void score(const BoundEngine<Real>& e, const BoundShortlist<Real>& shortlist, const BoundRows& X,
           int64_t begin, int64_t end, Output<float, 2> scores) {
  e.require_range(X, begin, end);
  require(shortlist.n_features == e.parameters().n_features,
          "the scores are made for another number of features");
  require_scores(scores, end - begin, shortlist.view.n_panels);
  nb::gil_scoped_release release;
  e.engine->score(shortlist.view, X.rows, begin, end, scores.data());
}

template <class Real>
void eliminate(const BoundEngine<Real>& e, const BoundLevels& levels, const BoundRows& X,
               int64_t begin, int64_t end, double gap, Output<float, 2> scores,
               Output<int64_t, 1> leaf, std::optional<Output<int64_t, 1>> n_evaluated) {
  e.require_range(X, begin, end);
  require(levels.n_machines == e.parameters().n_machines, "levels are made for other machines");
  require_scores(scores, end - begin, levels.view.n_panels);
  require(extent(leaf) == end - begin, "a leaf per row is needed");
  require(!n_evaluated || n_evaluated->size() == leaf.size(), "a count per row is needed");
  nb::gil_scoped_release release;
  e.engine->eliminate(levels.view, X.rows, begin, end, static_cast<float>(gap), scores.data(),
                      leaf.data(), data_of(n_evaluated));
}

// The class of a single row, without preparing for more.
template <class Real, class T>
int64_t eliminate_one(const BoundEngine<Real>& e, const BoundLevels& levels,
                      const BoundShortlist<Real>& shortlist, double gap, Vector<T> x) {
  const auto width = extent(x);
  e.require_width(width);
  require(shortlist.n_features == e.parameters().n_features,
          "the scores are made for another number of features");
  require(levels.n_machines == e.parameters().n_machines &&
              shortlist.view.n_panels == levels.view.n_panels,
          "levels are made for other machines");
  const Rows row = DenseRows<T>{x.data(), 1, width};
  std::vector<float> scores(levels.view.n_panels * panel_width);
  int64_t leaf;
  e.engine->score(shortlist.view, row, 0, 1, scores.data());
  e.engine->eliminate(levels.view, row, 0, 1, static_cast<float>(gap), scores.data(), &leaf,
                      nullptr);
  return leaf;
}

// Where each row's path begins, and the machines of all paths.
template <class Real>
nb::tuple try_out(const BoundEngine<Real>& e, const BoundRanges& ranges, const BoundRows& X,
                  int64_t begin, int64_t end, float gap, Array<float, 2> scores) {
  e.require_range(X, begin, end);
  require(ranges.view.n_machines == e.parameters().n_machines, "ranges are of other machines");
  require(extent(scores) == end - begin && extent(scores, 1) == ranges.view.n_classes,
          "a score per row and class is needed");
  std::vector<int64_t> start;
  std::vector<int32_t> machine;
  {
    nb::gil_scoped_release release;
    e.engine->try_out(ranges.view, X.rows, begin, end, gap, scores.data(), start, machine);
  }
  return nb::make_tuple(to_numpy(std::move(start)), to_numpy(std::move(machine)));
}

template <class Real>
std::vector<double> copied(const double* numbers, const BoundEngine<Real>& e) {
  const int64_t n = e.parameters().column == nullptr ? e.parameters().n_features : 0;
  return {numbers, numbers + n};
}

template <class Real>
void bind_engine_for(nb::module_& module, const char* engine_name, const char* shortlist_name) {
  using Bound = BoundEngine<Real>;
  nb::class_<BoundShortlist<Real>>(module, shortlist_name);
  nb::class_<Bound>(module, engine_name)
      .def(nb::new_(&make_engine<Real>), nb::kw_only(), "instruction_set"_a, "form"_a, "coef0"_a,
           "degree"_a, "centre"_a, "scale"_a, "query_bias"_a, "query_factor"_a, "vectors"_a.none(),
           "vector_bias"_a.none(), "stored"_a.none(), "column"_a.none(), "start"_a, "index"_a,
           "coef"_a, "intercept"_a, "own_centre"_a.none(), "own_scale"_a.none(), "panel_budget"_a,
           "norm_limit"_a = std::numeric_limits<double>::infinity())
      .def("mark_longer", &mark_longer<Real>, "X"_a, "norm_limit"_a, "out"_a.noconvert())
      .def("values", &values<Real>, "X"_a, "row"_a, "machine"_a, "out"_a.noconvert())
      .def("walk", &walk<Real>, "dag"_a, "X"_a, "row"_a, "node"_a.noconvert(), "slot"_a.noconvert(),
           "n_evaluated"_a.noconvert() = nb::none())
      .def("walk_one", &walk_one<Real, float>, "dag"_a, "x"_a.noconvert())
      .def("walk_one", &walk_one<Real, double>, "dag"_a, "x"_a.noconvert())
      .def("all_values", &all_values<Real>, "X"_a, "begin"_a, "end"_a, "out"_a.noconvert())
      .def("observe", &observe<Real>, "X"_a, "begin"_a, "end"_a, "weight"_a, "edges"_a,
           "to_i"_a.noconvert(), "to_j"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
           "sum"_a.noconvert(), "squares"_a.noconvert(), "signs"_a.noconvert().none(),
           "kept_column"_a = nb::none(), "kept_place"_a = nb::none(),
           "kept_values"_a.noconvert() = nb::none())
      .def("observe_classes", &observe_classes<Real>, "X"_a, "begin"_a, "end"_a, "weight"_a,
           "edges"_a, "counts"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
           "spread"_a.noconvert(), "signs"_a.noconvert().none(), "kept_column"_a = nb::none(),
           "kept_place"_a = nb::none(), "kept_values"_a.noconvert() = nb::none())
      .def("vote", &vote<Real>, "X"_a, "begin"_a, "end"_a, "n_classes"_a, "winner"_a.noconvert())
      .def("shortlist", &make_shortlist<Real>, nb::kw_only(), "weights"_a, "intercept"_a,
           "landmarks"_a.none(), "quadratic"_a)
      .def("score", &score<Real>, "shortlist"_a, "X"_a, "begin"_a, "end"_a, "scores"_a.noconvert())
      .def("eliminate", &eliminate<Real>, "levels"_a, "X"_a, "begin"_a, "end"_a, "gap"_a,
           "scores"_a.noconvert(), "leaf"_a.noconvert(), "n_evaluated"_a.noconvert() = nb::none())
      .def("eliminate_one", &eliminate_one<Real, float>, "levels"_a, "shortlist"_a, "gap"_a,
           "x"_a.noconvert())
      .def("eliminate_one", &eliminate_one<Real, double>, "levels"_a, "shortlist"_a, "gap"_a,
           "x"_a.noconvert())
      .def("try_out", &try_out<Real>, "ranges"_a, "X"_a, "begin"_a, "end"_a, "gap"_a, "scores"_a)
      .def_prop_ro("centre", [](const Bound& e) { return copied(e.parameters().centre, e); })
      .def_prop_ro("scale", [](const Bound& e) { return copied(e.parameters().scale, e); })
      .def_prop_ro("norm_limit", [](const Bound& e) { return e.parameters().norm_limit; })
      .def_prop_ro("panel_bytes", [](const Bound& e) { return e.engine->panel_bytes(); });
}

}  // namespace

void bind_engine(nb::module_& module) {
  bind_engine_for<float>(module, "EngineFloat", "ShortlistFloat");
  bind_engine_for<double>(module, "EngineDouble", "ShortlistDouble");
}

}  // namespace dcsvm

// Bindings of the prediction engine. No arithmetic.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bind/bound_engine.hpp"

namespace dcsvm {
namespace {

using namespace nb::literals;

// Fastest first.
std::vector<const InstructionSet*> available_sets() {
  std::vector<const InstructionSet*> available;
  for (const InstructionSet* set :
       {instruction_set_avx512(), instruction_set_avx2(), instruction_set_baseline()})
    if (set != nullptr) available.push_back(set);
  return available;
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet* set : available_sets()) names.push_back(set->name);
  return names;
}

}  // namespace

Form form_of(const std::string& name) {
  if (name == "exp_dot") return Form::exp_dot;
  if (name == "exp_distance") return Form::exp_distance;
  if (name == "power") return Form::power;
  if (name == "tanh") return Form::tanh;
  if (name == "identity") return Form::identity;
  throw std::invalid_argument("unknown form: " + name);
}

const InstructionSet& instruction_set_named(const std::string& name) {
  for (const InstructionSet* set : available_sets())
    if (set->name == name) return *set;
  throw std::invalid_argument("this processor has no instruction set " + name);
}

namespace {

struct BoundDag {
  DagView view;
  std::int64_t n_nodes;
  std::int32_t highest_machine;
  Owner owner;
};

BoundDag make_dag(std::int64_t n_classes, Vector<int32_t> machine, Vector<int64_t> first_cut,
                  Vector<int64_t> first_child, Vector<double> cuts, Vector<int32_t> child) {
  const auto n_nodes = static_cast<int64_t>(machine.size());
  require(n_classes >= 2 && n_nodes > n_classes, "a root and a leaf per class are needed");
  require(first_cut.size() == machine.size() + 1 && first_child.size() == machine.size() + 1,
          "offsets must have one entry more than there are nodes");
  require_offsets(first_cut, cuts.size(), "first_cut must rise from 0 to the number of cuts");
  require_offsets(first_child, child.size(), "first_child must rise from 0 to that of children");
  std::int32_t highest_machine = 0;
  for (int64_t n = 0; n < n_nodes; ++n) {
    const int64_t n_cuts = first_cut.data()[n + 1] - first_cut.data()[n];
    const int64_t n_children = first_child.data()[n + 1] - first_child.data()[n];
    require(n_children == (n < n_classes ? 0 : n_cuts + 1),
            "a node has one child more than cuts, a leaf none");
    require(n < n_classes || machine.data()[n] >= 0, "an inner node needs a machine");
    highest_machine = std::max(highest_machine, machine.data()[n]);
  }
  for (std::size_t c = 0; c < child.size(); ++c)
    require(child.data()[c] >= -1 && child.data()[c] < n_nodes, "a child is not a node");
  return {
      {n_classes, machine.data(), first_cut.data(), first_child.data(), cuts.data(), child.data()},
      n_nodes,
      highest_machine,
      own(machine, first_cut, first_child, cuts, child)};
}

BoundEngine make_engine(const std::string& instruction_set, const std::string& form, double coef0,
                        int degree, Vector<double> centre, Vector<double> scale, double query_bias,
                        double query_factor, Array<float, 2> vectors, Vector<float> vector_bias,
                        Vector<int64_t> start, Vector<int32_t> index, Vector<float> coef,
                        Vector<double> intercept, std::optional<Array<float, 2>> own_centre,
                        std::optional<Array<float, 2>> own_scale, int64_t panel_budget) {
  const auto n_features = static_cast<int64_t>(vectors.shape(1));
  const auto n_vectors = static_cast<int64_t>(vectors.shape(0));
  const auto n_machines = static_cast<int64_t>(intercept.size());
  require(static_cast<int64_t>(centre.size()) == n_features &&
              static_cast<int64_t>(scale.size()) == n_features,
          "centre and scale need one entry per feature");
  require(static_cast<int64_t>(vector_bias.size()) == n_vectors, "a bias per vector is needed");
  if (form_of(form) == Form::identity) {
    require(n_vectors == n_machines, "a weight vector per machine is needed");
  } else {
    require(static_cast<int64_t>(start.size()) == n_machines + 1, "start must fit the machines");
    require(index.size() == coef.size(), "as many coefficients as support vectors are needed");
    require_offsets(start, index.size(), "start must rise from 0 to the number of coefficients");
    require_within(index, n_vectors, "a support vector is not in the pool");
  }
  require(own_centre.has_value() == own_scale.has_value(), "centre and scale go together");
  require(!own_scale.has_value() || form != "exp_dot", "exp_dot knows no scaling by machine");
  for (const auto& own_map : {own_centre, own_scale})
    if (own_map.has_value())
      require(static_cast<int64_t>(own_map->shape(0)) == n_machines &&
                  static_cast<int64_t>(own_map->shape(1)) == n_features,
              "a row per machine and a column per feature are needed");
  const EngineParameters parameters{{form_of(form), static_cast<float>(coef0), degree},
                                    n_features,
                                    centre.data(),
                                    scale.data(),
                                    static_cast<float>(query_bias),
                                    static_cast<float>(query_factor),
                                    n_vectors,
                                    vectors.data(),
                                    vector_bias.data(),
                                    n_machines,
                                    start.data(),
                                    index.data(),
                                    coef.data(),
                                    intercept.data(),
                                    own_centre.has_value() ? own_centre->data() : nullptr,
                                    own_scale.has_value() ? own_scale->data() : nullptr,
                                    panel_budget};
  return {std::make_unique<Engine>(parameters, instruction_set_named(instruction_set)),
          own(centre, scale, vectors, vector_bias, start, index, coef, intercept, own_centre,
              own_scale)};
}

void values(const BoundEngine& e, const BoundRows& X, Vector<int64_t> row, Vector<int32_t> machine,
            Output<double, 1> out) {
  require_rows_of_width(X, e.engine->parameters().n_features);
  require(row.size() == machine.size() && row.size() == out.size(),
          "row, machine and out must be of one length");
  require_within(row, n_rows(X.rows), "a row is not in X");
  require_within(machine, e.engine->parameters().n_machines, "there is no such machine");
  nb::gil_scoped_release release;
  e.engine->values(X.rows, row.data(), machine.data(), static_cast<int64_t>(row.size()),
                   out.data());
}

void walk(const BoundEngine& e, const BoundDag& dag, const BoundRows& X, Vector<int64_t> row,
          Output<int32_t, 1> node, Output<int64_t, 1> slot,
          std::optional<Output<int64_t, 1>> asked) {
  require_rows_of_width(X, e.engine->parameters().n_features);
  require(row.size() == node.size() && row.size() == slot.size(),
          "row, node and slot must be of one length");
  require(!asked || asked->size() == row.size(), "a count per row is needed");
  require_within(row, n_rows(X.rows), "a row is not in X");
  for (std::size_t t = 0; t < node.size(); ++t)
    require(node.data()[t] >= 0 && node.data()[t] < dag.n_nodes, "there is no such node");
  require(dag.highest_machine < e.engine->parameters().n_machines, "there is no such machine");
  nb::gil_scoped_release release;
  e.engine->walk(dag.view, X.rows, row.data(), static_cast<int64_t>(row.size()), node.data(),
                 slot.data(), asked ? asked->data() : nullptr);
}

// The leaf of a single row, or -1 - slot where the structure is not grown.
template <class Value>
int64_t walk_one(const BoundEngine& e, const BoundDag& dag, Vector<Value> x) {
  const auto width = static_cast<int64_t>(x.size());
  require(width == e.engine->parameters().n_features, "x has another number of features");
  require(dag.highest_machine < e.engine->parameters().n_machines, "there is no such machine");
  return e.engine->walk_one(dag.view, DenseRows<Value>{x.data(), 1, width});
}

void all_values(const BoundEngine& e, const BoundRows& X, int64_t begin, int64_t end,
                Output<float, 2> out) {
  require_range(e, X, begin, end);
  require(static_cast<int64_t>(out.shape(0)) == e.engine->parameters().n_machines &&
              static_cast<int64_t>(out.shape(1)) == end - begin,
          "out needs one row per machine and one column per row of X");
  nb::gil_scoped_release release;
  e.engine->all_values(X.rows, begin, end, out.data());
}

void observe(const BoundEngine& e, const BoundRows& X, int64_t begin, int64_t end,
             Vector<double> weight, Vector<int64_t> edges, Output<double, 2> to_i,
             Output<double, 2> to_j, Output<float, 2> low, Output<float, 2> high,
             Output<double, 2> sum, Output<double, 2> squares,
             std::optional<Output<std::uint8_t, 2>> signs) {
  require_range(e, X, begin, end);
  const auto n_machines = static_cast<std::size_t>(e.engine->parameters().n_machines);
  require(static_cast<int64_t>(weight.size()) == end - begin, "a weight per row is needed");
  require(edges.size() > 0 && std::is_sorted(edges.data(), edges.data() + edges.size()),
          "edges must be in order");
  const auto fits = [&](const auto& out) {
    return out.shape(0) == edges.size() - 1 && out.shape(1) == n_machines;
  };
  require(fits(to_i) && fits(to_j) && fits(low) && fits(high) && fits(sum) && fits(squares),
          "a number per part and machine is needed");
  if (signs.has_value())
    require(signs->shape(0) == n_machines &&
                static_cast<int64_t>(signs->shape(1)) == (end - begin + 7) / 8,
            "a bit per machine and row is needed");
  const Observed seen{to_i.data(),
                      to_j.data(),
                      low.data(),
                      high.data(),
                      sum.data(),
                      squares.data(),
                      signs.has_value() ? signs->data() : nullptr};
  nb::gil_scoped_release release;
  e.engine->observe(X.rows, begin, end, weight.data(), edges.data(),
                    static_cast<int64_t>(edges.size()) - 1, seen);
}

void walk_signs(const BoundDag& dag, Array<std::uint8_t, 2> signs, Vector<int64_t> row,
                Output<int32_t, 1> node, Output<int64_t, 1> slot) {
  require(row.size() == node.size() && row.size() == slot.size(),
          "row, node and slot must be of one length");
  require_within(row, 8 * static_cast<int64_t>(signs.shape(1)), "there is no such row");
  for (std::size_t t = 0; t < node.size(); ++t)
    require(node.data()[t] >= 0 && node.data()[t] < dag.n_nodes, "there is no such node");
  require(dag.highest_machine < static_cast<int64_t>(signs.shape(0)), "there is no such machine");
  nb::gil_scoped_release release;
  walk_by_signs(dag.view, signs.data(), static_cast<int64_t>(signs.shape(1)), row.data(),
                static_cast<int64_t>(row.size()), node.data(), slot.data());
}

// The best machine for each of some sets of candidates.
Criterion criterion_of(const std::string& name) {
  if (name == "purity") return Criterion::purity;
  if (name == "score") return Criterion::score;
  if (name == "cost") return Criterion::cost;
  throw std::invalid_argument("unknown criterion: " + name);
}

void choose(const std::string& instruction_set, int64_t n_classes, Array<std::uint64_t, 2> to_i,
            Array<std::uint64_t, 2> to_j, Vector<double> score, Vector<double> cost,
            const std::string& criterion, Array<std::uint64_t, 2> candidates,
            Output<int32_t, 1> machine) {
  const auto n_machines = static_cast<std::size_t>(n_classes * (n_classes - 1) / 2);
  const auto n_words = static_cast<std::size_t>((n_classes + 63) / 64);
  for (const auto& sets : {to_i, to_j})
    require(sets.shape(0) == n_machines && sets.shape(1) == n_words,
            "a set of classes per machine is needed");
  require(score.size() == n_machines && cost.size() == n_machines,
          "a score and a cost per machine is needed");
  require(candidates.shape(1) == n_words && candidates.shape(0) == machine.size(),
          "a machine per set of candidates is needed");
  const InstructionSet& set = instruction_set_named(instruction_set);
  const SidesView sides{n_classes,    static_cast<int64_t>(n_words),
                        to_i.data(),  to_j.data(),
                        score.data(), cost.data()};
  const Criterion by = criterion_of(criterion);
  nb::gil_scoped_release release;
  for (std::size_t s = 0; s < machine.size(); ++s)
    machine.data()[s] =
        static_cast<int32_t>(set.choose(sides, candidates.data() + s * n_words, by));
}

void vote(const BoundEngine& e, const BoundRows& X, int64_t begin, int64_t end, int64_t n_classes,
          Output<int64_t, 1> winner) {
  require_range(e, X, begin, end);
  require(n_classes * (n_classes - 1) / 2 == e.engine->parameters().n_machines,
          "a machine per pair of classes is needed");
  require(static_cast<int64_t>(winner.size()) == end - begin, "a winner per row is needed");
  nb::gil_scoped_release release;
  e.engine->vote(X.rows, begin, end, n_classes, winner.data());
}

std::vector<double> copied(const double* numbers, const BoundEngine& e) {
  return {numbers, numbers + e.engine->parameters().n_features};
}

}  // namespace

void bind_engine(nb::module_& module) {
  module.def("instruction_sets", &instruction_sets);
  module.def("choose", &choose, nb::kw_only(), "instruction_set"_a, "n_classes"_a, "to_i"_a,
             "to_j"_a, "score"_a, "cost"_a, "criterion"_a, "candidates"_a, "machine"_a.noconvert());

  nb::class_<BoundDag>(module, "Dag")
      .def(
          "__init__",
          [](BoundDag* self, int64_t n_classes, Vector<int32_t> machine, Vector<int64_t> first_cut,
             Vector<int64_t> first_child, Vector<double> cuts, Vector<int32_t> child) {
            new (self) BoundDag(make_dag(n_classes, machine, first_cut, first_child, cuts, child));
          },
          nb::kw_only(), "n_classes"_a, "machine"_a, "first_cut"_a, "first_child"_a, "cuts"_a,
          "child"_a)
      .def("walk_signs", &walk_signs, "signs"_a, "row"_a, "node"_a.noconvert(),
           "slot"_a.noconvert());

  nb::class_<BoundEngine>(module, "Engine")
      .def(
          "__init__",
          [](BoundEngine* self, const std::string& instruction_set, const std::string& form,
             double coef0, int degree, Vector<double> centre, Vector<double> scale,
             double query_bias, double query_factor, Array<float, 2> vectors,
             Vector<float> vector_bias, Vector<int64_t> start, Vector<int32_t> index,
             Vector<float> coef, Vector<double> intercept,
             std::optional<Array<float, 2>> own_centre, std::optional<Array<float, 2>> own_scale,
             int64_t panel_budget) {
            new (self) BoundEngine(make_engine(instruction_set, form, coef0, degree, centre, scale,
                                               query_bias, query_factor, vectors, vector_bias,
                                               start, index, coef, intercept, own_centre, own_scale,
                                               panel_budget));
          },
          nb::kw_only(), "instruction_set"_a, "form"_a, "coef0"_a, "degree"_a, "centre"_a,
          "scale"_a, "query_bias"_a, "query_factor"_a, "vectors"_a, "vector_bias"_a, "start"_a,
          "index"_a, "coef"_a, "intercept"_a, "own_centre"_a.none(), "own_scale"_a.none(),
          "panel_budget"_a)
      .def("values", &values, "X"_a, "row"_a, "machine"_a, "out"_a.noconvert())
      .def("walk", &walk, "dag"_a, "X"_a, "row"_a, "node"_a.noconvert(), "slot"_a.noconvert(),
           "asked"_a.noconvert() = nb::none())
      .def("walk_one", &walk_one<float>, "dag"_a, "x"_a.noconvert())
      .def("walk_one", &walk_one<double>, "dag"_a, "x"_a.noconvert())
      .def("all_values", &all_values, "X"_a, "begin"_a, "end"_a, "out"_a.noconvert())
      .def("observe", &observe, "X"_a, "begin"_a, "end"_a, "weight"_a, "edges"_a,
           "to_i"_a.noconvert(), "to_j"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
           "sum"_a.noconvert(), "squares"_a.noconvert(), "signs"_a.noconvert().none())
      .def("vote", &vote, "X"_a, "begin"_a, "end"_a, "n_classes"_a, "winner"_a.noconvert())
      .def_prop_ro("centre",
                   [](const BoundEngine& e) { return copied(e.engine->parameters().centre, e); })
      .def_prop_ro("scale",
                   [](const BoundEngine& e) { return copied(e.engine->parameters().scale, e); })
      .def_prop_ro("panel_bytes", [](const BoundEngine& e) { return e.engine->panel_bytes(); });
  bind_elimination(module);
}

}  // namespace dcsvm

// Bindings of what decides about values: structures, levels, and the choice of machines. No
// arithmetic.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bind/binding_tools.hpp"
#include "predict/reaches.hpp"

namespace dcsvm {
namespace {

using namespace nb::literals;

BoundDag make_dag(int64_t n_classes, Vector<int32_t> given_machine, Vector<int64_t> given_first_cut,
                  Vector<int64_t> given_first_child, Vector<double> cuts,
                  Vector<int32_t> given_child) {
  const auto machine_kept = keep(given_machine), child_kept = keep(given_child);
  const auto first_cut_kept = keep(given_first_cut), first_child_kept = keep(given_first_child);
  const auto &machine = *machine_kept, &child = *child_kept;
  const auto &first_cut = *first_cut_kept, &first_child = *first_child_kept;
  const auto n_nodes = static_cast<int64_t>(machine.size());
  require(n_classes >= 2 && n_nodes > n_classes, "a root and a leaf per class are needed");
  require(first_cut.size() == machine.size() + 1 && first_child.size() == machine.size() + 1,
          "offsets must have one entry more than there are nodes");
  require_offsets(first_cut, cuts.size(), "first_cut must rise from 0 to the number of cuts");
  require_offsets(first_child, child.size(), "first_child must rise from 0 to that of children");
  int32_t highest_machine = 0;
  for (int64_t n = 0; n < n_nodes; ++n) {
    const int64_t n_cuts = first_cut[n + 1] - first_cut[n];
    const int64_t n_children = first_child[n + 1] - first_child[n];
    require(n_children == (n < n_classes ? 0 : n_cuts + 1),
            "a node has one child more than cuts, a leaf none");
    require(n < n_classes || machine[n] >= 0, "an inner node needs a machine");
    highest_machine = std::max(highest_machine, machine[n]);
  }
  for (std::size_t c = 0; c < child.size(); ++c)
    require(child[c] >= -1 && child[c] < n_nodes, "a child is not a node");
  return {
      {n_classes, machine.data(), first_cut.data(), first_child.data(), cuts.data(), child.data()},
      n_nodes,
      highest_machine,
      own(machine_kept, first_cut_kept, first_child_kept, cuts, child_kept)};
}

void walk_signs(const BoundDag& dag, Array<uint8_t, 2> signs, Vector<int64_t> row,
                Output<int32_t, 1> node, Output<int64_t, 1> slot) {
  require(row.size() == node.size() && row.size() == slot.size(),
          "row, node and slot must be of one length");
  require_within(row, 8 * extent(signs, 1), "there is no such row");
  require_within(node, dag.n_nodes, "there is no such node");
  require(dag.highest_machine < extent(signs), "there is no such machine");
  nb::gil_scoped_release release;
  walk_by_signs(dag.view, signs.data(), extent(signs, 1), row.data(), extent(row), node.data(),
                slot.data());
}

Criterion criterion_of(const std::string& name) {
  if (name == "purity") return Criterion::purity;
  if (name == "score") return Criterion::score;
  if (name == "cost") return Criterion::cost;
  throw std::invalid_argument("unknown criterion: " + name);
}

// The best machine for each of some sets of candidates.
void choose(const std::string& instruction_set, int64_t n_classes, Array<uint64_t, 2> to_i,
            Array<uint64_t, 2> to_j, Vector<double> score, Vector<double> cost,
            const std::string& criterion, Array<uint64_t, 2> candidates,
            Output<int32_t, 1> machine) {
  const auto n_machines = static_cast<std::size_t>(pairs_of(n_classes));
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

BoundLevels make_levels(int64_t n_classes, Vector<double> origin, Vector<double> scale,
                        Array<uint8_t, 2> low, Array<uint8_t, 2> high) {
  const int64_t n_machines = pairs_of(n_classes), n_panels = panels_for(n_classes);
  const auto fits = [&](const auto& levels) {
    return extent(levels) == n_machines && extent(levels, 1) == n_panels * panel_width;
  };
  require(extent(origin) == n_machines && extent(scale) == n_machines,
          "origin and scale need one entry per machine");
  require(fits(low) && fits(high), "levels need a row per machine and a column per padded class");
  return {{n_classes, n_panels, origin.data(), scale.data(), low.data(), high.data()},
          n_machines,
          own(origin, scale, low, high)};
}

// The mean variance of all classes on each machine: the sum of weight * spread².
void pooled_variance(const std::string& instruction_set, Array<uint16_t, 2> spread,
                     Vector<float> weight, Output<float, 1> pooled) {
  const int64_t n_machines = extent(pooled);
  require(extent(weight) == extent(spread) && extent(spread, 1) == n_machines,
          "a number per class and machine is needed");
  const InstructionSet& set = instruction_set_named(instruction_set);
  const nb::gil_scoped_release release;
  std::fill_n(pooled.data(), n_machines, 0.0f);
  for (int64_t c = 0; c < extent(weight); ++c)
    set.add_variances(spread.data() + c * n_machines, weight.data()[c], n_machines, pooled.data());
}

// The levels of machines begin ... end - 1.
void margin_levels(const std::string& instruction_set, const BoundRanges& ranges, int64_t begin,
                   int64_t end, Output<double, 1> origin, Output<double, 1> scale,
                   Output<uint8_t, 2> low, Output<uint8_t, 2> high) {
  const RangesView& r = ranges.view;
  const auto fits = [&](const auto& levels) {
    return extent(levels) == r.n_machines && extent(levels, 1) >= r.n_classes;
  };
  require(extent(origin) == r.n_machines && extent(scale) == r.n_machines && fits(low) &&
              fits(high) && extent(low, 1) == extent(high, 1),
          "a row per machine and a column per class are needed");
  require(0 <= begin && begin <= end && end <= r.n_machines, "there are no such machines");
  const MarginLevels made{r.n_classes,  r.n_machines,   r.low,      r.high,        r.spread,
                          r.pooled,     r.freedom,      r.widening, r.pooled_rows, origin.data(),
                          scale.data(), extent(low, 1), low.data(), high.data()};
  const InstructionSet& set = instruction_set_named(instruction_set);
  const nb::gil_scoped_release release;
  set.margin_levels(made, begin, end);
}

// Levels at which all classes are plausible, for machines of some of the pairs.
BoundLevels make_pairs(int64_t n_classes, Vector<int64_t> start, Vector<int32_t> partner) {
  require(n_classes >= 2 && extent(start) == n_classes + 1, "every class has a start");
  require_offsets(start, partner.size(), "start must rise from 0 to the number of machines");
  for (int64_t i = 0; i < n_classes; ++i)
    for (int64_t m = start.data()[i]; m < start.data()[i + 1]; ++m) {
      const int64_t before = m == start.data()[i] ? i : partner.data()[m - 1];
      require(before < partner.data()[m] && partner.data()[m] < n_classes,
              "the partners of a class are higher classes, in order");
    }
  return {{n_classes, panels_for(n_classes), nullptr, nullptr, nullptr, nullptr, start.data(),
           partner.data()},
          extent(partner),
          own(start, partner)};
}

// The reaches of the rows of some classes.
nb::object reaches(Array<double, 2> values, Vector<int64_t> edges, Array<int32_t, 2> pairs,
                   Array<double, 2> variance, Vector<double> freedom, Vector<double> reached,
                   double pooled_rows, int64_t begin, int64_t end) {
  const int64_t k = extent(freedom), n_machines = extent(values), n_rows = extent(values, 1);
  require(extent(edges) == k + 1, "every class has an edge");
  require_offsets(edges, n_rows, "edges must rise from 0 to the number of rows");
  require(extent(pairs) == n_machines && extent(pairs, 1) == 2, "a machine has two classes");
  require(extent(variance) == k && extent(variance, 1) == n_machines && extent(reached) == k,
          "a variance per class and machine, and a number per class is needed");
  require(0 <= begin && begin <= end && end <= k, "there are no such classes");
  const ReachesView view{k,
                         n_machines,
                         n_rows,
                         values.data(),
                         edges.data(),
                         pairs.data(),
                         variance.data(),
                         freedom.data(),
                         reached.data(),
                         pooled_rows};
  std::vector<double> found;
  {
    const nb::gil_scoped_release release;
    add_reaches(view, begin, end, found);
  }
  return to_numpy(std::move(found));
}

BoundRanges make_ranges(Array<uint16_t, 2> low, Array<uint16_t, 2> high, Array<uint16_t, 2> spread,
                        Vector<float> pooled, Vector<float> freedom, Vector<float> widening,
                        float pooled_rows) {
  const int64_t n_classes = extent(freedom), n_machines = n_classes * (n_classes - 1) / 2;
  const auto fits = [&](const auto& of_class) {
    return extent(of_class) == n_classes && extent(of_class, 1) == n_machines;
  };
  require(n_classes >= 2 && fits(low) && fits(high) && fits(spread),
          "a number per class and machine is needed");
  require(extent(pooled) == n_machines && extent(widening) == n_classes,
          "a pooled variance per machine and a widening per class are needed");
  return {{n_classes, n_machines, low.data(), high.data(), spread.data(), pooled.data(),
           freedom.data(), widening.data(), pooled_rows},
          own(low, high, spread, pooled, freedom, widening)};
}

}  // namespace

void bind_routing(nb::module_& module) {
  module.attr("CLOSE_VALUE") = close_value;
  module.attr("MOST_ASIDE") = most_aside;
  module.attr("VALUE_IN_VOTES") = value_in_votes;
  module.attr("HIGHEST_LEVEL") = highest_level;
  module.def("reaches", &reaches, nb::kw_only(), "values"_a, "edges"_a, "pairs"_a, "variance"_a,
             "freedom"_a, "reached"_a, "pooled_rows"_a, "begin"_a, "end"_a);
  module.def("choose", &choose, nb::kw_only(), "instruction_set"_a, "n_classes"_a, "to_i"_a,
             "to_j"_a, "score"_a, "cost"_a, "criterion"_a, "candidates"_a, "machine"_a.noconvert());

  nb::class_<BoundDag>(module, "Dag")
      .def(nb::new_(&make_dag), nb::kw_only(), "n_classes"_a, "machine"_a, "first_cut"_a,
           "first_child"_a, "cuts"_a, "child"_a)
      .def("walk_signs", &walk_signs, "signs"_a, "row"_a, "node"_a.noconvert(),
           "slot"_a.noconvert());
  nb::class_<BoundRanges>(module, "Ranges")
      .def(nb::new_(&make_ranges), nb::kw_only(), "low"_a, "high"_a, "spread"_a, "pooled"_a,
           "freedom"_a, "widening"_a, "pooled_rows"_a);
  module.def("pooled_variance", &pooled_variance, nb::kw_only(), "instruction_set"_a, "spread"_a,
             "weight"_a, "pooled"_a.noconvert());
  module.def("margin_levels", &margin_levels, nb::kw_only(), "instruction_set"_a, "ranges"_a,
             "begin"_a, "end"_a, "origin"_a.noconvert(), "scale"_a.noconvert(), "low"_a.noconvert(),
             "high"_a.noconvert());
  nb::class_<BoundLevels>(module, "Levels")
      .def(nb::new_(&make_levels), nb::kw_only(), "n_classes"_a, "origin"_a, "scale"_a, "low"_a,
           "high"_a)
      .def_static("of_pairs", &make_pairs, nb::kw_only(), "n_classes"_a, "start"_a, "partner"_a);
}

}  // namespace dcsvm

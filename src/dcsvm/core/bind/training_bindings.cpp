// Bindings of the trainer. No arithmetic.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bind/binding_tools.hpp"
#include "train/ridge.hpp"
#include "train/trainer.hpp"

namespace dcsvm {
namespace {

using namespace nb::literals;

// Set to stop threads that do not hold the GIL.
struct Cancel {
  std::atomic<bool> requested{false};
};

struct BoundTrainer {
  std::variant<std::unique_ptr<Trainer<float>>, std::unique_ptr<Trainer<double>>> trainer;
  int64_t n_classes, n_machines;
  Owner owner;
};

template <class Real>
std::unique_ptr<Trainer<Real>> trainer_of(const TrainingParameters& parameters, const BoundRows& X,
                                          const std::string& instruction_set) {
  return std::make_unique<Trainer<Real>>(parameters, X.rows,
                                         instruction_set_named(instruction_set).table<Real>());
}

// C of every variant and row, and from which earlier variant each starts. With a place for every
// row whose decision values are wanted, elsewhere -1, these go to that row of `values`.
Variants checked_variants(const Array<double, 2>& C, const std::vector<int64_t>& start,
                          const std::optional<Array<int64_t, 2>>& place_shape,
                          const Kept<int64_t>& place,
                          const std::optional<Output<double, 2>>& values, int64_t n_rows,
                          int64_t n_classes) {
  const int64_t n = extent(C);
  require(static_cast<int64_t>(start.size()) == n && extent(C, 1) == n_rows,
          "a C for every variant and row is needed");
  for (int64_t v = 0; v < n; ++v)
    require(-1 <= start[v] && start[v] < v, "a variant starts from an earlier one");
  require(place_shape.has_value() == values.has_value(), "place and values go together");
  if (!values) return {n, n_rows, C.data(), start.data(), nullptr, nullptr};
  require(extent(*place_shape) == n && extent(*place_shape, 1) == n_rows,
          "a place for every variant and row is needed");
  require(extent(*values, 1) == n_classes, "values need a column per class");
  for (const int64_t to : *place)
    require(-1 <= to && to < extent(*values), "there is no such place");
  return {n, n_rows, C.data(), start.data(), place->data(), values->data()};
}

BoundTrainer make_trainer(const std::string& precision, const std::string& instruction_set,
                          const std::string& form, double coef0, int degree, const BoundRows& X,
                          Vector<double> centre, Vector<double> scale, double query_factor,
                          double bias_factor, std::optional<Array<double, 2>> own_centre,
                          std::optional<Array<double, 2>> own_scale,
                          Vector<int64_t> given_class_start, Array<double, 2> C,
                          Vector<int64_t> given_start, std::optional<Array<int64_t, 2>> given_place,
                          std::optional<Output<double, 2>> values, double tol, int64_t max_iter,
                          double norm_limit, int64_t shared_budget, int64_t pair_budget,
                          int64_t n_pairs, int64_t n_threads) {
  const auto class_start = keep(given_class_start), start = keep(given_start);
  const auto place = given_place ? keep(*given_place) : keep(given_start);
  const int64_t width = n_features(X.rows);
  require(precision == "single" || precision == "double", "precision is single or double");
  require(extent(centre) == width && extent(scale) == width,
          "centre and scale need one entry per feature");
  require_offsets(*class_start, static_cast<std::size_t>(n_rows(X.rows)),
                  "class_start must rise from 0 to the number of rows");
  const auto n_classes = extent(given_class_start) - 1;
  require(!own_scale.has_value() || form != "exp_dot", "exp_dot allows no scaling by machine");
  // Machines of all pairs, or of some.
  const int64_t n_machines =
      own_centre.has_value() ? extent(*own_centre) : n_classes * (n_classes - 1) / 2;
  require_own_map(own_centre, own_scale, n_machines, width);
  const FormParameters kernel{form_of(form), coef0, degree};
  const RowMap map{centre.data(), scale.data(),        query_factor,
                   bias_factor,   data_of(own_centre), data_of(own_scale)};
  const Variants variants =
      checked_variants(C, *start, given_place, place, values, n_rows(X.rows), n_classes);
  const TrainingParameters parameters{kernel,        map,         n_classes, class_start->data(),
                                      variants,      tol,         max_iter,  norm_limit,
                                      shared_budget, pair_budget, n_pairs,   n_threads};
  BoundTrainer made{
      {},
      n_classes,
      n_machines,
      own(X.owner, centre, scale, own_centre, own_scale, class_start, C, start, place, values)};
  if (precision == "single")
    made.trainer = trainer_of<float>(parameters, X, instruction_set);
  else
    made.trainer = trainer_of<double>(parameters, X, instruction_set);
  return made;
}

// Trains some pairs one after the other, all variants of each, until cancelled. Arrays of their
// numbers of support vectors, of these and their coefficients, intercepts, iterations, outcomes (0
// converged, 1 stopped at max_iter, 2 cancelled, 3 inexact) and ranges of values: the variants of
// the first pair, then those of the next.
nb::tuple train(const BoundTrainer& t, Vector<int32_t> first, Vector<int32_t> second,
                Vector<int64_t> machine, const Cancel& cancel) {
  const int64_t k = t.n_classes;
  require(first.size() == second.size() && first.size() == machine.size(),
          "first, second and machine must be of one length");
  for (std::size_t p = 0; p < first.size(); ++p)
    require(0 <= first.data()[p] && first.data()[p] < second.data()[p] && second.data()[p] < k,
            "a pair is two classes in order");
  require_within(machine, t.n_machines, "there is no such machine");
  TrainedPairs pairs;
  std::visit(
      [&](const auto& trainer) {
        const nb::gil_scoped_release release;
        for (std::size_t p = 0; p < first.size() && !cancel.requested; ++p)
          trainer->train(first.data()[p], second.data()[p], machine.data()[p], cancel.requested,
                         pairs);
      },
      t.trainer);
  return nb::make_tuple(to_numpy(std::move(pairs.n_support)), to_numpy(std::move(pairs.support)),
                        to_numpy(std::move(pairs.coef)), to_numpy(std::move(pairs.intercept)),
                        to_numpy(std::move(pairs.n_iter)), to_numpy(std::move(pairs.outcome)),
                        to_numpy(std::move(pairs.value_range)));
}

struct BoundRidge {
  std::unique_ptr<Ridge> ridge;
  int64_t n_rows, n_features, n_classes;
  Owner owner;
};

BoundRidge make_ridge(const std::string& instruction_set, Array<double, 2> Z,
                      Vector<int64_t> given_codes, Vector<double> weight, int64_t n_classes) {
  const int64_t n = extent(Z), d = extent(Z, 1);
  const auto codes = keep(given_codes);
  require(n > 0 && d > 0 && extent(given_codes) == n && extent(weight) == n,
          "a class and a weight per row are needed");
  require_within(*codes, n_classes, "there is no such class");
  const RidgeProblem problem{n, d, n_classes, Z.data(), codes->data(), weight.data()};
  return {std::make_unique<Ridge>(problem, instruction_set_named(instruction_set).in_double), n, d,
          n_classes, own(Z, codes, weight)};
}

void add_products(const BoundRidge& r, int64_t part) {
  require(0 <= part && part < Ridge::n_parts, "there is no such part");
  const nb::gil_scoped_release release;
  r.ridge->add_products(part);
}

// The weight of the rows that are right without themselves.
double leave_out(const BoundRidge& r, Vector<int64_t> rows, Output<double, 2> left_out) {
  require_within(rows, r.n_rows, "there is no such row");
  require(extent(left_out) == extent(rows) && extent(left_out, 1) == r.n_classes,
          "a score per row and class is needed");
  const nb::gil_scoped_release release;
  return r.ridge->leave_out(rows.data(), extent(rows), left_out.data());
}

void write_ridge(const BoundRidge& r, Output<double, 2> weights, Output<double, 1> intercept) {
  require(extent(weights) == r.n_classes && extent(weights, 1) == r.n_features &&
              extent(intercept) == r.n_classes,
          "a weight per class and feature is needed");
  r.ridge->write(weights.data(), intercept.data());
}

}  // namespace

void bind_trainer(nb::module_& module) {
  nb::class_<Cancel>(module, "Cancel").def(nb::init<>()).def("set", [](Cancel& cancel) {
    cancel.requested = true;
  });
  nb::class_<BoundTrainer>(module, "Trainer")
      .def(nb::new_(&make_trainer), nb::kw_only(), "precision"_a, "instruction_set"_a, "form"_a,
           "coef0"_a, "degree"_a, "X"_a, "centre"_a, "scale"_a, "query_factor"_a, "bias_factor"_a,
           "own_centre"_a.none(), "own_scale"_a.none(), "class_start"_a, "C"_a, "start"_a,
           "place"_a.none(), "values"_a.none(), "tol"_a, "max_iter"_a, "norm_limit"_a,
           "shared_budget"_a, "pair_budget"_a, "n_pairs"_a, "n_threads"_a)
      .def("train", &train, "first"_a, "second"_a, "machine"_a, "cancel"_a);
  nb::class_<BoundRidge>(module, "Ridge")
      .def(nb::new_(&make_ridge), nb::kw_only(), "instruction_set"_a, "Z"_a, "codes"_a, "weight"_a,
           "n_classes"_a)
      .def("add_products", &add_products, "part"_a)
      .def("finish_products", [](const BoundRidge& r) { r.ridge->finish_products(); })
      .def("solve", [](const BoundRidge& r, double penalty) { r.ridge->solve(penalty); })
      .def("leave_out", &leave_out, "rows"_a, "left_out"_a.noconvert())
      .def("write", &write_ridge, "weights"_a.noconvert(), "intercept"_a.noconvert())
      .def_prop_ro_static("n_parts", [](nb::handle) { return Ridge::n_parts; });
}

}  // namespace dcsvm

// Bindings of the trainer. No arithmetic.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/binding_tools.hpp"
#include "train/training.hpp"

namespace dcsvm {
namespace {

using namespace nb::literals;

// A wish to stop that threads hear without the GIL.
struct Cancel {
  std::atomic<bool> wished{false};
};

template <class T>
nb::object to_numpy(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

struct BoundTrainer {
  std::unique_ptr<Trainer> trainer;
  Owner owner;
};

BoundTrainer make_trainer(const std::string& instruction_set, const std::string& form, double coef0,
                          int degree, const BoundRows& X, Vector<double> centre,
                          Vector<double> scale, double query_factor, double bias_factor,
                          std::optional<Array<float, 2>> own_centre,
                          std::optional<Array<float, 2>> own_scale, Vector<int64_t> class_start,
                          Vector<double> C, double tol, int64_t max_iter, double most_norm,
                          int64_t shared_budget, int64_t pair_budget, int64_t n_threads) {
  const int64_t width = n_features(X.rows);
  require(
      static_cast<int64_t>(centre.size()) == width && static_cast<int64_t>(scale.size()) == width,
      "centre and scale need one entry per feature");
  require_offsets(class_start, static_cast<std::size_t>(n_rows(X.rows)),
                  "class_start must rise from 0 to the number of rows");
  require(static_cast<int64_t>(C.size()) == n_rows(X.rows), "a C for every row is needed");
  const auto n_classes = static_cast<int64_t>(class_start.size()) - 1;
  require(own_centre.has_value() == own_scale.has_value(), "centre and scale go together");
  require(!own_scale.has_value() || form != "exp_dot", "exp_dot knows no scaling by machine");
  for (const auto& own_map : {own_centre, own_scale})
    if (own_map.has_value())
      require(static_cast<int64_t>(own_map->shape(0)) == n_classes * (n_classes - 1) / 2 &&
                  static_cast<int64_t>(own_map->shape(1)) == width,
              "a row per machine and a column per feature are needed");
  const TrainingParameters parameters{{form_of(form), static_cast<float>(coef0), degree},
                                      centre.data(),
                                      scale.data(),
                                      static_cast<float>(query_factor),
                                      static_cast<float>(bias_factor),
                                      own_centre.has_value() ? own_centre->data() : nullptr,
                                      own_scale.has_value() ? own_scale->data() : nullptr,
                                      n_classes,
                                      class_start.data(),
                                      C.data(),
                                      tol,
                                      max_iter,
                                      most_norm,
                                      shared_budget,
                                      pair_budget,
                                      n_threads};
  const auto& evaluation = instruction_set_named(instruction_set).table<float>();
  std::unique_ptr<Trainer> trainer;
  {
    nb::gil_scoped_release release;
    trainer = std::make_unique<Trainer>(parameters, X.rows, evaluation);
  }
  return {std::move(trainer), own(X.owner, centre, scale, own_centre, own_scale, class_start, C)};
}

// Trains some pairs one after the other: how many support vectors each has, these and their
// coefficients one pair after the other, and per pair intercept, objective, iterations and outcome
// (0 converged, 1 stopped at max_iter, 2 cancelled, 3 inexact).
nb::tuple train(const BoundTrainer& t, Vector<int32_t> first, Vector<int32_t> second,
                Vector<int64_t> machine, const Cancel& cancel) {
  const int64_t k = t.trainer->parameters().n_classes;
  require(first.size() == second.size() && first.size() == machine.size(),
          "first, second and machine must be of one length");
  for (std::size_t p = 0; p < first.size(); ++p)
    require(0 <= first.data()[p] && first.data()[p] < second.data()[p] && second.data()[p] < k,
            "a pair is two classes in order");
  require_within(machine, k * (k - 1) / 2, "there is no such machine");
  std::vector<int64_t> n_support, support, n_iter, outcome;
  std::vector<double> coef, intercept, objective;
  {
    nb::gil_scoped_release release;
    for (std::size_t p = 0; p < first.size(); ++p) {
      const TrainedPair pair =
          t.trainer->train(first.data()[p], second.data()[p], machine.data()[p], cancel.wished);
      n_support.push_back(static_cast<int64_t>(pair.support.size()));
      support.insert(support.end(), pair.support.begin(), pair.support.end());
      coef.insert(coef.end(), pair.coef.begin(), pair.coef.end());
      intercept.push_back(pair.intercept);
      objective.push_back(pair.objective);
      n_iter.push_back(pair.n_iter);
      outcome.push_back(static_cast<int64_t>(pair.outcome));
      if (pair.outcome == Outcome::cancelled) break;
    }
  }
  return nb::make_tuple(to_numpy(std::move(n_support)), to_numpy(std::move(support)),
                        to_numpy(std::move(coef)), to_numpy(std::move(intercept)),
                        to_numpy(std::move(objective)), to_numpy(std::move(n_iter)),
                        to_numpy(std::move(outcome)));
}

}  // namespace

void bind_trainer(nb::module_& module) {
  nb::class_<Cancel>(module, "Cancel").def(nb::init<>()).def("set", [](Cancel& cancel) {
    cancel.wished = true;
  });
  nb::class_<BoundTrainer>(module, "Trainer")
      .def(
          "__init__",
          [](BoundTrainer* self, const std::string& instruction_set, const std::string& form,
             double coef0, int degree, const BoundRows& X, Vector<double> centre,
             Vector<double> scale, double query_factor, double bias_factor,
             std::optional<Array<float, 2>> own_centre, std::optional<Array<float, 2>> own_scale,
             Vector<int64_t> class_start, Vector<double> C, double tol, int64_t max_iter,
             double most_norm, int64_t shared_budget, int64_t pair_budget, int64_t n_threads) {
            new (self) BoundTrainer(make_trainer(instruction_set, form, coef0, degree, X, centre,
                                                 scale, query_factor, bias_factor, own_centre,
                                                 own_scale, class_start, C, tol, max_iter,
                                                 most_norm, shared_budget, pair_budget, n_threads));
          },
          nb::kw_only(), "instruction_set"_a, "form"_a, "coef0"_a, "degree"_a, "X"_a, "centre"_a,
          "scale"_a, "query_factor"_a, "bias_factor"_a, "own_centre"_a.none(), "own_scale"_a.none(),
          "class_start"_a, "C"_a, "tol"_a, "max_iter"_a, "most_norm"_a, "shared_budget"_a,
          "pair_budget"_a, "n_threads"_a)
      .def("train", &train, "first"_a, "second"_a, "machine"_a, "cancel"_a);
}

}  // namespace dcsvm

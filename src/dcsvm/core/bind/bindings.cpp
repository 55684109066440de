// Array casts, argument checks, and release of the GIL. No arithmetic.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "bind/binding_tools.hpp"
#include "predict/machines.hpp"

namespace dcsvm {
namespace {

using namespace nb::literals;

template <class Value>
BoundRows dense_rows(Array<Value, 2> values) {
  return {DenseRows<Value>{values.data(), static_cast<int64_t>(values.shape(0)),
                           static_cast<int64_t>(values.shape(1))},
          own(values)};
}

template <class Value, class Index>
BoundRows sparse_rows(Vector<Value> values, Vector<Index> indices, Vector<Index> start,
                      int64_t n_features) {
  require(values.size() == indices.size(), "as many indices as values are needed");
  require_offsets(start, values.size(), "row offsets must rise from 0 to the number of values");
  require_within(indices, n_features, "a column index is out of range");
  return {SparseRows<Value, Index>{values.data(), indices.data(), start.data(),
                                   static_cast<int64_t>(start.size()) - 1, n_features},
          own(values, indices, start)};
}

KernelKind kernel_kind(const std::string& name) {
  if (name == "linear") return KernelKind::linear;
  if (name == "poly") return KernelKind::polynomial;
  if (name == "rbf") return KernelKind::rbf;
  if (name == "sigmoid") return KernelKind::sigmoid;
  throw std::invalid_argument("unknown kernel: " + name);
}

struct BoundMachines {
  Machines machines;
  Owner owner;
};

BoundMachines make_machines(const std::string& kernel, double gamma, double coef0, int degree,
                            const BoundRows& pool, Vector<int64_t> start, Vector<int32_t> index,
                            Vector<double> coef, Vector<double> intercept,
                            std::optional<Array<double, 2>> centre,
                            std::optional<Array<double, 2>> inverse_scale) {
  const auto n_machines = intercept.size();
  require(start.size() == n_machines + 1, "start must have one entry more than there are machines");
  require(index.size() == coef.size(), "as many coefficients as support vectors are needed");
  require_offsets(start, index.size(), "start must rise from 0 to the number of coefficients");
  require_within(index, n_rows(pool.rows), "a support vector is not in the pool");
  require(centre.has_value() == inverse_scale.has_value(), "centre and scale go together");
  for (const auto& moments : {centre, inverse_scale})
    if (moments.has_value())
      require(moments->shape(0) == n_machines &&
                  static_cast<int64_t>(moments->shape(1)) == n_features(pool.rows),
              "centre and scale need one row per machine and one column per feature");
  return {{{kernel_kind(kernel), gamma, coef0, degree},
           pool.rows,
           static_cast<int64_t>(n_machines),
           start.data(),
           index.data(),
           coef.data(),
           intercept.data(),
           centre.has_value() ? centre->data() : nullptr,
           inverse_scale.has_value() ? inverse_scale->data() : nullptr},
          own(pool.owner, start, index, coef, intercept, centre, inverse_scale)};
}

void values(const BoundMachines& m, const BoundRows& X, Vector<int64_t> row,
            Vector<int32_t> machine, Output<double, 1> out) {
  require_rows_of_width(X, n_features(m.machines.pool));
  require(row.size() == machine.size() && row.size() == out.size(),
          "row, machine and out must be of one length");
  require_within(row, n_rows(X.rows), "a row is not in X");
  require_within(machine, m.machines.n_machines, "there is no such machine");
  nb::gil_scoped_release release;
  m.machines.values(X.rows, row.data(), machine.data(), static_cast<int64_t>(row.size()),
                    out.data());
}

void all_values(const BoundMachines& m, const BoundRows& X, int64_t begin, int64_t end,
                Output<double, 2> out) {
  require_rows_of_width(X, n_features(m.machines.pool));
  require(0 <= begin && begin <= end && end <= n_rows(X.rows), "rows are not in X");
  require(static_cast<int64_t>(out.shape(0)) == end - begin &&
              static_cast<int64_t>(out.shape(1)) == m.machines.n_machines,
          "out needs one row per row of X and one column per machine");
  nb::gil_scoped_release release;
  m.machines.all_values(X.rows, begin, end, out.data());
}

void distinct_support(const BoundMachines& m, Vector<int64_t> path_start, Vector<int32_t> machine,
                      Output<int64_t, 1> out) {
  require_offsets(path_start, machine.size(), "paths must rise from 0 to the number of machines");
  require(out.size() + 1 == path_start.size(), "out needs one entry per path");
  require_within(machine, m.machines.n_machines, "there is no such machine");
  nb::gil_scoped_release release;
  m.machines.distinct_support(path_start.data(), machine.data(), static_cast<int64_t>(out.size()),
                              out.data());
}

}  // namespace
}  // namespace dcsvm

NB_MODULE(_core, module) {
  using namespace dcsvm;
  // Objects alive when the interpreter ends are no reason for a library to print.
  nb::set_leak_warnings(false);

  nb::class_<BoundRows>(module, "Rows");
  module.def("dense_rows", &dense_rows<float>, "values"_a.noconvert());
  module.def("dense_rows", &dense_rows<double>, "values"_a.noconvert());
  const auto bind_sparse = [&](auto function) {
    module.def("sparse_rows", function, "values"_a.noconvert(), "indices"_a.noconvert(),
               "start"_a.noconvert(), "n_features"_a);
  };
  bind_sparse(&sparse_rows<float, int32_t>);
  bind_sparse(&sparse_rows<float, int64_t>);
  bind_sparse(&sparse_rows<double, int32_t>);
  bind_sparse(&sparse_rows<double, int64_t>);

  nb::class_<BoundMachines>(module, "Machines")
      .def(
          "__init__",
          [](BoundMachines* self, const std::string& kernel, double gamma, double coef0, int degree,
             const BoundRows& pool, Vector<int64_t> start, Vector<int32_t> index,
             Vector<double> coef, Vector<double> intercept, std::optional<Array<double, 2>> centre,
             std::optional<Array<double, 2>> inverse_scale) {
            new (self) BoundMachines(make_machines(kernel, gamma, coef0, degree, pool, start, index,
                                                   coef, intercept, centre, inverse_scale));
          },
          nb::kw_only(), "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a, "pool"_a, "start"_a,
          "index"_a, "coef"_a, "intercept"_a, "centre"_a = nb::none(),
          "inverse_scale"_a = nb::none())
      .def("values", &values, "X"_a, "row"_a, "machine"_a, "out"_a.noconvert())
      .def("all_values", &all_values, "X"_a, "begin"_a, "end"_a, "out"_a.noconvert())
      .def("distinct_support", &distinct_support, "path_start"_a, "machine"_a, "out"_a.noconvert());

  bind_engine(module);
  bind_trainer(module);
}

// Array casts, argument checks, and release of the GIL. No arithmetic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "machines.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using std::int32_t;
using std::int64_t;

template <class T, int n_dims>
using Array = nb::ndarray<const T, nb::ndim<n_dims>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = Array<T, 1>;

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

template <class Index>
void require_within(const Vector<Index>& index, int64_t bound, const char* message) {
  for (std::size_t e = 0; e < index.size(); ++e)
    require(index.data()[e] >= 0 && index.data()[e] < bound, message);
}

// start must run from 0 to length without stepping back.
template <class Index>
void require_offsets(const Vector<Index>& start, std::size_t length, const char* message) {
  require(start.size() > 0 && start.data()[0] == 0, message);
  for (std::size_t e = 1; e < start.size(); ++e)
    require(start.data()[e] >= start.data()[e - 1], message);
  require(static_cast<std::size_t>(start.data()[start.size() - 1]) == length, message);
}

// The core borrows arrays; what it borrows from is owned here, whatever its types.
using Owner = std::shared_ptr<const void>;
template <class... Arrays>
Owner own(const Arrays&... arrays) {
  return std::make_shared<const std::tuple<Arrays...>>(arrays...);
}

struct BoundRows {
  dcsvm::Rows rows;
  Owner owner;
};

template <class Value>
BoundRows dense_rows(Array<Value, 2> values) {
  return {dcsvm::DenseRows<Value>{values.data(), static_cast<int64_t>(values.shape(0)),
                                  static_cast<int64_t>(values.shape(1))},
          own(values)};
}

template <class Value, class Index>
BoundRows sparse_rows(Vector<Value> values, Vector<Index> indices, Vector<Index> start,
                      int64_t n_features) {
  require(values.size() == indices.size(), "as many indices as values are needed");
  require_offsets(start, values.size(), "row offsets must rise from 0 to the number of values");
  require_within(indices, n_features, "a column index is out of range");
  return {dcsvm::SparseRows<Value, Index>{values.data(), indices.data(), start.data(),
                                          static_cast<int64_t>(start.size()) - 1, n_features},
          own(values, indices, start)};
}

dcsvm::KernelKind kernel_kind(const std::string& name) {
  if (name == "linear") return dcsvm::KernelKind::linear;
  if (name == "poly") return dcsvm::KernelKind::polynomial;
  if (name == "rbf") return dcsvm::KernelKind::rbf;
  if (name == "sigmoid") return dcsvm::KernelKind::sigmoid;
  throw std::invalid_argument("unknown kernel: " + name);
}

struct BoundMachines {
  dcsvm::Machines machines;
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
  require_within(index, dcsvm::n_rows(pool.rows), "a support vector is not in the pool");
  require(centre.has_value() == inverse_scale.has_value(), "centre and scale go together");
  for (const auto& moments : {centre, inverse_scale})
    if (moments.has_value())
      require(moments->shape(0) == n_machines &&
                  static_cast<int64_t>(moments->shape(1)) == dcsvm::n_features(pool.rows),
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

void require_same_width(const BoundMachines& m, const BoundRows& X) {
  require(dcsvm::n_features(X.rows) == dcsvm::n_features(m.machines.pool),
          "X has another number of features than the support vectors");
}

void values(const BoundMachines& m, const BoundRows& X, Vector<int64_t> row,
            Vector<int32_t> machine,
            nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> out) {
  require_same_width(m, X);
  require(row.size() == machine.size() && row.size() == out.size(),
          "row, machine and out must be of one length");
  require_within(row, dcsvm::n_rows(X.rows), "a row is not in X");
  require_within(machine, m.machines.n_machines, "there is no such machine");
  nb::gil_scoped_release release;
  m.machines.values(X.rows, row.data(), machine.data(), static_cast<int64_t>(row.size()),
                    out.data());
}

void all_values(const BoundMachines& m, const BoundRows& X, int64_t begin, int64_t end,
                nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> out) {
  require_same_width(m, X);
  require(0 <= begin && begin <= end && end <= dcsvm::n_rows(X.rows), "rows are not in X");
  require(static_cast<int64_t>(out.shape(0)) == end - begin &&
              static_cast<int64_t>(out.shape(1)) == m.machines.n_machines,
          "out needs one row per row of X and one column per machine");
  nb::gil_scoped_release release;
  m.machines.all_values(X.rows, begin, end, out.data());
}

void distinct_support(const BoundMachines& m, Vector<int64_t> path_start, Vector<int32_t> machine,
                      nb::ndarray<int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> out) {
  require_offsets(path_start, machine.size(), "paths must rise from 0 to the number of machines");
  require(out.size() + 1 == path_start.size(), "out needs one entry per path");
  require_within(machine, m.machines.n_machines, "there is no such machine");
  nb::gil_scoped_release release;
  m.machines.distinct_support(path_start.data(), machine.data(), static_cast<int64_t>(out.size()),
                              out.data());
}

}  // namespace

NB_MODULE(_core, module) {
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
}

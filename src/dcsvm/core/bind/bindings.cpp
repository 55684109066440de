// Array casts, argument checks, and release of the GIL. No arithmetic.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bind/binding_tools.hpp"
#include "predict/distinct_support.hpp"
#include "predict/engine.hpp"

namespace dcsvm {
namespace {

using namespace nb::literals;

template <class Value>
BoundRows dense_rows(Array<Value, 2> values) {
  return {DenseRows<Value>{values.data(), extent(values), extent(values, 1)}, own(values)};
}

template <class Value, class Index>
BoundRows sparse_rows(Vector<Value> values, Vector<Index> given_indices, Vector<Index> given_start,
                      int64_t n_features) {
  const Kept<Index> indices = keep(given_indices), start = keep(given_start);
  require(values.size() == indices->size(), "as many indices as values are needed");
  require_offsets(*start, values.size(), "row offsets must rise from 0 to the number of values");
  require_within(*indices, n_features, "a column index is out of range");
  return {SparseRows<Value, Index>{values.data(), indices->data(), start->data(),
                                   extent(given_start) - 1, n_features},
          own(values, indices, start)};
}

void count_distinct_support(Vector<int64_t> given_start, Vector<int32_t> given_index,
                            int64_t n_vectors, Vector<int64_t> path_start, Vector<int32_t> machine,
                            Output<int64_t, 1> out) {
  const auto start = keep(given_start);
  const auto index = keep(given_index);
  require_offsets(*start, index->size(), "start must rise from 0 to the number of support vectors");
  require_within(*index, n_vectors, "a support vector is not in the pool");
  require_offsets(path_start, machine.size(), "paths must rise from 0 to the number of machines");
  require(out.size() + 1 == path_start.size(), "out needs one entry per path");
  require_within(machine, extent(given_start) - 1, "there is no such machine");
  nb::gil_scoped_release release;
  distinct_support(start->data(), index->data(), n_vectors, path_start.data(), machine.data(),
                   extent(out), out.data());
}

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

  module.attr("PANEL_WIDTH") = panel_width;
  module.def("instruction_sets", &instruction_sets);
  module.def("distinct_support", &count_distinct_support, nb::kw_only(), "start"_a, "index"_a,
             "n_vectors"_a, "path_start"_a, "machine"_a, "out"_a.noconvert());
  nb::exception<RowTooLong>(module, "RowTooLongError", PyExc_OverflowError);
  bind_routing(module);
  bind_engine(module);
  bind_trainer(module);
}

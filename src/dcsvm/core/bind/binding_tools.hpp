// What all bindings need: array types, argument checks, and what Python holds of the core.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "data/rows.hpp"
#include "predict/dag.hpp"
#include "predict/elimination.hpp"
#include "predict/trial.hpp"
#include "simd/evaluation.hpp"

namespace dcsvm {

namespace nb = nanobind;

template <class T, int n_dims>
using Array = nb::ndarray<const T, nb::ndim<n_dims>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = Array<T, 1>;
template <class T, int n_dims>
using Output = nb::ndarray<T, nb::ndim<n_dims>, nb::c_contig, nb::device::cpu>;

// Arrays stay writable for Python: what is relied on after it has been checked is copied before.
// The core then borrows the copy.
template <class T>
using Kept = std::shared_ptr<const std::vector<T>>;
template <class Numbers>
auto keep(const Numbers& numbers) {
  using T = std::decay_t<decltype(*numbers.data())>;
  return Kept<T>(
      std::make_shared<const std::vector<T>>(numbers.data(), numbers.data() + numbers.size()));
}

template <class Numbers>
int64_t extent(const Numbers& array, std::size_t axis = 0) {
  return static_cast<int64_t>(array.shape(axis));
}

inline void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

// How many pairs of classes there are; no product of what is let through overflows.
inline int64_t pairs_of(int64_t n_classes) {
  require(n_classes >= 2 && n_classes <= std::numeric_limits<int32_t>::max(),
          "at least two classes are needed, and no more than 2^31 - 1");
  return n_classes * (n_classes - 1) / 2;
}

template <class Numbers>
void require_within(const Numbers& index, int64_t bound, const char* message) {
  for (std::size_t e = 0; e < index.size(); ++e)
    require(index.data()[e] >= 0 && index.data()[e] < bound, message);
}

// Negative numbers stand for nothing.
template <class Numbers>
void require_below(const Numbers& index, int64_t bound, const char* message) {
  for (std::size_t e = 0; e < index.size(); ++e) require(index.data()[e] < bound, message);
}

// start must run from 0 to length without stepping back.
template <class Numbers>
void require_offsets(const Numbers& start, std::size_t length, const char* message) {
  require(start.size() > 0 && start.data()[0] == 0, message);
  for (std::size_t e = 1; e < start.size(); ++e)
    require(start.data()[e] >= start.data()[e - 1], message);
  require(static_cast<std::size_t>(start.data()[start.size() - 1]) == length, message);
}

// Whether there is a row for each of n machines, with a column for each of so many features.
template <class Matrix>
void require_own_map(const std::optional<Matrix>& centre, const std::optional<Matrix>& scale,
                     int64_t n_machines, int64_t width) {
  require(centre.has_value() == scale.has_value(), "centre and scale go together");
  for (const auto& map : {centre, scale})
    require(!map || (extent(*map) == n_machines && extent(*map, 1) == width),
            "a row per machine and a column per feature are needed");
}

template <class Numbers>
auto data_of(const std::optional<Numbers>& numbers) {
  return numbers ? numbers->data() : nullptr;
}

// The core borrows arrays; what it borrows from is owned here, whatever its types.
using Owner = std::shared_ptr<const void>;
template <class... Arrays>
Owner own(const Arrays&... arrays) {
  return std::make_shared<const std::tuple<Arrays...>>(arrays...);
}

// Arrays that Python is given for good.
template <class T>
nb::object to_numpy(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// What Python holds.
struct BoundRows {
  Rows rows;
  Owner owner;
};

struct BoundDag {
  DagView view;
  int64_t n_nodes;
  int32_t highest_machine;
  Owner owner;
};

struct BoundLevels {
  LevelsView view;
  int64_t n_machines;
  Owner owner;
};

struct BoundRanges {
  RangesView view;
  Owner owner;
};

// By the names that Python gives them.
Form form_of(const std::string& name);
const InstructionSet& instruction_set_named(const std::string& name);

void bind_routing(nb::module_& module);
void bind_engine(nb::module_& module);
void bind_trainer(nb::module_& module);

}  // namespace dcsvm

// What the engine computes at queries: values of machines, and walks.
#pragma once

#include <algorithm>

#include "predict/engine_parts.hpp"
#include "predict/groups.hpp"
#include "predict/row_values.hpp"

namespace dcsvm {

template <class Real>
Engine<Real>::Engine(const EngineParameters<Real>& parameters, const InstructionSet& set)
    : parameters_(parameters),
      set_(set),
      evaluation_(set.table<Real>()),
      kept_(parameters.is_linear() ? 0 : parameters.n_machines) {}

template <class Real>
Engine<Real>::~Engine() {
  for (const auto& panels : kept_) delete panels.load();
  const Aligned<Real> padded(padded_.load());
}

template <class Real>
typename Engine<Real>::Panels Engine<Real>::pack(int64_t machine) const {
  const EngineParameters<Real>& p = parameters_;
  const int64_t first = p.start[machine], n = p.start[machine + 1] - first;
  const int64_t n_panels = panels_for(n);
  const int64_t panel_size = p.n_features * panel_width, padded = n_panels * panel_width;
  const int64_t size = n_panels * panel_size + 2 * padded;
  Panels made{zeros<Real>(size), {}, size * int64_t{sizeof(Real)}};
  Real* panels = made.memory.get();
  Real* bias = panels + n_panels * panel_size;
  Real* coef = bias + padded;
  const Real* centre = p.own_centre == nullptr ? nullptr : p.own_centre + machine * p.n_features;
  const Real* scale = p.own_scale == nullptr ? nullptr : p.own_scale + machine * p.n_features;
  for (int64_t e = 0; e < n; ++e) {
    const int64_t vector = p.index[first + e];
    const Real* s = p.vectors + vector * p.n_features;
    Real* to = panels + e / panel_width * panel_size + e % panel_width;
    coef[e] = p.coef[first + e];
    if (centre == nullptr) {
      for (int64_t d = 0; d < p.n_features; ++d) to[d * panel_width] = s[d];
      bias[e] = p.vector_bias[vector];
      continue;
    }
    for (int64_t d = 0; d < p.n_features; ++d) to[d * panel_width] = (s[d] - centre[d]) * scale[d];
  }
  made.packed = {panels, bias, coef, n_panels};
  return made;
}

template <class Real>
const PackedMachine<Real>& Engine<Real>::panels_of(int64_t machine, Scratch& scratch) const {
  std::atomic<const Panels*>& place = kept_[machine];
  if (const Panels* kept = place.load(std::memory_order_acquire)) return kept->packed;
  auto made = std::make_unique<Panels>(pack(machine));
  if (panel_bytes_.fetch_add(made->bytes) + made->bytes > parameters_.panel_budget) {
    panel_bytes_ -= made->bytes;
    scratch.unkept = std::move(*made);
    return scratch.unkept.packed;
  }
  const Panels* kept = nullptr;
  if (place.compare_exchange_strong(kept, made.get(), std::memory_order_acq_rel))
    return made.release()->packed;
  panel_bytes_ -= made->bytes;  // another thread was first
  return kept->packed;
}

template <class Real>
void Engine<Real>::group_values(int64_t machine, const Queries<Real>& queries, const int32_t* which,
                                int64_t n, Scratch& scratch, double* out) const {
  const EngineParameters<Real>& p = parameters_;
  const double intercept = p.intercept[machine];
  if (p.is_linear()) {
    const Real* weights = p.vectors + machine * p.n_features;
    for (int64_t t = 0; t < n; ++t)
      out[t] = intercept +
               evaluation_.dot(weights, queries.rows + which[t] * p.n_features, p.n_features);
    return;
  }
  if (!has_vectors()) {
    if (scratch.row_values == nullptr) scratch.row_values = std::make_unique<RowValues>(*this);
    for (int64_t t = 0; t < n; ++t) {
      scratch.row_values->begin(queries.rows + which[t] * queries.n_features,
                                queries.bias[which[t]]);
      out[t] = scratch.row_values->value(machine);
    }
    return;
  }
  const PackedMachine<Real>& packed = panels_of(machine, scratch);
  if (p.own_scale == nullptr) {
    evaluation_.machine_values(p.form, packed, queries, which, n, scratch.lane_sums_for(n), out);
  } else {
    const Real* centre = p.own_centre + machine * p.n_features;
    const Real* scale = p.own_scale + machine * p.n_features;
    scratch.mapped.resize(mapped_at_once * p.n_features);
    scratch.mapped_bias.assign(mapped_at_once, Real{0});
    scratch.in_order.resize(mapped_at_once);
    for (int64_t begin = 0; begin < n; begin += mapped_at_once) {
      const int64_t count = std::min(mapped_at_once, n - begin);
      for (int64_t t = 0; t < count; ++t) {
        const Real* q = queries.rows + which[begin + t] * p.n_features;
        Real* to = scratch.mapped.data() + t * p.n_features;
        for (int64_t d = 0; d < p.n_features; ++d)
          to[d] = (q[d] - centre[d]) * scale[d] * p.query_factor;
        scratch.in_order[t] = static_cast<int32_t>(t);
      }
      const Queries<Real> mapped{scratch.mapped.data(), scratch.mapped_bias.data(), p.n_features};
      evaluation_.machine_values(p.form, packed, mapped, scratch.in_order.data(), count,
                                 scratch.lane_sums_for(count), out + begin);
    }
  }
  for (int64_t t = 0; t < n; ++t) out[t] += intercept;
}

template <class Real>
void Engine<Real>::mark_longer(const Rows& X, double norm_limit, bool* out) const {
  EngineParameters<Real> limited = parameters_;
  limited.norm_limit = norm_limit;
  std::vector<Real> q(limited.query_width());
  Loader loader(limited);
  for (int64_t row = 0; row < n_rows(X); ++row) {
    out[row] = false;
    try {
      loader.load(X, row, q.data());
    } catch (const RowTooLong&) {
      out[row] = true;
    }
  }
}

template <class Real>
void Engine<Real>::values(const Rows& X, const int64_t* row, const int32_t* machine, int64_t n,
                          double* out) const {
  const EngineParameters<Real>& p = parameters_;
  if (keeps_values()) return values_by_row(X, row, machine, n, out);
  std::vector<Real> q(n * p.query_width()), bias(n);
  Loader loader(p);
  std::vector<int32_t> all(n);
  for (int64_t t = 0; t < n; ++t) {
    bias[t] = loader.load(X, row[t], q.data() + t * p.query_width());
    all[t] = static_cast<int32_t>(t);
  }
  const Queries<Real> queries{q.data(), bias.data(), p.query_width()};
  Scratch scratch{};
  std::vector<double> value;
  Groups groups(p.n_machines);
  const auto evaluate = [&](int32_t m, const int32_t* members, int64_t n_members) {
    value.resize(n_members);
    group_values(m, queries, members, n_members, scratch, value.data());
    for (int64_t t = 0; t < n_members; ++t) out[members[t]] = value[t];
  };
  groups.each(all, [&](int32_t t) { return machine[t]; }, evaluate);
}

template <class Real>
void Engine<Real>::walk(const DagView& dag, const Rows& X, const int64_t* row, int64_t n,
                        int32_t* node, int64_t* slot, int64_t* n_evaluated) const {
  const EngineParameters<Real>& p = parameters_;
  std::vector<Real> q(n * p.query_width()), bias(n);
  Loader loader(p);
  std::vector<int32_t> under_way, going_on;
  for (int64_t t = 0; t < n; ++t) {
    bias[t] = loader.load(X, row[t], q.data() + t * p.query_width());
    slot[t] = -1;
    if (node[t] >= dag.n_classes) under_way.push_back(static_cast<int32_t>(t));
  }
  const Queries<Real> queries{q.data(), bias.data(), p.query_width()};
  Scratch scratch{};
  std::vector<double> value;
  Groups groups(p.n_machines);
  const auto evaluate = [&](int32_t m, const int32_t* members, int64_t n_members) {
    value.resize(n_members);
    group_values(m, queries, members, n_members, scratch, value.data());
    for (int64_t i = 0; i < n_members; ++i) {
      const int32_t t = members[i];
      const int64_t place = dag.slot(node[t], value[i]);
      const int32_t child = dag.child[place];
      if (n_evaluated != nullptr) ++n_evaluated[t];
      if (child < 0) {
        slot[t] = place;
        continue;
      }
      node[t] = child;
      if (child >= dag.n_classes) going_on.push_back(t);
    }
  };
  for (int64_t n_rounds = 0; !under_way.empty(); under_way.swap(going_on)) {
    require_end(dag, ++n_rounds);
    going_on.clear();
    groups.each(under_way, [&](int32_t t) { return dag.machine[node[t]]; }, evaluate);
  }
}

template <class Real>
int64_t Engine<Real>::walk_one(const DagView& dag, const Rows& x) const {
  std::vector<Real> q(parameters_.query_width());
  const Real bias = Loader(parameters_).load(x, 0, q.data());
  const Queries<Real> query{q.data(), &bias, parameters_.query_width()};
  const int32_t only = 0;
  Scratch scratch{};
  auto node = static_cast<int32_t>(dag.n_classes);
  for (int64_t n_rounds = 0; node >= dag.n_classes;) {
    require_end(dag, ++n_rounds);
    double value;
    group_values(dag.machine[node], query, &only, 1, scratch, &value);
    const int64_t place = dag.slot(node, value);
    node = dag.child[place];
    if (node < 0) return -1 - place;
  }
  return node;
}

}  // namespace dcsvm

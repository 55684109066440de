#include "predict/engine.hpp"

#include <algorithm>
#include <cstring>

#include "predict/engine_parts.hpp"
#include "predict/groups.hpp"

namespace dcsvm {

using std::int32_t;
using std::int64_t;

namespace {

// Bytes of kernel values that a vote should find in the second-level cache.
constexpr int64_t cached_bytes = 384 << 10;

// The machines in an order in which the kernel values of as many classes j as the cache holds serve
// all classes i before the next are looked at.
std::vector<int32_t> order_for_votes(const EngineParameters& p) {
  std::vector<int32_t> order;
  if (p.form.form == Form::identity || p.own_scale != nullptr) return order;
  int64_t k = 2;
  while (k * (k - 1) / 2 < p.n_machines) ++k;
  const int64_t bytes_of_class = p.n_vectors * vote_block * int64_t{sizeof(float)} / k + 1;
  const int64_t at_once = std::max<int64_t>(1, cached_bytes / bytes_of_class);
  order.reserve(p.n_machines);
  for (int64_t begin = 0; begin < k; begin += at_once)
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = std::max(begin, i + 1); j < std::min(begin + at_once, k); ++j)
        order.push_back(static_cast<int32_t>(i * (2 * k - i - 1) / 2 + j - i - 1));
  return order;
}

}  // namespace

Engine::Engine(const EngineParameters& parameters, const InstructionSet& set)
    : parameters_(parameters),
      set_(set),
      evaluation_(set.table<float>()),
      vote_order_(order_for_votes(parameters)),
      kept_(parameters.form.form == Form::identity ? 0 : parameters.n_machines) {}

Engine::~Engine() {
  for (const auto& panels : kept_) delete panels.load();
}

Engine::Panels Engine::pack(int64_t machine) const {
  const EngineParameters& p = parameters_;
  const int64_t first = p.start[machine], n = p.start[machine + 1] - first;
  const int64_t n_panels = (n + panel_width - 1) / panel_width;
  const int64_t panel_size = p.n_features * panel_width, padded = n_panels * panel_width;
  const int64_t size = n_panels * panel_size + 2 * padded;
  Panels made{aligned<float>(size), {}, size * int64_t{sizeof(float)}};
  float* panels = made.memory.get();
  float* bias = panels + n_panels * panel_size;
  float* coef = bias + padded;
  std::memset(panels, 0, size * sizeof(float));
  const float* centre = p.own_centre == nullptr ? nullptr : p.own_centre + machine * p.n_features;
  const float* scale = p.own_scale == nullptr ? nullptr : p.own_scale + machine * p.n_features;
  for (int64_t e = 0; e < n; ++e) {
    const int64_t vector = p.index[first + e];
    const float* s = p.vectors + vector * p.n_features;
    float* to = panels + e / panel_width * panel_size + e % panel_width;
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

const PackedMachine<float>& Engine::panels_of(int64_t machine, Scratch& scratch) const {
  std::atomic<const Panels*>& place = kept_[machine];
  if (const Panels* kept = place.load(std::memory_order_acquire)) return kept->packed;
  Panels made = pack(machine);
  const std::lock_guard<std::mutex> lock(keeping_);
  if (const Panels* kept = place.load(std::memory_order_acquire)) return kept->packed;
  if (panel_bytes_ + made.bytes > parameters_.panel_budget) {
    scratch.unkept = std::move(made);
    return scratch.unkept.packed;
  }
  panel_bytes_ += made.bytes;
  const Panels* kept = new Panels(std::move(made));
  place.store(kept, std::memory_order_release);
  return kept->packed;
}

void Engine::group_values(int64_t machine, const Queries<float>& queries, const int32_t* which,
                          int64_t n, Scratch& scratch, double* out) const {
  const EngineParameters& p = parameters_;
  const double intercept = p.intercept[machine];
  if (p.form.form == Form::identity) {
    const float* weights = p.vectors + machine * p.n_features;
    for (int64_t t = 0; t < n; ++t)
      out[t] = intercept +
               evaluation_.dot(weights, queries.rows + which[t] * p.n_features, p.n_features);
    return;
  }
  const PackedMachine<float>& packed = panels_of(machine, scratch);
  if (p.own_scale == nullptr) {
    evaluation_.machine_values(p.form, packed, queries, which, n, scratch.lane_sums_for(n), out);
  } else {
    const float* centre = p.own_centre + machine * p.n_features;
    const float* scale = p.own_scale + machine * p.n_features;
    scratch.mapped.resize(mapped_at_once * p.n_features);
    scratch.mapped_bias.assign(mapped_at_once, 0.0f);
    scratch.in_order.resize(mapped_at_once);
    for (int64_t begin = 0; begin < n; begin += mapped_at_once) {
      const int64_t count = std::min(mapped_at_once, n - begin);
      for (int64_t t = 0; t < count; ++t) {
        const float* q = queries.rows + which[begin + t] * p.n_features;
        float* to = scratch.mapped.data() + t * p.n_features;
        for (int64_t d = 0; d < p.n_features; ++d)
          to[d] = (q[d] - centre[d]) * scale[d] * p.query_factor;
        scratch.in_order[t] = static_cast<int32_t>(t);
      }
      const Queries<float> mapped{scratch.mapped.data(), scratch.mapped_bias.data(), p.n_features};
      evaluation_.machine_values(p.form, packed, mapped, scratch.in_order.data(), count,
                                 scratch.lane_sums_for(count), out + begin);
    }
  }
  for (int64_t t = 0; t < n; ++t) out[t] += intercept;
}

void Engine::values(const Rows& X, const int64_t* row, const int32_t* machine, int64_t n,
                    double* out) const {
  const EngineParameters& p = parameters_;
  if (keeps_values()) return values_by_row(X, row, machine, n, out);
  std::vector<float> q(n * p.n_features), bias(n);
  Loader loader(p);
  std::vector<int32_t> all(n);
  for (int64_t t = 0; t < n; ++t) {
    bias[t] = loader.load(X, row[t], q.data() + t * p.n_features);
    all[t] = static_cast<int32_t>(t);
  }
  const Queries<float> queries{q.data(), bias.data(), p.n_features};
  Scratch scratch{};
  std::vector<double> value;
  Groups groups(p.n_machines);
  const auto ask = [&](int32_t m, const int32_t* members, int64_t n_members) {
    value.resize(n_members);
    group_values(m, queries, members, n_members, scratch, value.data());
    for (int64_t t = 0; t < n_members; ++t) out[members[t]] = value[t];
  };
  groups.each(all, [&](int32_t t) { return machine[t]; }, ask);
}

void Engine::walk(const DagView& dag, const Rows& X, const int64_t* row, int64_t n, int32_t* node,
                  int64_t* slot, int64_t* asked) const {
  const EngineParameters& p = parameters_;
  std::vector<float> q(n * p.n_features), bias(n);
  Loader loader(p);
  std::vector<int32_t> under_way, going_on;
  for (int64_t t = 0; t < n; ++t) {
    bias[t] = loader.load(X, row[t], q.data() + t * p.n_features);
    slot[t] = -1;
    if (node[t] >= dag.n_classes) under_way.push_back(static_cast<int32_t>(t));
  }
  const Queries<float> queries{q.data(), bias.data(), p.n_features};
  Scratch scratch{};
  std::vector<double> value;
  Groups groups(p.n_machines);
  const auto ask = [&](int32_t m, const int32_t* members, int64_t n_members) {
    value.resize(n_members);
    group_values(m, queries, members, n_members, scratch, value.data());
    for (int64_t i = 0; i < n_members; ++i) {
      const int32_t t = members[i];
      const int64_t place = dag.slot(node[t], value[i]);
      const int32_t child = dag.child[place];
      if (asked != nullptr) ++asked[t];
      if (child < 0) {
        slot[t] = place;
        continue;
      }
      node[t] = child;
      if (child >= dag.n_classes) going_on.push_back(t);
    }
  };
  for (; !under_way.empty(); under_way.swap(going_on)) {
    going_on.clear();
    groups.each(under_way, [&](int32_t t) { return dag.machine[node[t]]; }, ask);
  }
}

int64_t Engine::walk_one(const DagView& dag, const Rows& x) const {
  std::vector<float> q(parameters_.n_features);
  const float bias = Loader(parameters_).load(x, 0, q.data());
  const Queries<float> query{q.data(), &bias, parameters_.n_features};
  const int32_t only = 0;
  Scratch scratch{};
  auto node = static_cast<int32_t>(dag.n_classes);
  while (node >= dag.n_classes) {
    double value;
    group_values(dag.machine[node], query, &only, 1, scratch, &value);
    const int64_t place = dag.slot(node, value);
    node = dag.child[place];
    if (node < 0) return -1 - place;
  }
  return node;
}

void walk_by_signs(const DagView& dag, const std::uint8_t* signs, int64_t stride,
                   const int64_t* row, int64_t n, int32_t* node, int64_t* slot) {
  for (int64_t t = 0; t < n; ++t) {
    slot[t] = -1;
    while (node[t] >= dag.n_classes) {
      const std::uint8_t byte = signs[dag.machine[node[t]] * stride + row[t] / 8];
      const int64_t place = dag.slot(node[t], byte >> (row[t] % 8) & 1 ? 1.0 : -1.0);
      if (dag.child[place] < 0) {
        slot[t] = place;
        break;
      }
      node[t] = dag.child[place];
    }
  }
}

}  // namespace dcsvm

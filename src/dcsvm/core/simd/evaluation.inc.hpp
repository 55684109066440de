// Kernel values and decision values, compiled for one instruction set by each file that includes
// it.
//
// The heart is a tile: R queries against P panels of vectors, R x P x 16 sums held in registers
// while the features are gone through once. Each sum is a chain of its own, in the order of the
// features, so that its value does not depend on R and P.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <type_traits>

#include "simd/evaluation.hpp"
#include "simd/lanes.hpp"

namespace dcsvm {
namespace {

// Tiles as large as the registers allow: rows by panels, and for kernel_panel likewise; and vectors
// of indexed_kernel.
template <class Real>
struct Tile {
  static constexpr int n = n_registers<Real>;
  static constexpr bool many = n_vector_registers == 32;
  static constexpr int rows = many ? (n == 8 ? 2 : 4) : (n == 8 ? 1 : (n == 2 ? 3 : 2));
  static constexpr int panels = many ? (n == 8 ? 1 : 4 / n) : (n == 2 ? 2 : 1);
  static constexpr int kernel_rows = sizeof(Real) == 4 ? 2 * rows : rows;
  static constexpr int kernel_panels = panels > 1 ? 2 : 1;
  static constexpr int vectors = n == 1 ? 8 : (n == 8 ? 2 : 4);
};
// Sums over more panels than this are moved on to double precision.
constexpr int64_t panels_per_sum = 64;

struct Product {
  template <class Lanes>
  static Lanes step(const Lanes& q, const Lanes& s, const Lanes& sum) {
    return multiply_add(q, s, sum);
  }
};

struct SquaredDifference {
  template <class Lanes>
  static Lanes step(const Lanes& q, const Lanes& s, const Lanes& sum) {
    const Lanes difference = q - s;
    return multiply_add(difference, difference, sum);
  }
};

template <class Real>
struct ExpDot {
  using Step = Product;
  Lanes<Real> operator()(const Lanes<Real>& sum, const Lanes<Real>& bias) const {
    return exp2(sum + bias);
  }
};

template <class Real>
struct ExpDistance {
  using Step = SquaredDifference;
  Lanes<Real> operator()(const Lanes<Real>& sum, const Lanes<Real>&) const {
    return exp2(Lanes<Real>{} - sum);
  }
};

template <class Real>
struct Power {
  using Step = Product;
  Real coef0;
  int degree;
  Lanes<Real> operator()(const Lanes<Real>& sum, const Lanes<Real>&) const {
    return power(sum + broadcast(coef0), degree);
  }
};

template <class Real>
struct Tanh {
  using Step = Product;
  Real coef0;
  Lanes<Real> operator()(const Lanes<Real>& sum, const Lanes<Real>&) const {
    return tanh(sum + broadcast(coef0));
  }
};

template <class Real>
struct Identity {
  using Step = Product;
  Lanes<Real> operator()(const Lanes<Real>& sum, const Lanes<Real>&) const { return sum; }
};

template <class Real, class Visitor>
void with_form(const FormParameters& p, Visitor&& visit) {
  switch (p.form) {
    case Form::exp_dot:
      return visit(ExpDot<Real>{});
    case Form::exp_distance:
      return visit(ExpDistance<Real>{});
    case Form::power:
      return visit(Power<Real>{static_cast<Real>(p.coef0), p.degree});
    case Form::tanh:
      return visit(Tanh<Real>{static_cast<Real>(p.coef0)});
    case Form::identity:
      return visit(Identity<Real>{});
  }
}

template <int n>
using Count = std::integral_constant<int, n>;

template <class Step, int R, int P, class Real>
inline void tile(const Real* const (&row)[R], const Real* panels, int64_t n_features,
                 Lanes<Real> (&sum)[R][P]) {
  const int64_t panel_size = n_features * panel_width;
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p) sum[r][p] = Lanes<Real>{};
  for (int64_t d = 0; d < n_features; ++d) {
    Lanes<Real> s[P];
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p) s[p] = load(panels + p * panel_size + d * panel_width);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const Lanes<Real> q = broadcast(row[r][d]);
#pragma GCC unroll 8
      for (int p = 0; p < P; ++p) sum[r][p] = Step::step(q, s[p], sum[r][p]);
    }
  }
}

// Adds P panels' share to the sums of R queries.
template <int R, int P, class Form, class Real>
inline void add_panels(const Form& form, const PackedMachine<Real>& m, int64_t panel,
                       const Queries<Real>& q, const int32_t* which, Real* lane_sums) {
  const Real* row[R];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) row[r] = q.rows + which[r] * q.n_features;
  Lanes<Real> sum[R][P];
  tile<typename Form::Step, R, P>(row, m.panels + panel * q.n_features * panel_width, q.n_features,
                                  sum);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    Lanes<Real> total = load(lane_sums + r * panel_width);
    const Lanes<Real> query_bias = broadcast(q.bias[which[r]]);
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p) {
      const int64_t at = (panel + p) * panel_width;
      const Lanes<Real> kernel = form(sum[r][p], load(m.bias + at) + query_bias);
      total = multiply_add(kernel, load(m.coef + at), total);
    }
    store(lane_sums + r * panel_width, total);
  }
}

template <int P, class Form, class Real>
void add_panels_to_all(const Form& form, const PackedMachine<Real>& m, int64_t panel,
                       const Queries<Real>& q, const int32_t* which, int64_t n, Real* lane_sums) {
  int64_t t = 0;
  for (; t + Tile<Real>::rows <= n; t += Tile<Real>::rows)
    add_panels<Tile<Real>::rows, P>(form, m, panel, q, which + t, lane_sums + t * panel_width);
  if constexpr (Tile<Real>::rows > 2)
    for (; t + 2 <= n; t += 2)
      add_panels<2, P>(form, m, panel, q, which + t, lane_sums + t * panel_width);
  for (; t < n; ++t) add_panels<1, P>(form, m, panel, q, which + t, lane_sums + t * panel_width);
}

template <class Real>
void machine_values(const FormParameters& parameters, const PackedMachine<Real>& m,
                    const Queries<Real>& q, const int32_t* which, int64_t n, Real* lane_sums,
                    double* out) {
  with_form<Real>(parameters, [&](const auto& form) {
    std::memset(lane_sums, 0, n * panel_width * sizeof(Real));
    for (int64_t t = 0; t < n; ++t) out[t] = 0;
    for (int64_t begin = 0; begin < m.n_panels; begin += panels_per_sum) {
      const int64_t rest = m.n_panels - begin;
      const int64_t end = begin + (rest < panels_per_sum ? rest : panels_per_sum);
      int64_t panel = begin;
      for (; panel + Tile<Real>::panels <= end; panel += Tile<Real>::panels)
        add_panels_to_all<Tile<Real>::panels>(form, m, panel, q, which, n, lane_sums);
      if constexpr (Tile<Real>::panels > 2)
        for (; panel + 2 <= end; panel += 2)
          add_panels_to_all<2>(form, m, panel, q, which, n, lane_sums);
      for (; panel < end; ++panel) add_panels_to_all<1>(form, m, panel, q, which, n, lane_sums);
      for (int64_t t = 0; t < n; ++t) {
        out[t] += sum_of_lanes(load(lane_sums + t * panel_width));
        store(lane_sums + t * panel_width, Lanes<Real>{});
      }
    }
  });
}

template <int R, int P, class Form, class Real>
inline void kernel_tile(const Form& form, const Real* query_panels, const Real* query_bias,
                        const Real* vectors, const Real* vector_bias, int64_t n_features,
                        int64_t width, Real* kernel) {
  const Real* row[R];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) row[r] = vectors + r * n_features;
  Lanes<Real> sum[R][P];
  tile<typename Form::Step, R, P>(row, query_panels, n_features, sum);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p)
      store(kernel + r * width + p * panel_width,
            form(sum[r][p], load(query_bias + p * panel_width) + broadcast(vector_bias[r])));
}

template <class Real>
void kernel_panel(const FormParameters& parameters, const Real* query_panels,
                  const Real* query_bias, int64_t n_panels, const Real* vectors,
                  const Real* vector_bias, int64_t n_vectors, int64_t n_features, Real* kernel) {
  const int64_t width = n_panels * panel_width;
  constexpr int R = Tile<Real>::kernel_rows, P = Tile<Real>::kernel_panels;
  with_form<Real>(parameters, [&](const auto& form) {
    const auto run = [&](auto rows, auto panels, int64_t s, int64_t p) {
      kernel_tile<decltype(rows)::value, decltype(panels)::value>(
          form, query_panels + p * n_features * panel_width, query_bias + p * panel_width,
          vectors + s * n_features, vector_bias + s, n_features, width,
          kernel + s * width + p * panel_width);
    };
    int64_t p = 0;
    // Few vectors: more panels at a time keep the arithmetic busy.
    if (n_vectors < R)
      for (; p + Tile<Real>::panels <= n_panels; p += Tile<Real>::panels)
        for (int64_t s = 0; s < n_vectors; ++s) run(Count<1>{}, Count<Tile<Real>::panels>{}, s, p);
    while (p < n_panels) {
      const bool full = p + P <= n_panels;
      int64_t s = 0;
      for (; s + R <= n_vectors; s += R)
        full ? run(Count<R>{}, Count<P>{}, s, p) : run(Count<R>{}, Count<1>{}, s, p);
      for (; s < n_vectors; ++s)
        full ? run(Count<1>{}, Count<P>{}, s, p) : run(Count<1>{}, Count<1>{}, s, p);
      p += full ? P : 1;
    }
  });
}

// K(query, vectors[index[e]]) for V entries, vectors of n_blocks blocks of 16 features.
template <int V, class Form, class Real>
inline void indexed_sums(const Real* vectors, int64_t n_blocks, const int32_t* index,
                         const Real* query, Real* sums) {
  const Real* s[V];
  Lanes<Real> sum[V];
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) {
    s[v] = vectors + index[v] * n_blocks * n_lanes;
    sum[v] = Lanes<Real>{};
  }
  for (int64_t b = 0; b < n_blocks; ++b) {
    const Lanes<Real> q = load(query + b * n_lanes);
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) sum[v] = Form::Step::step(q, load(s[v] + b * n_lanes), sum[v]);
  }
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) sums[v] = own_sum_of_lanes(sum[v]);
}

template <class Real>
void indexed_kernel(const FormParameters& parameters, const Real* vectors, const Real* bias,
                    int64_t n_blocks, const int32_t* index, int64_t n, const Real* query,
                    Real query_bias, Real* kernel) {
  constexpr int V = Tile<Real>::vectors;
  with_form<Real>(parameters, [&](const auto& form) {
    using Form = std::decay_t<decltype(form)>;
    for (int64_t begin = 0; begin < n; begin += n_lanes) {
      const int64_t m = n - begin < n_lanes ? n - begin : n_lanes;
      // The last one is repeated: as fast as none, and no other case.
      int32_t which[n_lanes];
      for (int64_t e = 0; e < n_lanes; ++e) which[e] = index[begin + (e < m ? e : m - 1)];
      Real sums[n_lanes] = {}, biases[n_lanes] = {}, values[n_lanes];
      for (int64_t e = 0; e < m; e += V)
        indexed_sums<V, Form>(vectors, n_blocks, which + e, query, sums + e);
      for (int64_t e = 0; e < m; ++e) biases[e] = bias[which[e]] + query_bias;
      store(values, form(load(sums), load(biases)));
      for (int64_t e = 0; e < m; ++e) kernel[which[e]] = values[e];
    }
  });
}

template <class Real>
void apply_form(const FormParameters& parameters, Real* sums, int64_t n_panels) {
  with_form<Real>(parameters, [&](const auto& form) {
    for (Real* at = sums; at < sums + n_panels * panel_width; at += panel_width)
      store(at, form(load(at), Lanes<Real>{}));
  });
}

template <class Real>
double dot(const Real* weights, const Real* query, int64_t n_features) {
  Lanes<Real> sum[2] = {};
  int64_t d = 0;
  for (; d + 2 * n_lanes <= n_features; d += 2 * n_lanes)
    for (int p = 0; p < 2; ++p)
      sum[p] = multiply_add(load(weights + d + p * n_lanes), load(query + d + p * n_lanes), sum[p]);
  double total = sum_of_lanes(sum[0] + sum[1]);
  for (; d < n_features; ++d) total += static_cast<double>(weights[d]) * query[d];
  return total;
}

}  // namespace
}  // namespace dcsvm

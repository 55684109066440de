// Kernel values of one row with support vectors, whatever way these are held (see engine.hpp).
#pragma once

#include <cstring>
#include <vector>

#include "predict/engine.hpp"
#include "simd/aligned.hpp"

namespace dcsvm {

// With support vectors as they are stored, and c and v = factor * scale² of the machine's own
// standardisation (0 and factor where it has none), the sums that the form is a function of are
//
//   exp_distance  Σ v (q - s)²
//   others        Σ v (q - c)(s - c) = <direction, s> - <direction, c>,  direction = v (q - c)
//
// so that the support vectors are neither moved nor scaled.
template <class Real>
class Engine<Real>::RowKernel {
 public:
  explicit RowKernel(const Engine& engine)
      : engine_(engine),
        p_(engine.parameters_),
        n_blocks_(panels_for(p_.query_width())),
        query_(zeros<Real>(n_blocks_ * panel_width)) {}

  void begin(const Real* query, Real bias) {
    std::memcpy(query_.get(), query, p_.query_width() * sizeof(Real));
    bias_ = bias;
    if (p_.stored != nullptr && p_.own_scale == nullptr) prepare(nullptr, nullptr);
  }

  // The row as a machine with a standardisation of its own sees it.
  void standardise(int64_t machine) {
    prepare(p_.own_centre + machine * p_.n_features, p_.own_scale + machine * p_.n_features);
  }

  // kernel[index[e]] = K(row, vector index[e]) for n entries.
  void evaluate(const int32_t* index, int64_t n, Real* kernel) {
    if (p_.column != nullptr) {
      for (int64_t e = 0; e < n; ++e) kernel[index[e]] = query_[index[e]];
    } else if (p_.stored != nullptr) {
      sums_.resize(padded(n));
      std::visit([&](const auto& vectors) { sum_up(vectors, index, n); }, *p_.stored);
      engine_.evaluation_.apply_form(p_.form, sums_.data(), panels_for(n));
      for (int64_t e = 0; e < n; ++e) kernel[index[e]] = sums_[e];
    } else {
      engine_.evaluation_.indexed_kernel(p_.form, engine_.padded_vectors(), p_.vector_bias,
                                         n_blocks_, index, n, query_.get(), bias_, kernel);
    }
  }

 private:
  void prepare(const Real* centre, const Real* scale) {
    weight_.resize(p_.n_features);
    direction_.resize(p_.n_features);
    x_.resize(p_.n_features);
    norm_ = offset_ = 0;
    for (int64_t d = 0; d < p_.n_features; ++d) {
      const double q = query_[d], c = centre == nullptr ? 0 : centre[d];
      weight_[d] = p_.query_factor * (scale == nullptr ? 1.0 : double{scale[d]} * scale[d]);
      direction_[d] = weight_[d] * (q - c);
      offset_ -= direction_[d] * c;
      norm_ += weight_[d] * q * q;
      x_[d] = q;
    }
  }

  template <class Vectors>
  void sum_up(const Vectors& vectors, const int32_t* index, int64_t n) {
    const bool is_distance = p_.form.form == Form::exp_distance;
    for (int64_t e = 0; e < n; ++e)
      sums_[e] = static_cast<Real>(
          is_distance ? vectors.squared_distance(index[e], x_.data(), weight_.data(), norm_)
                      : vectors.dot(index[e], direction_.data()) + offset_);
  }

  const Engine& engine_;
  const EngineParameters<Real>& p_;
  const int64_t n_blocks_;
  Aligned<Real> query_;
  Real bias_ = 0;
  std::vector<double> x_, weight_, direction_;
  double norm_ = 0, offset_ = 0;
  std::vector<Real> sums_;
};

}  // namespace dcsvm

#include "train/packed_rows.hpp"

#include <algorithm>
#include <cmath>

namespace dcsvm {

template <class Real>
PackedRows<Real> RowPacker<Real>::room_for(int64_t n_rows) const {
  const int64_t n_panels = panels_for(n_rows);
  const int64_t width = n_panels * panel_width;
  return {aligned<Real>(n_rows * n_features_),
          zeros<Real>(width * n_features_),
          aligned<Real>(width),
          aligned<Real>(width),
          n_rows,
          n_panels};
}

// The first feature of a row in its panel; the others follow at distances of the panel width.
template <class Real>
Real* RowPacker<Real>::lane_of(const PackedRows<Real>& rows, int64_t t) const {
  return rows.panels.get() + t / panel_width * n_features_ * panel_width + t % panel_width;
}

template <class Real>
PackedRows<Real> RowPacker<Real>::pack(const Rows& X, int64_t begin, int64_t end) const {
  PackedRows<Real> packed = room_for(end - begin);
  std::vector<double> x(n_features_);
  for (int64_t t = 0; t < packed.n_rows; ++t) {
    Real* to = lane_of(packed, t);
    std::visit(
        [&](const auto& rows) {
          rows.scatter(begin + t, x.data());
          for (int64_t d = 0; d < n_features_; ++d)
            to[d * panel_width] = static_cast<Real>((x[d] - map_.centre[d]) * map_.scale[d]);
          rows.erase(begin + t, x.data());
        },
        X);
  }
  complete(packed);
  return packed;
}

template <class Real>
PackedRows<Real> RowPacker<Real>::standardised(const PackedRows<Real>& rows,
                                               int64_t machine) const {
  PackedRows<Real> packed = room_for(rows.n_rows);
  for (int64_t p = 0; p < rows.n_panels; ++p)
    for (int64_t d = 0; d < n_features_; ++d) {
      const auto centre = static_cast<Real>(map_.own_centre[machine * n_features_ + d]);
      const auto scale = static_cast<Real>(map_.own_scale[machine * n_features_ + d]);
      const int64_t at = (p * n_features_ + d) * panel_width;
      for (int64_t lane = 0; lane < panel_width; ++lane)
        packed.panels[at + lane] = (rows.panels[at + lane] - centre) * scale;
    }
  complete(packed);
  return packed;
}

template <class Real>
PackedRows<Real> RowPacker<Real>::chosen(const PackedRows<Real>& rows,
                                         const std::vector<int64_t>& which) const {
  PackedRows<Real> packed = room_for(static_cast<int64_t>(which.size()));
  std::fill_n(packed.bias.get(), packed.width(), Real{0});
  for (int64_t t = 0; t < packed.n_rows; ++t) {
    const Real* from = lane_of(rows, which[t]);
    Real* to = lane_of(packed, t);
    for (int64_t d = 0; d < n_features_; ++d) to[d * panel_width] = from[d * panel_width];
    packed.bias[t] = rows.bias[which[t]];
  }
  return packed;
}

// The row-major copy, bias and diagonal of rows in panels.
template <class Real>
void RowPacker<Real>::complete(PackedRows<Real>& rows) const {
  const auto query_factor = static_cast<Real>(map_.query_factor);
  const auto bias_factor = static_cast<Real>(map_.bias_factor);
  for (int64_t t = 0; t < rows.width(); ++t) {
    const Real* s = lane_of(rows, t);
    double squared_norm = 0;
    for (int64_t d = 0; d < n_features_; ++d) {
      squared_norm += static_cast<double>(s[d * panel_width]) * s[d * panel_width];
      if (t < rows.n_rows) rows.row_major[t * n_features_ + d] = s[d * panel_width] * query_factor;
    }
    rows.bias[t] = static_cast<Real>(bias_factor * squared_norm);
    rows.diagonal[t] = kernel_with_itself(squared_norm);
  }
}

template <class Real>
Real RowPacker<Real>::kernel_with_itself(double squared_norm) const {
  const double dot = static_cast<Real>(map_.query_factor) * squared_norm;
  switch (form_.form) {
    case Form::exp_dot:
    case Form::exp_distance:
      return 1;
    case Form::power:
      return static_cast<Real>(std::pow(dot + form_.coef0, form_.degree));
    case Form::tanh:
      return static_cast<Real>(std::tanh(dot + form_.coef0));
    case Form::identity:
      return static_cast<Real>(dot);
  }
  return 0;
}

template class RowPacker<float>;
template class RowPacker<double>;

}  // namespace dcsvm

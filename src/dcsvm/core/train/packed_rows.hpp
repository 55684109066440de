// Training rows in the two layouts that kernel_panel takes (simd/evaluation.hpp): row-major, for
// the row whose kernel values are computed, and interleaved in panels, for the rows it meets.
#pragma once

#include <vector>

#include "data/rows.hpp"
#include "simd/aligned.hpp"
#include "simd/evaluation.hpp"

namespace dcsvm {

template <class Real>
struct PackedRows {
  Aligned<Real> row_major, panels, bias, diagonal;
  int64_t n_rows, n_panels;

  int64_t width() const { return n_panels * panel_width; }
};

// A row x is stored as s = (x - centre) * scale; its row-major copy is multiplied by query_factor.
// exp_dot adds bias_factor * |s|² for either row.
struct RowMap {
  const double* centre;
  const double* scale;
  double query_factor, bias_factor;
  // With a standardisation for every pair, a pair maps s to (s - own_centre) * own_scale.
  const double* own_centre;  // n_pairs x n_features, or null
  const double* own_scale;   // n_pairs x n_features, or null
};

template <class Real>
class RowPacker {
 public:
  RowPacker(const FormParameters& form, const RowMap& map, int64_t n_features)
      : form_(form), map_(map), n_features_(n_features) {}

  // Rows begin to end of X.
  PackedRows<Real> pack(const Rows& X, int64_t begin, int64_t end) const;

  // The same rows, standardised for a machine.
  PackedRows<Real> standardised(const PackedRows<Real>& rows, int64_t machine) const;

  // Panels and bias of some of the rows.
  PackedRows<Real> chosen(const PackedRows<Real>& rows, const std::vector<int64_t>& which) const;

 private:
  PackedRows<Real> room_for(int64_t n_rows) const;
  Real* lane_of(const PackedRows<Real>& rows, int64_t t) const;
  void complete(PackedRows<Real>& rows) const;
  Real kernel_with_itself(double squared_norm) const;

  FormParameters form_;
  RowMap map_;
  int64_t n_features_;
};

}  // namespace dcsvm

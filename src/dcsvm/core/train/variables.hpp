// The dual variables of a binary problem that a solver moves, all or some of them, see smo.hpp.
#pragma once

#include <limits>
#include <vector>

#include "train/smo.hpp"

namespace dcsvm {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Arrays in two stretches, rows of y = 1 in the first and the others in the second, each padded to
// whole panels with variables that cannot move.
template <class Real>
struct Variables {
  // The variables of these rows, in rising order.
  Variables(const BinaryProblem<Real>& problem, const DualState& state, std::vector<int64_t> rows)
      : row(std::move(rows)) {
    for (const int64_t r : row) n_positive += r < problem.n_positive ? 1 : 0;
    length[0] = padded(n_positive);
    length[1] = padded(size() - n_positive);
    const int64_t room = length[0] + length[1];
    for (std::vector<double>* zeros : {&b, &low, &high, &f}) zeros->resize(room);
    diagonal.resize(room);
    falling_f.resize(room);
    cannot_rise.assign(room, infinity);
    cannot_fall.assign(room, infinity);
    for (int64_t t = 0; t < size(); ++t) {
      const int64_t at = place(t), r = row[t];
      (t < n_positive ? high : low)[at] = t < n_positive ? problem.C[r] : -problem.C[r];
      b[at] = state.b[r];
      f[at] = state.f[r];
      diagonal[at] = problem.diagonal[r];
      mark(at);
    }
  }

  int64_t size() const { return static_cast<int64_t>(row.size()); }

  // The place of the t-th variable in the arrays, and the number of the one at a place.
  int64_t place(int64_t t) const { return t < n_positive ? t : t - n_positive + length[0]; }
  int64_t number(int64_t at) const { return at < length[0] ? at : at - length[0] + n_positive; }

  void mark(int64_t at) {
    cannot_rise[at] = b[at] < high[at] ? 0 : infinity;
    cannot_fall[at] = b[at] > low[at] ? 0 : infinity;
  }

  // A bound that the step was cut at is met exactly, whatever the rounding.
  void rise(int64_t at, double step) {
    b[at] = step == high[at] - b[at] ? high[at] : b[at] + step;
    mark(at);
  }
  void fall(int64_t at, double step) {
    b[at] = step == b[at] - low[at] ? low[at] : b[at] - step;
    mark(at);
  }

  void write(DualState& state) const {
    for (int64_t t = 0; t < size(); ++t) {
      state.b[row[t]] = b[place(t)];
      state.f[row[t]] = f[place(t)];
    }
  }

  std::vector<int64_t> row;
  int64_t n_positive = 0, length[2];
  std::vector<double> b, low, high, f;
  std::vector<Real> diagonal, falling_f;
  // Zero, or infinity where a variable is at its bound (or is padding).
  std::vector<double> cannot_rise, cannot_fall;
};

}  // namespace dcsvm

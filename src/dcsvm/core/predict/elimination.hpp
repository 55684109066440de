// Elimination: classes that a decision value makes implausible are dropped until one is left.
//
// The candidates of a row are the classes with a score above -infinity. The champion, at first the
// one of the highest score, meets the best of the others: the loser of their machine is dropped,
// and so is every class for which the value is implausible. The winner is the champion of the next
// round. Of equal scores the first class counts as the higher. Where the champion and a challenger
// have no machine, the champion has the higher score, and the challenger is dropped.
//
// A machine's values are cut in levels, and a class is plausible at a range of levels:
//   level(v) = ceil((v - origin) * scale), within 0 ... highest_level.
#pragma once

#include <algorithm>
#include <limits>

#include "simd/panels.hpp"

namespace dcsvm {

// A loser by less is set aside, where the margin is 1.
constexpr double close_value = 0.4;
constexpr int most_aside = 8;
// What a value within the margin counts for beside votes.
constexpr double value_in_votes = 1e-3;

constexpr int highest_level = 255;

// The score of classes that are out, set aside, or meeting.
constexpr float no_score = -std::numeric_limits<float>::infinity();

// Classes are padded to whole panels; nothing is plausible for padding. Where the first four are
// null, any value is plausible for all but the loser. Where the last two are, every pair of classes
// has a machine.
struct LevelsView {
  int64_t n_classes;
  int64_t n_panels;
  const double* origin;              // n_machines
  const double* scale;               // n_machines
  const uint8_t* low;                // n_machines x panel_width n_panels
  const uint8_t* high;               // n_machines x panel_width n_panels
  const int64_t* start = nullptr;    // the machines of class i and a higher one are
  const int32_t* partner = nullptr;  // start[i] ... start[i + 1] - 1, those by partner

  bool knows_values() const { return low != nullptr; }

  // Always inlined: files compiled for other instruction sets use it too.
  [[gnu::always_inline]] int level(int64_t machine, double value) const {
    const double x = (value - origin[machine]) * scale[machine];
    if (!(x > 0)) return 0;
    if (!(x < highest_level)) return highest_level;
    const int whole = static_cast<int>(x);
    return whole + (whole < x);
  }

  // The machine of two classes, or -1.
  int64_t machine_of(int64_t a, int64_t b) const {
    const int64_t i = a < b ? a : b, j = a < b ? b : a;
    if (partner == nullptr) return i * (2 * n_classes - i - 1) / 2 + j - i - 1;
    const int32_t* last = partner + start[i + 1];
    const int32_t* found = std::lower_bound(partner + start[i], last, j);
    return found != last && *found == j ? found - partner : -1;
  }
};

// The classes that meet next; -1 where there is none any more.
struct Meeting {
  int32_t champion, challenger;
};

// Scores of all classes, linear in the query, or in it and the products of its entries, or in its
// kernel values with some support vectors, the landmarks.
template <class Real>
struct ShortlistView {
  int64_t n_panels;       // of classes
  const Real* weights;    // n_panels x length x panel_width
  const Real* intercept;  // panel_width n_panels
  bool quadratic;
  // Null, and no landmarks, where the scores are linear in something else.
  const int32_t* landmark;  // n_landmarks indices of support vectors
  int64_t n_landmarks;
  const Real* landmark_panels;  // n_features x panel_width for each panel; or null, see engine.hpp
  const Real* landmark_bias;    // of each, padded

  // How many numbers the scores are linear in.
  int64_t length(int64_t n_features) const {
    if (landmark != nullptr) return padded(n_landmarks);
    return quadratic ? n_features * (n_features + 3) / 2 : n_features;
  }
};

}  // namespace dcsvm

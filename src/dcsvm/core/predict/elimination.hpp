// Elimination: classes that a decision value makes implausible are dropped until one is left.
//
// The candidates of a row are the classes with a score above -infinity. The champion, at first the
// one of the highest score, meets the best of the others: the loser of their machine is dropped,
// and so is every class for which the value is implausible. The winner is the champion of the next
// round. Of equal scores the first class counts as the higher.
//
// A machine's values are cut in 256 levels, and a class is plausible at a range of levels:
//   level(v) = ceil((v - origin) * scale), within 0 ... 255.
#pragma once

#include <cstdint>

namespace dcsvm {

// A loser by less is set aside, where the margin is 1.
constexpr double close_value = 0.2;
constexpr int most_aside = 4;
// What a value within the margin counts for beside votes.
constexpr double value_in_votes = 1e-3;

// Classes are padded to whole panels; nothing is plausible for padding.
struct LevelsView {
  std::int64_t n_classes;
  std::int64_t n_panels;
  const double* origin;      // n_machines
  const double* scale;       // n_machines
  const std::uint8_t* low;   // n_machines x 16 n_panels
  const std::uint8_t* high;  // n_machines x 16 n_panels

  // Always inlined: files compiled for other instruction sets use it too.
  [[gnu::always_inline]] int level(std::int64_t machine, double value) const {
    const double x = (value - origin[machine]) * scale[machine];
    if (!(x > 0)) return 0;
    if (!(x < 255)) return 255;
    const int whole = static_cast<int>(x);
    return whole + (whole < x);
  }

  std::int64_t machine_of(std::int64_t a, std::int64_t b) const {
    const std::int64_t i = a < b ? a : b, j = a < b ? b : a;
    return i * (2 * n_classes - i - 1) / 2 + j - i - 1;
  }
};

// Where rows stand. Scores are n_rows x 16 n_panels; they are -infinity for classes that are out,
// set aside, or meeting.
struct Standings {
  struct Pair {
    std::int32_t champion, challenger;  // -1 where there is none any more
  };
  float* scores;
  Pair* meeting;  // of every row
};

// Scores of all classes, linear in the query, or in it and the products of its entries, or in its
// kernel values with some landmarks.
struct ScorerView {
  std::int64_t n_panels;  // of classes, and of landmarks
  std::int64_t n_landmark_panels;
  bool quadratic;
  const float* landmarks;      // n_landmark_panels x n_features x 16, or null
  const float* landmark_bias;  // 16 n_landmark_panels
  const float* weights;        // n_panels x length x 16
  const float* intercept;      // 16 n_panels

  // How many numbers the scores are linear in.
  std::int64_t length(std::int64_t n_features) const {
    if (landmarks != nullptr) return n_landmark_panels * 16;
    return quadratic ? n_features * (n_features + 3) / 2 : n_features;
  }
};

}  // namespace dcsvm

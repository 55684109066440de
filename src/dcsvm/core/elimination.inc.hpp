// What the elimination of classes does with decision values (see elimination.hpp), compiled for one
// instruction set by each file that includes it.
#pragma once

#include <limits>

#include "evaluation.hpp"
#include "lanes.hpp"

namespace dcsvm {
namespace {

using std::int32_t;
using std::int64_t;

constexpr float no_score = -std::numeric_limits<float>::infinity();

// All bits of a lane set where its bit is.
inline IntRegister spread_bits(std::uint64_t bits) {
  IntRegister number;
  for (int lane = 0; lane < register_floats; ++lane) number[lane] = lane;
  return -((static_cast<int32_t>(bits) - IntRegister{}) >> number & 1);
}

Description describe(const float* values, int64_t n_panels, std::uint64_t lanes) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Lanes low = broadcast(infinity), high = broadcast(-infinity), sum{}, squares{};
  for (int64_t p = 0; p < n_panels; ++p) {
    const Lanes v = load(values + p * panel_width);
    DCSVM_EACH_REGISTER {
      const IntRegister in = spread_bits(lanes >> (p * n_lanes + i * register_floats));
      const Register x = v.part[i];
      low.part[i] = (in & (x < low.part[i])) ? x : low.part[i];
      high.part[i] = (in & (x > high.part[i])) ? x : high.part[i];
      const Register counted = in ? x : Register{};
      sum.part[i] += counted;
      squares.part[i] += counted * counted;
    }
  }
  return {lowest_lane(low), -lowest_lane(Lanes{} - high), sum_of_lanes(sum), sum_of_lanes(squares)};
}

typedef std::uint8_t ByteRegister __attribute__((vector_size(register_floats)));

inline IntRegister load_bytes(const std::uint8_t* from) {
  ByteRegister bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return __builtin_convertvector(bytes, IntRegister);
}

inline void raise(Lanes& best, const Lanes& s) {
  DCSVM_EACH_REGISTER best.part[i] = s.part[i] > best.part[i] ? s.part[i] : best.part[i];
}

// Scores of a panel, without that of one class.
inline Lanes without(const Lanes& s, int64_t panel, int64_t excluded) {
  Lanes y;
  DCSVM_EACH_REGISTER {
    IntRegister number;
    for (int lane = 0; lane < register_floats; ++lane) number[lane] = lane;
    const int32_t lane = static_cast<int32_t>(excluded - panel * panel_width) - i * register_floats;
    y.part[i] = number == lane ? no_score - Register{} : s.part[i];
  }
  return y;
}

// The first class with the highest score, best[lane] in its lane, or -1.
inline int64_t first_highest(const float* scores, const Lanes& best, int64_t excluded,
                             int64_t n_panels) {
  const float highest = -lowest_lane(Lanes{} - best);
  if (!(highest > no_score)) return -1;
  const Lanes wanted = broadcast(highest);
  for (int64_t p = 0; p < n_panels; ++p)
    if (const unsigned found =
            equal_lanes(without(load(scores + p * panel_width), p, excluded), wanted))
      return p * panel_width + __builtin_ctz(found);
  return -1;
}

int64_t open_candidates(float* scores, float gap, int64_t n_panels, int64_t* champion) {
  Lanes best = broadcast(no_score);
  for (int64_t p = 0; p < n_panels; ++p) raise(best, load(scores + p * panel_width));
  *champion = first_highest(scores, best, -1, n_panels);
  if (*champion < 0) return -1;
  const Lanes least = broadcast(scores[*champion] - gap);
  best = broadcast(no_score);
  for (int64_t p = 0; p < n_panels; ++p) {
    Lanes s = load(scores + p * panel_width);
    DCSVM_EACH_REGISTER s.part[i] = s.part[i] >= least.part[i] ? s.part[i] : no_score - Register{};
    store(scores + p * panel_width, s);
    raise(best, without(s, p, *champion));
  }
  return first_highest(scores, best, *champion, n_panels);
}

int64_t keep_plausible(float* scores, const std::uint8_t* low, const std::uint8_t* high, int level,
                       int64_t champion, int64_t loser, int64_t n_panels) {
  Lanes best = broadcast(no_score);
  for (int64_t p = 0; p < n_panels; ++p) {
    Lanes s = without(load(scores + p * panel_width), p, loser);
    DCSVM_EACH_REGISTER {
      const int64_t offset = p * panel_width + i * register_floats;
      const IntRegister plausible =
          (load_bytes(low + offset) <= level) & (load_bytes(high + offset) >= level);
      s.part[i] = plausible ? s.part[i] : no_score - Register{};
    }
    store(scores + p * panel_width, s);
    raise(best, without(s, p, champion));
  }
  return first_highest(scores, best, champion, n_panels);
}

}  // namespace
}  // namespace dcsvm

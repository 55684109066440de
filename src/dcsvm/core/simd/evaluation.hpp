// The inner loops of prediction, compiled once per instruction set (see the .inc.hpp files) and
// reached through a table of functions.
#pragma once

#include <cstdint>

#include "predict/elimination.hpp"
#include "predict/separators.hpp"
#include "simd/forms.hpp"

namespace dcsvm {

// Vectors are interleaved in panels of this many: panel[feature][vector].
constexpr std::int64_t panel_width = 16;

// The support vectors of one machine in panels, padded with vectors of coefficient zero.
struct PackedMachine {
  const float* panels;  // n_panels x n_features x panel_width
  const float* bias;    // n_panels x panel_width; what exp_dot adds for the support vector
  const float* coef;    // n_panels x panel_width
  std::int64_t n_panels;
};

// Queries stored one after the other.
struct Queries {
  const float* rows;
  const float* bias;  // what exp_dot adds for the query
  std::int64_t n_features;
};

// Where the gradient stands, see smo.hpp.
struct Extremes {
  double lowest_rising, highest_falling;
  std::int64_t riser, faller;  // where they stand
};

// What some values are like.
struct Description {
  float low, high;
  double sum, squares;
};

struct EvaluationTable {
  const char* name;

  // out[t] = Σ coef K(queries[which[t]], support vector) over the machine. The sum of one query is
  // rounded in the same way whatever other queries are asked for. `scratch` holds 16 floats a
  // query.
  void (*machine_values)(const FormParameters&, const PackedMachine&, const Queries&,
                         const std::int32_t* which, std::int64_t n, float* scratch, double* out);

  // kernel[s][lane] = K(query of that lane, vector s) for n_panels panels of queries and all
  // vectors.
  void (*kernel_panel)(const FormParameters&, const float* query_panels, const float* query_bias,
                       std::int64_t n_panels, const float* vectors, const float* vector_bias,
                       std::int64_t n_vectors, std::int64_t n_features, float* kernel);

  // kernel[index[e]] = K(query, vectors[index[e]]) for n entries. Vectors and query are padded to
  // n_blocks blocks of 16 features.
  void (*indexed_kernel)(const FormParameters&, const float* vectors, const float* bias,
                         std::int64_t n_blocks, const std::int32_t* index, std::int64_t n,
                         const float* query, float query_bias, float* kernel);

  // values[m][lane] = intercept[m] + Σ coef[e] kernel[index[e]][lane], for n_panels panels,
  // machines in the given order.
  void (*weighted_sums)(const float* kernel, std::int64_t n_panels, const std::int64_t* start,
                        const std::int32_t* index, const float* coef, const double* intercept,
                        const std::int32_t* order, std::int64_t n_machines, float* values);

  // Bit l of bits[p] says whether lane l of panel p is positive.
  void (*positive_lanes)(const float* values, std::int64_t n_panels, std::uint16_t* bits);

  // A description of the values in the given lanes, of n_panels panels.
  Description (*describe)(const float* values, std::int64_t n_panels, std::uint64_t lanes);

  // out = the n numbers and then their products: those with the first, with the second from itself
  // on, and so on. Reads and writes up to a panel beyond the ends.
  void (*multiply_out)(const float* numbers, std::int64_t n, float* out);

  // The classes with the two highest scores, taken out of the scores, as are those further below
  // the highest than gap.
  Standings::Pair (*open_candidates)(float* scores, float gap, std::int64_t n_panels);

  // What the values of a machine, the one on which all of these rows' champions meet their
  // challengers, leave of the candidates.
  void (*decide)(const LevelsView&, std::int64_t machine, const std::int32_t* rows,
                 const double* values, std::int64_t n, const Standings&);

  // The best machine for a set of candidates, see separators.hpp.
  std::int64_t (*choose)(const SidesView&, const std::uint64_t* candidates, Criterion criterion);

  // <weights, query>
  double (*dot)(const float* weights, const float* query, std::int64_t n_features);

  // f += step_i row_i + step_j row_j (rows null: no step), and the extremes of the new f. Arrays
  // are in two stretches, multiples of the panel width; the penalties are zero, or infinity where a
  // variable cannot move. falling_f becomes f in single precision, -infinity where a variable
  // cannot fall.
  Extremes (*update_gradient)(double* f, const double* cannot_rise, const double* cannot_fall,
                              const std::int64_t (&length)[2], const float* const (&row_i)[2],
                              double step_i, const float* const (&row_j)[2], double step_j,
                              float* falling_f);

  // sums[t] += Σ_r coef[r] rows[r][t] for rows of a width that is a multiple of the panel width.
  void (*add_weighted_rows)(const float* rows, std::int64_t width, const double* coef,
                            std::int64_t n_rows, double* sums);

  // Where (f - f_i)² / (k_ii + diagonal - 2 row_i) is largest of the variables that can fall and
  // have f > f_i; -1 where there is none.
  std::int64_t (*largest_gain)(const float* falling_f, const float* diagonal,
                               const std::int64_t (&length)[2], const float* const (&row_i)[2],
                               float f_i, float k_ii);
};

// The table for an instruction set, or null where this processor (or this build) has it not.
const EvaluationTable* evaluation_avx512();
const EvaluationTable* evaluation_avx2();
const EvaluationTable* evaluation_baseline();

}  // namespace dcsvm

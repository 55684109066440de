// The inner loops of prediction, compiled once per instruction set (see the .inc.hpp files) and
// reached through a table of functions.
#pragma once

#include <type_traits>

#include "predict/class_statistics.hpp"
#include "predict/elimination.hpp"
#include "predict/separators.hpp"
#include "simd/forms.hpp"
#include "simd/panels.hpp"

namespace dcsvm {

// The support vectors of one machine in panels, padded with vectors of coefficient zero.
template <class Real>
struct PackedMachine {
  const Real* panels;  // n_panels x n_features x panel_width
  const Real* bias;    // n_panels x panel_width; what exp_dot adds for the support vector
  const Real* coef;    // n_panels x panel_width
  int64_t n_panels;
};

// Queries stored one after the other.
template <class Real>
struct Queries {
  const Real* rows;
  const Real* bias;  // what exp_dot adds for the query
  int64_t n_features;
};

// Where the gradient stands, see smo.hpp.
struct Extremes {
  double lowest_rising, highest_falling;
  int64_t riser, faller;  // where they stand
};

// Some rows of one part, side by side in panels; see observe in engine.hpp.
struct ObservedRows {
  int64_t n_panels;
  const uint16_t* filled;  // of each panel: bit l says whether there is a row in lane l
  const uint16_t* usual;   // and whether its weight is the usual one
  double usual_weight;
  const double* weight;  // of each row
  int64_t first_bit;     // of the first row among the signs
};

// How machines see some rows. All are added to.
struct Observed {
  double* to_i;  // weight of the rows sent to i
  double* to_j;
  float* low;  // of the values
  float* high;
  double* sum;
  double* squares;
  uint8_t* signs;  // bit r % 8 of signs[m][r / 8]: machine m sends row r to i; or null
  int64_t bytes_of_signs;
};

// Values of some machines at some rows that are kept while the rows are observed.
struct KeptValues {
  const int32_t* column;  // of each machine, or -1
  const int64_t* place;   // of each row, or -1
  int64_t n_places;
  double* values;  // values[column][place]
};

// What is computed in the precision of Real.
template <class Real>
struct EvaluationTable {
  // out[t] = Σ coef K(queries[which[t]], support vector) over the machine. The sum of one query is
  // rounded in the same way whichever queries are evaluated with it. `scratch` holds a panel for
  // each query.
  void (*machine_values)(const FormParameters&, const PackedMachine<Real>&, const Queries<Real>&,
                         const int32_t* which, int64_t n, Real* scratch, double* out);

  // kernel[s][lane] = K(query of that lane, vector s) for n_panels panels of queries and all
  // vectors.
  void (*kernel_panel)(const FormParameters&, const Real* query_panels, const Real* query_bias,
                       int64_t n_panels, const Real* vectors, const Real* vector_bias,
                       int64_t n_vectors, int64_t n_features, Real* kernel);

  // kernel[index[e]] = K(query, vectors[index[e]]) for n entries. Vectors and query are padded to
  // n_blocks blocks of 16 features.
  void (*indexed_kernel)(const FormParameters&, const Real* vectors, const Real* bias,
                         int64_t n_blocks, const int32_t* index, int64_t n, const Real* query,
                         Real query_bias, Real* kernel);

  // Makes kernel values of n_panels panels of sums, those with which forms.hpp begins, in place.
  void (*apply_form)(const FormParameters&, Real* sums, int64_t n_panels);

  // values[t][lane] = intercept[m] + Σ coef[e] kernel[index[e]][lane], m = machine[t], for n_panels
  // panels.
  void (*weighted_sums)(const Real* kernel, int64_t n_panels, const int64_t* start,
                        const int32_t* index, const Real* coef, const double* intercept,
                        const int32_t* machine, int64_t n_machines, Real* values);

  // Adds what these machines, whose values[t][lane] are given, see of some rows: signs to those of
  // machine[t], and numbers to those at place[t].
  void (*describe)(const Real* values, const ObservedRows&, const int32_t* machine,
                   const int32_t* place, int64_t n_machines, const Observed& seen);

  // out = the n numbers and then their products: those with the first, with the second from itself
  // on, and so on. Reads and writes up to a panel beyond the ends.
  void (*multiply_out)(const Real* numbers, int64_t n, Real* out);

  // <weights, query>
  double (*dot)(const Real* weights, const Real* query, int64_t n_features);

  // f += step_i row_i + step_j row_j (rows null: no step), and the extremes of the new f. Arrays
  // are in two stretches, multiples of the panel width; the penalties are zero, or infinity where a
  // variable cannot move. falling_f becomes f in the precision of Real, -infinity where a variable
  // cannot fall.
  Extremes (*update_gradient)(double* f, const double* cannot_rise, const double* cannot_fall,
                              const int64_t (&length)[2], const Real* const (&row_i)[2],
                              double step_i, const Real* const (&row_j)[2], double step_j,
                              Real* falling_f);

  // sums[t] += Σ_r coef[r] rows[r * distance + t] for rows of a width that is a multiple of the
  // panel width.
  void (*add_weighted_rows)(const Real* rows, int64_t distance, int64_t width, const double* coef,
                            int64_t n_rows, double* sums);

  // Where (f - f_i)² / (k_ii + diagonal - 2 row_i) is largest of the variables that can fall and
  // have f > f_i; -1 where there is none.
  int64_t (*largest_gain)(const Real* falling_f, const Real* diagonal, const int64_t (&length)[2],
                          const Real* const (&row_i)[2], Real f_i, Real k_ii);
};

// All that is compiled for one instruction set.
struct InstructionSet {
  const char* name;
  EvaluationTable<float> in_float;
  EvaluationTable<double> in_double;

  // The classes with the two highest scores, taken out of the scores, as are those further below
  // the highest than gap.
  Meeting (*open_meeting)(float* scores, float gap, int64_t n_panels);

  // The class with the highest score, taken out of the scores, or -1.
  int32_t (*take_best)(float* scores, int64_t n_panels);

  // What the values of a machine, the one on which all of these rows' champions meet their
  // challengers, leave of the candidates: their scores, and the next meeting of every row.
  void (*decide)(const LevelsView&, int64_t machine, const int32_t* rows, const double* values,
                 int64_t n, float* scores, Meeting* meeting);

  // The best machine for a set of candidates, see separators.hpp.
  int64_t (*choose)(const SidesView&, const uint64_t* candidates, Criterion criterion);

  // What the table says of a class, of which n_machines machines have seen all rows.
  void (*summarise)(const SeenValues& seen, int64_t n_machines, int64_t n_rows, const ValueRanges&);

  // sums += weight * spread², for the spreads of one class.
  void (*add_variances)(const uint16_t* spread, float weight, int64_t n_machines, float* sums);

  // Origin, scale and levels of machines begin ... end - 1.
  void (*margin_levels)(const MarginLevels&, int64_t begin, int64_t end);

  template <class Real>
  const EvaluationTable<Real>& table() const {
    if constexpr (std::is_same_v<Real, float>)
      return in_float;
    else
      return in_double;
  }
};

// An instruction set, or null where this processor (or this build) has it not.
const InstructionSet* instruction_set_avx512();
const InstructionSet* instruction_set_avx2();
const InstructionSet* instruction_set_baseline();

}  // namespace dcsvm

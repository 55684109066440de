// The inner loops of prediction, compiled once per instruction set (see evaluation.inc.hpp) and
// reached through a table of functions.
#pragma once

#include <cstdint>

#include "forms.hpp"

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

  // values[m][lane] = intercept[m] + Σ coef[e] kernel[index[e]][lane], for n_panels panels.
  void (*weighted_sums)(const float* kernel, std::int64_t n_panels, const std::int64_t* start,
                        const std::int32_t* index, const float* coef, const double* intercept,
                        std::int64_t n_machines, float* values);

  // <weights, query>
  double (*dot)(const float* weights, const float* query, std::int64_t n_features);
};

// The table for an instruction set, or null where this processor (or this build) has it not.
const EvaluationTable* evaluation_avx512();
const EvaluationTable* evaluation_avx2();
const EvaluationTable* evaluation_baseline();

}  // namespace dcsvm

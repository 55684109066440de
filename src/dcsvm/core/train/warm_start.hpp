// From the solution of one binary problem to a start for another, on the same rows with the same
// kernel, that differs in C alone.
//
// A variable at its upper bound goes to the new one, any other stays, or goes to its new bound
// where that is below. What Σ_t b_t = 0 then lacks is taken from variables between their bounds, in
// proportion to the room that they have, and from the others only where that is not enough. The
// gradient follows from the change, f_t += Σ_s (b'_s - b_s) K_st.
#pragma once

#include "train/smo.hpp"

namespace dcsvm {

// The state is the solution for C_before, and then the start. False where cancelled half-way.
template <class Real>
bool carry_over(const double* C_before, const BinaryProblem<Real>& problem,
                KernelRows<Real>& kernel, const std::atomic<bool>& cancelled, DualState& state);

}  // namespace dcsvm

// How a kernel is evaluated: a sum over the features, then a function of it.
//
// Rows and support vectors are first mapped so that one of few forms remains, q standing for the
// query and s for the support vector as they are stored:
//
//   exp_dot       exp2(Σ q s + bias_q + bias_s)   rbf, expanded: one operation per feature
//   exp_distance  exp2(-Σ (q - s)²)               rbf where expanding would cancel: two
//   power         (Σ q s + coef0) ^ degree        polynomial
//   tanh          tanh(Σ q s + coef0)             sigmoid
//   identity      Σ q s                           linear; s is a machine's weight vector
#pragma once

namespace dcsvm {

enum class Form { exp_dot, exp_distance, power, tanh, identity };

struct FormParameters {
  Form form;
  double coef0;
  int degree;
};

}  // namespace dcsvm

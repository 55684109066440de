// The kernels of libsvm, each a function of a dot product or of a squared distance.
//
//   linear      <x, s>
//   polynomial  (gamma <x, s> + coef0) ^ degree
//   rbf         exp(-gamma |x - s|²)
//   sigmoid     tanh(gamma <x, s> + coef0)
#pragma once

#include <cmath>

namespace dcsvm {

enum class KernelKind { linear, polynomial, rbf, sigmoid };

struct KernelParameters {
  KernelKind kind;
  double gamma;
  double coef0;
  int degree;
};

struct Linear {
  static constexpr bool uses_distance = false;
  double operator()(double dot) const { return dot; }
};

struct Polynomial {
  static constexpr bool uses_distance = false;
  double gamma, coef0;
  int degree;

  double operator()(double dot) const {
    double base = gamma * dot + coef0;
    double power = 1;
    for (int exponent = degree; exponent > 0; exponent /= 2) {
      if (exponent % 2 == 1) power *= base;
      base *= base;
    }
    return power;
  }
};

struct Rbf {
  static constexpr bool uses_distance = true;
  double gamma;
  double operator()(double squared_distance) const { return std::exp(-gamma * squared_distance); }
};

struct Sigmoid {
  static constexpr bool uses_distance = false;
  double gamma, coef0;
  double operator()(double dot) const { return std::tanh(gamma * dot + coef0); }
};

// Calls visit with the kernel as a value of its own type: the choice is made once, outside loops.
template <class Visitor>
void with_kernel(const KernelParameters& p, Visitor&& visit) {
  switch (p.kind) {
    case KernelKind::linear:
      return visit(Linear{});
    case KernelKind::polynomial:
      return visit(Polynomial{p.gamma, p.coef0, p.degree});
    case KernelKind::rbf:
      return visit(Rbf{p.gamma});
    case KernelKind::sigmoid:
      return visit(Sigmoid{p.gamma, p.coef0});
  }
}

}  // namespace dcsvm

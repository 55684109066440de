/* Exponents that exp2_of takes; the lowest one also for what is not a number. */
static real bounded(real x) {
  x = x > -{{limit}} ? x : -{{limit}};
  return x < {{limit}} ? x : {{limit}};
}

/* x = 2^x for BLOCK numbers: a power of two, by the bits of its exponent, times a polynomial. */
static void exp2_of(real *x) {
  union {
    real number[BLOCK];
    {{bits}} bits[BLOCK];
  } power;
  int t;
  for (t = 0; t < BLOCK; ++t) {
    const int n = (int)(x[t] + (real){{limit}}.5) - {{limit}};
    const real y = (x[t] - (real)n) * (real)0.69314718055994530942;
    real p;
{{polynomial}}
    power.bits[t] = ({{bits}})(n + {{bias}}) << {{shift}};
    x[t] = p;
  }
  for (t = 0; t < BLOCK; ++t) x[t] *= power.number[t];
}

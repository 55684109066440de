/* What a row adds to all its products with support vectors. */
static real bias_of(const real *q) {
  double sum = {{coef0}};
  int d;
  for (d = 0; d < N_QUERY; ++d)
    sum += (double)q[d] * (bias_square[d] * (double)q[d] + bias_linear[d]);
  return (real)sum;
}

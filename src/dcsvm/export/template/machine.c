/* The value of a machine: positive for the first of its two classes. */
static double machine_value(int machine, const real *q, real bias) {
  const long end = (long)start[machine + 1];
  long e = (long)start[machine];
  double value = 0;
  real kernel[BLOCK];
{{own}}  while (e < end) {
    const int n = end - e < BLOCK ? (int)(end - e) : BLOCK;
    real sum = 0;
    int t;
    kernel_values({{arguments}}q, bias, support_of + e, n, kernel);
    for (t = 0; t < n; ++t) sum += (real)coef[e + t] * kernel[t];
    value += (double)sum;
    e += n;
  }
  return intercept[machine] + value{{coef_scale}};
}

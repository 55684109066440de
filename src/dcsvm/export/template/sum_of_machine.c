/* The value of a machine, positive for the first of its two classes, from all kernel values. */
static double sum_of_machine(int machine, const real *kernel) {
  const long end = (long)start[machine + 1];
  long e = (long)start[machine];
  double value = 0;
  while (e < end) {
    const long stop = end - e < BLOCK ? end : e + BLOCK;
    real sum = 0;
    for (; e < stop; ++e) sum += (real)coef[e] * kernel[support_of[e]];
    value += (double)sum;
  }
  return intercept[machine] + value{{coef_scale}};
}

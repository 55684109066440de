/* The value of a machine: positive for the first of its two classes. */
static double machine_value(int machine, const real *q, real bias) {
  return intercept[machine] + (double)bias + (double)dot(q, support + (long)machine * N_QUERY);
}

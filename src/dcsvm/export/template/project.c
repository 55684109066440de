/* out = matrix (x - mean) */
static void project(const real *x, real *out, int n_in, int n_out, const double *mean,
                    const real *matrix) {
  int d, o;
  for (o = 0; o < n_out; ++o) {
    double sum = 0;
    for (d = 0; d < n_in; ++d) sum += ((double)x[d] - mean[d]) * (double)matrix[o * n_in + d];
    out[o] = (real)sum;
  }
}

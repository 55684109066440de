/* A row as a machine standardises it; what it adds to all products is returned. */
static real map_for_machine(int machine, const real *q, real *mapped) {
  const long first = (long)machine * N_QUERY;
  double sum = {{coef0}};
  int d;
  for (d = 0; d < N_QUERY; ++d) {
    mapped[d] = (q[d] - own_centre[first + d]) * own_scale[first + d];
    sum += (double)mapped[d] * (double)own_shift[first + d];
  }
  return (real)sum;
}

static real minus_weighted(const real *q, const real *s, const real *weight) {
  real sum[4] = {0, 0, 0, 0}, rest = 0;
  int d = 0, lane;
  for (; d + 4 <= N_QUERY; d += 4)
    for (lane = 0; lane < 4; ++lane) {
      const real apart = q[d + lane] - s[d + lane];
      sum[lane] += weight[d + lane] * apart * apart;
    }
  for (; d < N_QUERY; ++d) {
    const real apart = q[d] - s[d];
    rest += weight[d] * apart * apart;
  }
  return -(((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest);
}

static real dot(const real *q, const real *s) {
  real sum[4] = {0, 0, 0, 0}, rest = 0;
  int d = 0, lane;
  for (; d + 4 <= N_QUERY; d += 4)
    for (lane = 0; lane < 4; ++lane) sum[lane] += q[d + lane] * s[d + lane];
  for (; d < N_QUERY; ++d) rest += q[d] * s[d];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

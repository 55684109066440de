/* x = tanh(x) = (e - 1) / (e + 1), e = exp(2 x), for BLOCK numbers */
static void tanh_of(real *x) {
  const real most = 20;
  int t;
  for (t = 0; t < BLOCK; ++t) x[t] = bounded((x[t] < most ? x[t] : most) * (real)2.88539008177792681472);
  exp2_of(x);
  for (t = 0; t < BLOCK; ++t) x[t] = (x[t] - 1) / (x[t] + 1);
}

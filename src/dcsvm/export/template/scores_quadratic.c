/* A score for each class. */
static void score_classes(const real *q, real bias, real *score) {
  const real *weight = score_weight;
  int c, a, b;
  (void)bias;
  for (c = 0; c < N_SCORES; ++c) score[c] = score_intercept[c];
  for (a = -1; a < N_QUERY; ++a)
    for (b = a < 0 ? 0 : a; b < N_QUERY; ++b, weight += N_SCORES) {
      const real z = a < 0 ? q[b] : q[a] * q[b];
      for (c = 0; c < N_SCORES; ++c) score[c] += weight[c] * z;
    }
}

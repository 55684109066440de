/* A score for each class. */
static void score_classes(const real *q, real bias, real *score) {
  int c, d;
  (void)bias;
  for (c = 0; c < N_SCORES; ++c) score[c] = score_intercept[c];
  for (d = 0; d < N_QUERY; ++d)
    for (c = 0; c < N_SCORES; ++c) score[c] += score_weight[(long)d * N_SCORES + c] * q[d];
}

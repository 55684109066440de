/* A score for each class. */
static void score_classes(const real *q, real bias, real *score) {
  real kernel[BLOCK];
  int c, t, first;
  for (c = 0; c < N_SCORES; ++c) score[c] = score_intercept[c];
  for (first = 0; first < N_LANDMARKS; first += BLOCK) {
    const int n = N_LANDMARKS - first < BLOCK ? N_LANDMARKS - first : BLOCK;
    kernel_values(q, bias, landmark + first, n, kernel);
    for (t = 0; t < n; ++t)
      for (c = 0; c < N_SCORES; ++c)
        score[c] += score_weight[(long)(first + t) * N_SCORES + c] * kernel[t];
  }
}

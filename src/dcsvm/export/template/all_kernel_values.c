  real kernel[N_SUPPORT + BLOCK];
  place which[BLOCK];
  long first;
  int t;
  for (first = 0; first < N_SUPPORT; first += BLOCK) {
    const int n = N_SUPPORT - first < BLOCK ? (int)(N_SUPPORT - first) : BLOCK;
    for (t = 0; t < n; ++t) which[t] = (place)(first + t);
    kernel_values(q, bias, which, n, kernel + first);
  }

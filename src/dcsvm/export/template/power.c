/* x = x^DEGREE for BLOCK numbers */
static void power_of(real *x) {
  int t, n;
  for (t = 0; t < BLOCK; ++t) {
    real square = x[t], y = 1;
    for (n = DEGREE; n > 0; n >>= 1) {
      if (n & 1) y *= square;
      square *= square;
    }
    x[t] = y;
  }
}

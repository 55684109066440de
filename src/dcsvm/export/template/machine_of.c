static int machine_of(int a, int b) {
  const int i = a < b ? a : b, j = a < b ? b : a;
  return i * (2 * N_CLASSES - i - 1) / 2 + j - i - 1;
}

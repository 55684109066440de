/* out[d] = (x[from[d]] - centre[d]) * scale[d], missing values filled before, bounds kept after.
   Tables that are not needed are null. */
static void map_entries(const real *x, real *out, int n, const uint32_t *from,
                        const double *fill, const uint8_t *is_gap, const double *centre,
                        const double *scale, const double *low, const double *high) {
  int d;
  for (d = 0; d < n; ++d) {
    double v = (double)x[from ? (long)from[d] : d];
    if (is_gap && is_gap[d])
      v = v != v ? 1.0 : 0.0;
    else if (fill && v != v)
      v = fill[d];
    v = (v - centre[d]) * scale[d];
    if (low && v < low[d]) v = low[d];
    if (high && v > high[d]) v = high[d];
    out[d] = (real)v;
  }
}

/* The kernel values of n support vectors, at most BLOCK; those after them are not to be used. */
static void kernel_values({{own_arguments}}const real *q, real bias, const place *which, int n,
                          real *out) {
  int t;
  for (t = 0; t < n; ++t) {
    const long place_in_pool = (long)which[t];
{{vector}}
    out[t] = {{product}};
  }
  for (; t < BLOCK; ++t) out[t] = 0;
  {{function}}(out);
}

/* Every machine votes; of equals the first class wins. */
static int decide(const real *q, real bias, {{name}}_path *path) {
  int votes[N_CLASSES], i, j, machine = 0, best = 0;
{{all_kernel_values}}  for (i = 0; i < N_CLASSES; ++i) votes[i] = 0;
  for (i = 0; i < N_CLASSES; ++i)
    for (j = i + 1; j < N_CLASSES; ++j, ++machine) {
      const double value = {{value}};
      ++votes[value > 0 ? i : j];
      note_decision(path, i, j, value);
    }
  for (i = 1; i < N_CLASSES; ++i)
    if (votes[i] > votes[best]) best = i;
  if (path) path->n_rounds = path->n_decisions;
  for (i = 0; path && i < N_CLASSES; ++i) {
    path->score[i] = (float)votes[i];
    path->dropped_at[i] = i == best ? -1 : path->n_decisions + 1;
  }
  return best;
}

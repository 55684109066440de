/* From node to node of the decision structure, to a leaf. */
static int decide(const real *q, real bias, {{name}}_path *path) {
  int c, node = N_CLASSES;
  if (path)
    for (c = 0; c < N_CLASSES; ++c) {
      path->dropped_at[c] = -1;
      path->score[c] = 0;
    }
  while (node >= N_CLASSES) {
    const int inner = node - N_CLASSES, machine = (int)node_machine[inner];
    const double value = machine_value(machine, q, bias);
{{step}}
    if (path) {
      note_decision(path, (int)machine_pair[2 * machine], (int)machine_pair[2 * machine + 1], value);
      for (c = 0; c < N_CLASSES; ++c)
        if (path->dropped_at[c] < 0 && !has_candidate(node, c)) note_dropped(path, c);
    }
  }
  if (path) path->n_rounds = path->n_decisions;
  return node;
}

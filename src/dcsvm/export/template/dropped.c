static void note_dropped({{name}}_path *path, int c) {
  if (path) path->dropped_at[c] = path->n_decisions;
}

static void note_decision({{name}}_path *path, int first, int second, double value) {
  {{name}}_decision *d;
  if (!path) return;
  d = &path->decision[path->n_decisions++];
  d->first = first;
  d->second = second;
  d->value = value;
}

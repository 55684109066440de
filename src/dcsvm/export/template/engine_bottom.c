/* A row as support vectors are stored. */
static void prepare(const real *x, real *q) {
  real room[2][N_WIDEST];
  int t;
  for (t = 0; t < M->n_stages; ++t) {
    const stage *s = M->stages + t;
    real *out = t == M->n_stages - 1 ? q : room[t % 2];
    if (s->is_projection)
      project(x, out, s->n_in, s->n_out, s->mean, s->matrix);
    else
      map_entries(x, out, s->n_out, s->from, s->fill, s->is_gap, s->centre, s->scale, s->low,
                  s->high);
    x = out;
  }
}

static int decide(model_path *path) {
  real q[N_QUERY], bias;
  prepare(M->row, q);
  bias = M->has_bias ? bias_of(q) : 0;
  switch (M->rule) {
    case ELIMINATION:
      return decide_by_elimination(q, bias, path);
    case STRUCTURE:
      return decide_by_structure(q, bias, path);
    default:
      if (M->function == NONE || M->product == OWN_WEIGHTED || M->product == OWN_DOT)
        return decide_by_vote(q, bias, path);
      return decide_by_vote_of_sums(q, bias, path);
  }
}

#define EXPORT(name) __attribute__((export_name(#name)))

EXPORT(predict) int predict(void) { return decide(0); }

EXPORT(predict_with_path) int predict_with_path(void) {
  M->path->n_decisions = 0;
  return decide(M->path);
}

EXPORT(n_features) int n_features(void) { return M->n_features; }
EXPORT(n_classes) int n_classes(void) { return N_CLASSES; }
EXPORT(row) const real *row(void) { return M->row; }
EXPORT(names) const char *names(void) { return M->names; }
EXPORT(names_length) int names_length(void) { return M->names_length; }
EXPORT(n_decisions) int n_decisions(void) { return M->path->n_decisions; }
EXPORT(n_rounds) int n_rounds(void) { return M->path->n_rounds; }
EXPORT(decisions) const model_decision *decisions(void) { return M->path->decision; }
EXPORT(dropped_at) const int *dropped_at(void) { return M->path->dropped_at; }
EXPORT(scores) const float *scores(void) { return M->path->score; }

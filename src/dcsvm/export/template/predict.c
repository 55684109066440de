{{prepare}}
int {{name}}_predict(const {{name}}_real *x) {
  real q[N_QUERY];
  prepare(x, q);
  return decide(q, {{bias}}, 0);
}

int {{name}}_predict_with_path(const {{name}}_real *x, {{name}}_path *path) {
  real q[N_QUERY];
  prepare(x, q);
  path->n_decisions = 0;
  return decide(q, {{bias}}, path);
}

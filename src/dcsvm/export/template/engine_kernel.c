static real product(const real *q, const real *s, const real *own) {
  switch (M->product) {
    case DISTANCE:
      return minus_distance(q, s);
    case WEIGHTED:
      return minus_weighted(q, s, distance_weight);
    case OWN_WEIGHTED:
      return minus_weighted(q, s, own);
    default:
      return dot(q, s);
  }
}

static const real *vector_at(long place_in_pool, real *room) {
  const long at = place_in_pool * N_QUERY;
  int d;
  if (M->code == INT8) {
    for (d = 0; d < N_QUERY; ++d) room[d] = (real)((const int8_t *)support)[at + d];
    return room;
  }
  if (M->code == INT16) {
    for (d = 0; d < N_QUERY; ++d) room[d] = (real)((const int16_t *)support)[at + d];
    return room;
  }
  return (const real *)support + at;
}

static real argument(real product_and_bias, long place_in_pool) {
  const real v = vector_bias ? product_and_bias + vector_bias[place_in_pool] : product_and_bias;
  return M->function == EXP2 ? bounded(v) : v;
}

static void kernel_function(real *x) {
  if (M->function == EXP2)
    exp2_of(x);
  else if (M->function == POWER)
    power_of(x);
  else
    tanh_of(x);
}

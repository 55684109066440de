/* The levels at which values are compared with the plausible ranges of classes. */
static int level_of(int machine, double value) {
  const double x = (value - level_origin[machine]) * level_scale[machine];
  int whole;
  if (!(x > 0)) return 0;
  if (!(x < 255)) return 255;
  whole = (int)x;
  return whole + (whole < x);
}

/* The open class of the highest score, or -1. */
static int best_open(const real *score, const unsigned char *state) {
  int c, best = -1;
  for (c = 0; c < N_CLASSES; ++c)
    if (state[c] == OPEN && (best < 0 || score[c] > score[best])) best = c;
  return best;
}

/* The winner of a vote among the champion and those set aside; values within the margin count a
   little, which decides between equals. */
static int final_vote(int champion, const closely *aside, int n_aside, const real *q, real bias,
                      {{name}}_path *path) {
  int left[MOST_ASIDE + 1], n = 0, a, x, y, best = 0;
  double votes[MOST_ASIDE + 1] = {0};
  for (a = 0; a <= n_aside; ++a) {
    const int c = a < n_aside ? aside[a].loser : champion;
    for (x = n++; x > 0 && left[x - 1] > c; --x) left[x] = left[x - 1];
    left[x] = c;
  }
  for (x = 0; x < n; ++x)
    for (y = x + 1; y < n; ++y) {
      const int machine = machine_of(left[x], left[y]);
      double value = 0;
      for (a = 0; a < n_aside && aside[a].machine != machine; ++a) {
      }
      if (a < n_aside) {
        value = aside[a].value;
      } else {
        value = machine_value(machine, q, bias);
        note_decision(path, left[x], left[y], value);
      }
      votes[value > 0 ? x : y] += 1;
      value = value > 1 ? 1 : (value < -1 ? -1 : value);
      votes[x] += VALUE_IN_VOTES * value;
      votes[y] -= VALUE_IN_VOTES * value;
    }
  for (x = 1; x < n; ++x)
    if (votes[x] > votes[best]) best = x;
  for (x = 0; x < n; ++x)
    if (path && x != best) path->dropped_at[left[x]] = path->n_decisions + 1;
  return left[best];
}

/* The champion meets the class of the next best score: the loser is dropped, and so is every class
   for which the value is implausible. Those that lost closely are set aside for a vote. */
static int decide(const real *q, real bias, {{name}}_path *path) {
  const real most = (real)3.40282346638528859812e+38;
  real score[N_SCORES], least;
  unsigned char state[N_CLASSES];
  closely aside[MOST_ASIDE];
  int champion, challenger, c, a, n_aside = 0;
  score_classes(q, bias, score);
  for (c = 0; c < N_CLASSES; ++c) {
    score[c] = score[c] > -most ? (score[c] < most ? (real)(float)score[c] : most) : -most;
    state[c] = OPEN;
  }
  champion = best_open(score, state);
  least = score[champion] - SCORE_GAP;
  for (c = 0; c < N_CLASSES; ++c) {
    if (path) path->score[c] = (float)score[c];
    if (score[c] >= least) continue;
    state[c] = OUT;
    note_dropped(path, c);
  }
  state[champion] = OUT;
  while ((challenger = best_open(score, state)) >= 0) {
    const int machine = machine_of(champion, challenger);
    const int first = champion < challenger ? champion : challenger;
    const int second = champion < challenger ? challenger : champion;
    const double value = machine_value(machine, q, bias);
    const int level = level_of(machine, value), loser = value > 0 ? second : first;
    const unsigned char *low = level_low + (long)machine * N_CLASSES;
    const unsigned char *high = level_high + (long)machine * N_CLASSES;
    int kept = 0;
    note_decision(path, first, second, value);
    state[challenger] = OUT;
    champion = value > 0 ? first : second;
    for (c = 0; c < N_CLASSES; ++c)
      if (state[c] == OPEN && (level < low[c] || level > high[c])) {
        state[c] = OUT;
        note_dropped(path, c);
      }
    for (a = 0; a < n_aside; ++a) {
      const int lost = aside[a].loser;
      if (level < low[lost] || level > high[lost])
        note_dropped(path, lost);
      else
        aside[kept++] = aside[a];
    }
    n_aside = kept;
    if (value > -CLOSE_VALUE && value < CLOSE_VALUE && n_aside < MOST_ASIDE) {
      aside[n_aside].loser = loser;
      aside[n_aside].machine = machine;
      aside[n_aside++].value = value;
    } else {
      note_dropped(path, loser);
    }
  }
  if (path) path->n_rounds = path->n_decisions;
  if (n_aside > 0) champion = final_vote(champion, aside, n_aside, q, bias, path);
  if (path) path->dropped_at[champion] = -1;
  return champion;
}

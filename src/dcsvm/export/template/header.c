#ifndef {{guard}}
#define {{guard}}

#define {{upper}}_N_FEATURES {{n_features}}
#define {{upper}}_N_CLASSES {{n_classes}}
#define {{upper}}_MOST_DECISIONS {{most_decisions}}

#ifdef __cplusplus
extern "C" {
#endif

typedef {{real}} {{name}}_real;

/* The names of the classes, in UTF-8. */
extern const char *const {{name}}_class_names[{{upper}}_N_CLASSES];
{{features}}
/* The class of a row of {{upper}}_N_FEATURES numbers, from 0 to {{upper}}_N_CLASSES - 1. A row with
   numbers that are not finite gets some class. */
int {{name}}_predict(const {{name}}_real *x);

/* A machine was evaluated: `value` is positive for class `first`, else it is for `second`. */
typedef struct {
  int first, second;
  double value;
} {{name}}_decision;

/* How a row came to its class. */
typedef struct {
  /* How many machines were evaluated, and how many of them before a vote at the end. */
  int n_decisions, n_rounds;
  {{name}}_decision decision[{{upper}}_MOST_DECISIONS];
  /* After which decision a class was dropped: 0 is before the first, by its score; -1 is never,
     which is the class predicted; n_decisions + 1 is by a vote at the end, of classes that lost
     closely and were set aside, or of all. */
  int dropped_at[{{upper}}_N_CLASSES];
  /* The scores of a shortlist, or the votes where all machines vote, else 0. */
  float score[{{upper}}_N_CLASSES];
} {{name}}_path;

/* The same as {{name}}_predict, with the path of the row. */
int {{name}}_predict_with_path(const {{name}}_real *x, {{name}}_path *path);

#ifdef __cplusplus
}
#endif

#endif

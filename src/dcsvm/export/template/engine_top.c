/* The engine of exported models for WebAssembly: the same code as in exported C, with all that C
   has as constants read from a description of the model, which lies at MODEL_ADDRESS. */

#include <stdint.h>

typedef {{real}} real;
typedef uint32_t place;

enum { BLOCK = {{block}}, MOST_ASIDE = {{most_aside}}, OPEN = 1, OUT = 0 };
enum { DOT, DISTANCE, WEIGHTED, OWN_WEIGHTED, OWN_DOT };
enum { NONE, EXP2, POWER, TANH };
enum { ELIMINATION, STRUCTURE, VOTE };
enum { LINEAR, QUADRATIC, LANDMARKS };
enum { REAL, INT8, INT16 };

typedef struct {
  int32_t is_projection, n_in, n_out;
  const uint32_t *from;
  const double *fill;
  const uint8_t *is_gap;
  const double *centre, *scale, *low, *high, *mean;
  const real *matrix;
} stage;

typedef struct {
  int first, second;
  double value;
} model_decision;

typedef struct {
  int n_decisions, n_rounds;
  model_decision *decision;
  int *dropped_at;
  float *score;
} model_path;

typedef struct {
  int loser, machine;
  double value;
} closely;

typedef struct {
{{fields}}
} model;

#define M ((const model *){{address}})
{{macros}}
#define CLOSE_VALUE {{close_value}}
#define VALUE_IN_VOTES {{value_in_votes}}

void *memcpy(void *to, const void *from, unsigned long n) {
  unsigned char *t = (unsigned char *)to;
  const unsigned char *f = (const unsigned char *)from;
  while (n-- > 0) *t++ = *f++;
  return to;
}

void *memset(void *to, int byte, unsigned long n) {
  unsigned char *t = (unsigned char *)to;
  while (n-- > 0) *t++ = (unsigned char)byte;
  return to;
}

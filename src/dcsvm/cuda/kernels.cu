// All kernels of this room, compiled when they are first needed (compiling.py).
//
// Machine m decides between classes i < j; its value is positive for i. Rows are sorted by class.
// Kernels come in single and in double precision, at the end of the file. tests/cuda runs all of
// them without a GPU, where EMULATED is defined: threads of a block meet in __syncthreads and in
// shuffles alone, and all lanes of a warp take part in each shuffle.
typedef long long int64;
typedef unsigned long long word;
typedef unsigned char uint8;

#ifndef EMULATED
extern __shared__ double dynamic_memory[];
#endif

namespace {

constexpr int lanes = 32;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr int most_warps = 32;

__device__ double infinity() { return __longlong_as_double(0x7ff0000000000000LL); }

template <class Real>
__device__ Real sum_of_warp(Real mine) {
  for (int step = lanes / 2; step > 0; step /= 2) mine += __shfl_xor_sync(all_lanes, mine, step);
  return mine;
}

// A value and where it stands; of equal ones the first is taken.
template <class Real>
struct Found {
  Real value;
  int place;
};

template <class Real>
__device__ Found<Real> smaller(const Found<Real>& a, const Found<Real>& b) {
  return b.value < a.value || (b.value == a.value && b.place < a.place) ? b : a;
}

template <class Real>
__device__ Found<Real> smallest_of_warp(Found<Real> mine) {
  for (int step = lanes / 2; step > 0; step /= 2)
    mine = smaller(mine, Found<Real>{__shfl_xor_sync(all_lanes, mine.value, step),
                                     __shfl_xor_sync(all_lanes, mine.place, step)});
  return mine;
}

// ---- Kernel values -------------------------------------------------------------------------

enum Form { identity, exponential, distance, power, tangent };

template <class Real>
__device__ Real to_power(Real base, int degree) {
  Real result = 1;
  for (; degree > 0; degree >>= 1, base *= base)
    if (degree & 1) result *= base;
  return result;
}

// From ⟨x, s⟩ times its factor and the sum of the biases of x and s; or, of a distance, from
// |x − s|² times its factor.
template <class Real>
__device__ Real kernel_value(int form, Real product, Real bias, Real coef0, int degree) {
  if (form == exponential) return exp2(product + bias);
  if (form == distance) return exp2(-product);
  if (form == power) return to_power(product + coef0, degree);
  if (form == tangent) return tanh(product + coef0);
  return product;
}

// values = kernel values, from the products of n_rows rows with n_columns others. They may share
// their memory if they are of one type.
template <class In, class Out>
__device__ void finish_products(const In* products, const In* row_bias, const In* column_bias,
                                int64 n_rows, int64 n_columns, int form, double factor,
                                double coef0, int degree, Out* values) {
  const int64 stride = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 t = blockIdx.x * static_cast<int64>(blockDim.x) + threadIdx.x; t < n_rows * n_columns;
       t += stride) {
    const In bias = row_bias[t / n_columns] + column_bias[t % n_columns];
    const In product = static_cast<In>(factor) * products[t];
    In value = kernel_value<In>(form, product, bias, static_cast<In>(coef0), degree);
    if (form == exponential && value > 1) value = 1;
    values[t] = static_cast<Out>(value);
  }
}

// ---- The order of rows ---------------------------------------------------------------------

__device__ word mixed(word x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

__device__ word bits_of(float x) { return static_cast<unsigned>(__float_as_int(x + 0.0f)); }
__device__ word bits_of(double x) { return static_cast<word>(__double_as_longlong(x + 0.0)); }

// Two numbers for each row that follow from its content alone; −0 counts as 0. A warp for a row.
template <class Real>
__device__ void hash_rows(const Real* X, int64 n_rows, int64 n_features, word* first,
                          word* second) {
  const int64 row = (blockIdx.x * static_cast<int64>(blockDim.x) + threadIdx.x) / lanes;
  if (row >= n_rows) return;
  word a = 0, b = 0;
  for (int64 f = threadIdx.x % lanes; f < n_features; f += lanes) {
    const word bits = mixed(bits_of(X[row * n_features + f]) + 0x9e3779b97f4a7c15ULL * (f + 1));
    a += bits;
    b += mixed(bits ^ 0xd1b54a32d192ed03ULL);
  }
  a = sum_of_warp(a);
  b = sum_of_warp(b);
  if (threadIdx.x % lanes == 0) {
    first[row] = a;
    second[row] = b;
  }
}

// ---- Training ------------------------------------------------------------------------------
//
// Sequential minimal optimisation, a block for each pair, as in core/train/smo.hpp: with signed
// dual variables b_t in [0, C_t] for rows of i and in [−C_t, 0] for rows of j, and the gradient
// f_t = Σ_s b_s K_st − y_t,
//
//   i  has the smallest f of those that can rise,
//   j  can fall and promises the largest gain (f_j − f_i)² / (K_ii + K_jj − 2 K_ij),
//
// and they move by the step (f_j − f_i) / (K_ii + K_jj − 2 K_ij), cut at the box, until the largest
// f of those that can fall exceeds the smallest of those that can rise by less than tol. b, f, and
// who can move where are in shared memory.

// A pair of classes, as training.py writes it. Its rows are those of i and then those of j; its
// kernel matrix lies in four blocks, each with a stride from row to row.
struct Pair {
  int64 block[2][2];  // addresses: K(i, i), K(i, j), K(j, i), K(j, j)
  int64 stride[2][2];
  int64 n[2];
  int64 first_row[2];  // of all rows, for C
  int64 state;         // where its variables stand
  int64 machine;
};

template <class Real>
struct PairRow {
  const Real* of_first;
  const Real* of_second;
  int n_first;

  __device__ PairRow(const Pair& pair, int s) : n_first(static_cast<int>(pair.n[0])) {
    const int side = s >= n_first;
    const int64 row = side ? s - n_first : s;
    of_first = reinterpret_cast<const Real*>(pair.block[side][0]) + row * pair.stride[side][0];
    of_second = reinterpret_cast<const Real*>(pair.block[side][1]) + row * pair.stride[side][1] -
                n_first;
  }
  __device__ Real operator[](int t) const { return t < n_first ? of_first[t] : of_second[t]; }
};

enum Move : uint8 { can_rise = 1, can_fall = 2 };

template <class Real>
__device__ uint8 moves(Real b, Real C, bool of_first) {
  const Real low = of_first ? 0 : -C, high = of_first ? C : 0;
  return (b < high ? can_rise : 0) | (b > low ? can_fall : 0);
}

enum Outcome { converged, stopped_at_max_iter, unfinished, not_a_number };

template <class Real>
struct Extremes {
  Found<Real> lowest;  // f of those that can rise
  Real highest;        // f of those that can fall, negative
};

template <class Real>
__device__ void look_at(Extremes<Real>& found, Real f, uint8 move, int t) {
  if (move & can_rise && f < found.lowest.value) found.lowest = {f, t};
  if (move & can_fall && -f < found.highest) found.highest = -f;
}

template <class Real>
__device__ Extremes<Real> extremes_of_block(Extremes<Real> mine, Extremes<Real>* of_warps) {
  const int lane = threadIdx.x % lanes, n_warps = blockDim.x / lanes;
  mine.lowest = smallest_of_warp(mine.lowest);
  mine.highest = smallest_of_warp(Found<Real>{mine.highest, 0}).value;
  if (lane == 0) of_warps[threadIdx.x / lanes] = mine;
  __syncthreads();
  const Extremes<Real> other = of_warps[lane < n_warps ? lane : 0];
  return {smallest_of_warp(other.lowest), smallest_of_warp(Found<Real>{other.highest, 0}).value};
}

template <class Real>
__device__ Found<Real> smallest_of_block(Found<Real> mine, Found<Real>* of_warps) {
  const int lane = threadIdx.x % lanes, n_warps = blockDim.x / lanes;
  mine = smallest_of_warp(mine);
  if (lane == 0) of_warps[threadIdx.x / lanes] = mine;
  __syncthreads();
  return smallest_of_warp(of_warps[lane < n_warps ? lane : 0]);
}

__device__ double sum_of_block(double mine, double* of_warps) {
  const int lane = threadIdx.x % lanes, n_warps = blockDim.x / lanes;
  mine = sum_of_warp(mine);
  __syncthreads();
  if (lane == 0) of_warps[threadIdx.x / lanes] = mine;
  __syncthreads();
  return sum_of_warp(lane < n_warps ? of_warps[lane] : 0.0);
}

// Memory for a row: b, f, K_tt unless all are 1, and a byte.
template <class Real>
__device__ void solve_pairs(const Pair* pairs, const Real* C_of_rows, double tol, int64 max_iter,
                            int64 most_steps, int goes_on, int unit_diagonal, Real* state_b,
                            Real* state_f, double* intercept, double* value_range, int64* n_iter,
                            int* outcome) {
  __shared__ Extremes<Real> of_warps[most_warps];
  __shared__ Found<Real> gains[most_warps];
  __shared__ double sums[most_warps];
  __shared__ Pair pair;
  if (threadIdx.x == 0) pair = pairs[blockIdx.x];
  __syncthreads();
  const int n_first = static_cast<int>(pair.n[0]), n = n_first + static_cast<int>(pair.n[1]);
  const int64 m = pair.machine;
  const Real most = static_cast<Real>(infinity());
  Real* b = reinterpret_cast<Real*>(dynamic_memory);
  Real* f = b + n;
  Real* diagonal = f + n;
  uint8* move = reinterpret_cast<uint8*>(unit_diagonal ? diagonal : diagonal + n);
  const auto C = [&](int t) {
    return C_of_rows[t < n_first ? pair.first_row[0] + t : pair.first_row[1] + t - n_first];
  };

  const Extremes<Real> none = {{most, n}, most};
  Extremes<Real> found = none;
  for (int t = threadIdx.x; t < n; t += blockDim.x) {
    b[t] = goes_on ? state_b[pair.state + t] : 0;
    f[t] = goes_on ? state_f[pair.state + t] : static_cast<Real>(t < n_first ? -1 : 1);
    if (!unit_diagonal) diagonal[t] = PairRow<Real>(pair, t)[t];
    move[t] = moves(b[t], C(t), t < n_first);
    look_at(found, f[t], move[t], t);
  }
  int64 step = 0;
  const int64 before = goes_on ? n_iter[m] : 0;
  int end;
  for (;; ++step) {
    found = extremes_of_block(found, of_warps);
    const int i = found.lowest.place;
    const Real f_i = found.lowest.value;
    end = converged;
    if (!(-found.highest - f_i >= static_cast<Real>(tol))) break;
    end = stopped_at_max_iter;
    if (before + step >= max_iter) break;
    end = unfinished;
    if (step >= most_steps) break;
    const PairRow<Real> row_i(pair, i);
    const Real K_ii = unit_diagonal ? 1 : diagonal[i];
    Found<Real> best = {most, n};
    for (int t = threadIdx.x; t < n; t += blockDim.x) {
      const Real ahead = f[t] - f_i;
      if (!(move[t] & can_fall) || !(ahead > 0)) continue;
      Real curvature = K_ii + (unit_diagonal ? 1 : diagonal[t]) - 2 * row_i[t];
      if (!(curvature > static_cast<Real>(1e-12))) curvature = static_cast<Real>(1e-12);
      const Real loss = -ahead * ahead / curvature;
      if (loss < best.value) best = {loss, t};
    }
    best = smallest_of_block(best, gains);
    const int j = best.place;
    end = not_a_number;
    if (j >= n) break;
    const PairRow<Real> row_j(pair, j);
    Real curvature = K_ii + (unit_diagonal ? 1 : diagonal[j]) - 2 * row_i[j];
    if (!(curvature > static_cast<Real>(1e-12))) curvature = static_cast<Real>(1e-12);
    const Real top = i < n_first ? C(i) : 0, bottom = j < n_first ? 0 : -C(j);
    const Real b_i = b[i], b_j = b[j];
    Real by = (f[j] - f_i) / curvature;
    const bool reaches_top = by >= top - b_i, reaches_bottom = by >= b_j - bottom;
    if (reaches_top) by = top - b_i;
    if (reaches_bottom && b_j - bottom < by) by = b_j - bottom;
    const Real new_i = reaches_top && by == top - b_i ? top : b_i + by;
    const Real new_j = reaches_bottom && by == b_j - bottom ? bottom : b_j - by;
    __syncthreads();  // all have read what is written next
    found = none;
    for (int t = threadIdx.x; t < n; t += blockDim.x) {
      if (t == i) b[t] = new_i, move[t] = moves(new_i, C(t), t < n_first);
      if (t == j) b[t] = new_j, move[t] = moves(new_j, C(t), t < n_first);
      f[t] += by * (row_i[t] - row_j[t]);
      look_at(found, f[t], move[t], t);
    }
  }

  // On a row between its bounds the value is y, so that there the intercept is −f.
  double n_free = 0, of_free = 0;
  Real lowest_value = most, highest_value = most;
  for (int t = threadIdx.x; t < n; t += blockDim.x) {
    if (move[t] == (can_rise | can_fall)) n_free += 1, of_free += f[t];
    const Real value = f[t] + (t < n_first ? 1 : -1);
    if (value < lowest_value) lowest_value = value;
    if (-value < highest_value) highest_value = -value;
    state_b[pair.state + t] = b[t];
    if (end == unfinished) state_f[pair.state + t] = f[t];
  }
  n_free = sum_of_block(n_free, sums);
  of_free = sum_of_block(of_free, sums);
  const double least = smallest_of_block(Found<Real>{lowest_value, 0}, gains).value;
  __syncthreads();
  const double greatest = -smallest_of_block(Found<Real>{highest_value, 0}, gains).value;
  if (threadIdx.x != 0) return;
  const double middle = (static_cast<double>(found.lowest.value) - found.highest) / 2;
  intercept[m] = n_free > 0 ? -of_free / n_free : -middle;
  value_range[m] = greatest - least;
  n_iter[m] = before + step;
  outcome[m] = end;
}

// How many support vectors each pair has, and √Σ (b · error)². A warp for a pair.
template <class Real>
__device__ void count_support(const Pair* pairs, int64 n_pairs, const Real* state_b,
                              const double* error_of_rows, int64* n_support, double* error) {
  const int64 p = (blockIdx.x * static_cast<int64>(blockDim.x) + threadIdx.x) / lanes;
  if (p >= n_pairs) return;
  const Pair& pair = pairs[p];
  const int64 n = pair.n[0] + pair.n[1];
  double count = 0, squares = 0;
  for (int64 t = threadIdx.x % lanes; t < n; t += lanes) {
    const double b = state_b[pair.state + t];
    if (b == 0) continue;
    const int64 row = t < pair.n[0] ? pair.first_row[0] + t : pair.first_row[1] + t - pair.n[0];
    count += 1;
    squares += b * b * error_of_rows[row] * error_of_rows[row];
  }
  count = sum_of_warp(count);
  squares = sum_of_warp(squares);
  if (threadIdx.x % lanes != 0) return;
  n_support[pair.machine] = static_cast<int64>(count);
  error[pair.machine] = sqrt(squares);
}

// The support vectors of each pair in the order of its rows, from start[machine] on.
template <class Real>
__device__ void write_support(const Pair* pairs, int64 n_pairs, const Real* state_b,
                              const int64* start, int64* support, double* coef) {
  const int64 p = (blockIdx.x * static_cast<int64>(blockDim.x) + threadIdx.x) / lanes;
  if (p >= n_pairs) return;
  const Pair& pair = pairs[p];
  const int64 n = pair.n[0] + pair.n[1];
  const int lane = threadIdx.x % lanes;
  int64 to = start[pair.machine];
  for (int64 first = 0; first < n; first += lanes) {
    const int64 t = first + lane;
    const Real b = t < n ? state_b[pair.state + t] : 0;
    const unsigned supports = __ballot_sync(all_lanes, b != 0);
    if (b != 0) {
      const int64 place = to + __popc(supports & ((1u << lane) - 1));
      support[place] = t < pair.n[0] ? pair.first_row[0] + t : pair.first_row[1] + t - pair.n[0];
      coef[place] = b;
    }
    to += __popc(supports);
  }
}

// ---- The table -----------------------------------------------------------------------------
//
// products[c][r][l] is the sum over the support vectors of class c in its machine with class l, at
// row r: the value of machine (i, j) is products[i][r][j] + products[j][r][i] + intercept.

__device__ int64 machine_of(int64 i, int64 j, int64 n_classes) {
  return i * (2 * n_classes - i - 1) / 2 + j - i - 1;
}

// What the machines of a tile of 32 × 32 pairs make of each part of the rows. A block of 32 × 8
// threads for a tile (x) of tiles[x] = {i / 32, j / 32} and a part (y).
template <class Real>
__device__ void observe(const Real* products, int64 n_rows, int64 n_classes,
                        const double* intercept, const int* tiles, const int64* edges,
                        const double* weight, int64 n_machines, double* to_i, double* to_j,
                        float* low, float* high, double* sum, double* squares) {
  constexpr int tile = 32, deep = 8, each = tile / deep;
  __shared__ Real turned[2][tile][tile + 1];
  const int64 first_i = tiles[2 * blockIdx.x] * tile, first_j = tiles[2 * blockIdx.x + 1] * tile;
  const int64 j = first_j + threadIdx.x;
  double of_i[each] = {}, of_j[each] = {}, total[each] = {}, of_squares[each] = {}, moved[each];
  float lowest[each], highest[each];
  for (int e = 0; e < each; ++e) {
    const int64 i = first_i + threadIdx.y + e * deep;
    lowest[e] = static_cast<float>(infinity());
    highest[e] = -lowest[e];
    moved[e] = i < j && j < n_classes ? intercept[machine_of(i, j, n_classes)] : 0;
  }
  for (int64 r = edges[blockIdx.y]; r < edges[blockIdx.y + 1]; ++r) {
    Real(&other)[tile][tile + 1] = turned[r % 2];
    for (int e = 0; e < each; ++e) {
      const int64 c = first_j + threadIdx.y + e * deep, l = first_i + threadIdx.x;
      if (c < n_classes && l < n_classes)
        other[threadIdx.y + e * deep][threadIdx.x] = products[(c * n_rows + r) * n_classes + l];
    }
    __syncthreads();
    const double w = weight[r];
    for (int e = 0; e < each; ++e) {
      const int row = threadIdx.y + e * deep;
      const int64 i = first_i + row;
      if (!(i < j && j < n_classes)) continue;
      const double value = static_cast<double>(products[(i * n_rows + r) * n_classes + j]) +
                           other[threadIdx.x][row] + moved[e];
      of_i[e] += value > 0 ? w : 0;
      of_j[e] += value > 0 ? 0 : w;
      total[e] += value;
      of_squares[e] += value * value;
      const float rounded = static_cast<float>(value);
      lowest[e] = rounded < lowest[e] ? rounded : lowest[e];
      highest[e] = rounded > highest[e] ? rounded : highest[e];
    }
  }
  for (int e = 0; e < each; ++e) {
    const int64 i = first_i + threadIdx.y + e * deep;
    if (!(i < j && j < n_classes)) continue;
    const int64 at = blockIdx.y * n_machines + machine_of(i, j, n_classes);
    to_i[at] = of_i[e];
    to_j[at] = of_j[e];
    low[at] = lowest[e];
    high[at] = highest[e];
    sum[at] = total[e];
    squares[at] = of_squares[e];
  }
}

// Bit r % 8 of signs[m][r / 8] says whether machine m sends row r to i. A thread for each byte.
template <class Real>
__device__ void pack_signs(const Real* products, int64 n_rows, int64 n_classes,
                           const double* intercept, const int* pairs, int64 n_machines,
                           uint8* signs) {
  const int64 m = blockIdx.x * static_cast<int64>(blockDim.x) + threadIdx.x;
  const int64 n_bytes = (n_rows + 7) / 8, byte = blockIdx.y;
  if (m >= n_machines) return;
  const int64 i = pairs[2 * m], j = pairs[2 * m + 1];
  unsigned bits = 0;
  for (int64 r = byte * 8; r < byte * 8 + 8 && r < n_rows; ++r) {
    const double value = static_cast<double>(products[(i * n_rows + r) * n_classes + j]) +
                         products[(j * n_rows + r) * n_classes + i] + intercept[m];
    bits |= (value > 0 ? 1u : 0u) << (r % 8);
  }
  signs[m * n_bytes + byte] = static_cast<uint8>(bits);
}

// The votes of all machines at each row, and for each class the sum of its machines' values with
// the sign that favours it. A thread for a row (y) and a class (x).
template <class Real>
__device__ void count_votes(const Real* products, int64 n_rows, int64 n_classes,
                            const double* intercept, int* votes, double* confidence) {
  const int64 c = blockIdx.x * static_cast<int64>(blockDim.x) + threadIdx.x, r = blockIdx.y;
  if (c >= n_classes) return;
  int won = 0;
  double total = 0;
  for (int64 l = 0; l < n_classes; ++l) {
    if (l == c) continue;
    const int64 i = c < l ? c : l, j = c < l ? l : c;
    const double value = static_cast<double>(products[(i * n_rows + r) * n_classes + j]) +
                         products[(j * n_rows + r) * n_classes + i] +
                         intercept[machine_of(i, j, n_classes)];
    won += (value > 0) == (c == i);
    total += c == i ? value : -value;
  }
  votes[r * n_classes + c] = won;
  confidence[r * n_classes + c] = total;
}

// ---- Prediction ----------------------------------------------------------------------------
//
// A warp for a row, its lanes over the support vectors of the machine that is asked. These lie in
// panels of 32, feature by feature; the last panel of a machine is filled up with zeros.

template <class Real>
struct Machines {
  int64 n_features;
  int form;
  Real coef0;
  int degree;
  const int64* panel_start;  // of each machine
  const Real* panels;        // panel × feature × 32; of linear machines, machine × feature
  const Real* bias;          // panel × 32
  const Real* coef;
  const double* intercept;

  // The value at a query, which has a bias of its own; the same in all lanes.
  __device__ double value(int64 m, const Real* query, Real query_bias) const {
    const int lane = threadIdx.x % lanes;
    Real total = 0;
    if (form == identity) {
      for (int64 f = lane; f < n_features; f += lanes) total += query[f] * panels[m * n_features + f];
      return static_cast<double>(sum_of_warp(total)) + intercept[m];
    }
    for (int64 p = panel_start[m]; p < panel_start[m + 1]; ++p) {
      const Real* vector = panels + p * n_features * lanes + lane;
      Real product = 0;
      if (form == distance) {
#pragma unroll 4
        for (int64 f = 0; f < n_features; ++f) {
          const Real apart = query[f] - vector[f * lanes];
          product += apart * apart;
        }
      } else {
#pragma unroll 8
        for (int64 f = 0; f < n_features; ++f) product += query[f] * vector[f * lanes];
      }
      const int64 at = p * lanes + lane;
      total += coef[at] * kernel_value<Real>(form, product, query_bias + bias[at], coef0, degree);
    }
    return static_cast<double>(sum_of_warp(total)) + intercept[m];
  }
};

// How `decision_function` maps a value: |v| / (|v| + 1) / 3.
__device__ double clarity_of(double value) {
  const double size = value < 0 ? -value : value;
  return size < infinity() ? size / (size + 1) / 3 : 1.0 / 3;
}

// The rules of elimination: core/predict/elimination.hpp and candidates.hpp.
constexpr double close_value = 0.4, value_in_votes = 1e-3;
constexpr int most_aside = 8, highest_level = 255;

struct Levels {
  int64 n_classes, width;  // of a row of low and high
  const double* origin;
  const double* scale;
  const uint8* low;  // null: any value is plausible
  const uint8* high;
  const int64* start;  // null: all pairs of classes have a machine
  const int* partner;

  __device__ int level(int64 machine, double value) const {
    const double x = (value - origin[machine]) * scale[machine];
    if (!(x > 0)) return 0;
    return x < highest_level ? static_cast<int>(ceil(x)) : highest_level;
  }
  __device__ bool is_plausible(int64 machine, int at, int64 c) const {
    return low[machine * width + c] <= at && at <= high[machine * width + c];
  }
  __device__ int64 machine(int64 a, int64 b) const {
    const int64 i = a < b ? a : b, j = a < b ? b : a;
    if (start == nullptr) return machine_of(i, j, n_classes);
    int64 first = start[i], last = start[i + 1];
    while (first < last) {
      const int64 middle = (first + last) / 2;
      if (partner[middle] < j) first = middle + 1;
      else last = middle;
    }
    return first < start[i + 1] && partner[first] == j ? first : -1;
  }
};

// The candidates of one row. Scores are in shared memory; those that are out, set aside or meeting
// have a score of −∞. What is set aside, at most 8 losers, lies in the lanes.
template <class Real>
struct Elimination {
  const Machines<Real>& machines;
  const Levels& levels;
  const Real* query;
  Real query_bias;
  float* scores;
  float* decision;  // null, or what decision_function gives for each class
  int champion, challenger, n_aside, loser, loser_machine, n_evaluated;
  double loser_value;

  // Takes the best class, of equals the first, out of the scores; −1: there is none.
  __device__ int take_best() {
    const float out = -static_cast<float>(infinity());
    Found<float> best = {-out, static_cast<int>(levels.n_classes)};
    for (int c = threadIdx.x % lanes; c < levels.n_classes; c += lanes)
      if (-scores[c] < best.value) best = {-scores[c], c};
    best = smallest_of_warp(best);
    if (!(best.value < -out)) return -1;
    if (threadIdx.x % lanes == 0) scores[best.place] = out;
    __syncwarp();
    return best.place;
  }

  __device__ double value(int64 machine) {
    ++n_evaluated;
    return machines.value(machine, query, query_bias);
  }

  __device__ void begin(float gap) {
    const int lane = threadIdx.x % lanes;
    const float out = -static_cast<float>(infinity()), largest = 3.402823466e38f;
    n_aside = n_evaluated = 0;
    for (int c = lane; c < levels.n_classes; c += lanes)
      scores[c] = fminf(largest, fmaxf(-largest, scores[c]));
    __syncwarp();
    Found<float> best = {-out, 0};
    for (int c = lane; c < levels.n_classes; c += lanes)
      best = smaller(best, Found<float>{-scores[c], c});
    const float least = -smallest_of_warp(best).value - gap;
    champion = take_best();
    for (int c = lane; c < levels.n_classes; c += lanes)
      if (!(scores[c] >= least)) scores[c] = out;
    __syncwarp();
    challenger = -1;
    note_round(0);
    meet_next();
  }

  // The next challenger that has a machine with the champion; those before it are dropped.
  __device__ void meet_next() {
    int n_dropped = 0;
    do {
      challenger = take_best();
    } while (challenger >= 0 && levels.machine(champion, challenger) < 0 && ++n_dropped);
    if (n_dropped > 0) note_round(0);
  }

  __device__ bool is_aside(int c) const {
    bool found = false;
    for (int a = 0; a < n_aside; ++a) found |= __shfl_sync(all_lanes, loser, a) == c;
    return found;
  }

  // Adds a round to decision, see estimators/prediction.py: count_round.
  __device__ void note_round(double value) {
    if (decision == nullptr) return;
    __syncwarp();
    const double clarity = clarity_of(value);
    int n_in = 0;
    for (int first = 0; first < levels.n_classes; first += lanes) {
      const int c = first + threadIdx.x % lanes;
      const bool aside = is_aside(c);
      const bool in = c < levels.n_classes && is_in(c, aside);
      n_in += __popc(__ballot_sync(all_lanes, in));
    }
    for (int first = 0; first < levels.n_classes; first += lanes) {
      const int c = first + threadIdx.x % lanes;
      const bool aside = is_aside(c);
      if (c >= levels.n_classes) continue;
      // A class is dropped once: up to then its value is not below 0.
      if (is_in(c, aside)) decision[c] += n_in == 1 ? static_cast<float>(clarity) : 0;
      else decision[c] -= decision[c] < 0 ? 1 : 1 + static_cast<float>(clarity);
    }
    __syncwarp();
  }
  __device__ bool is_in(int c, bool aside) const {
    return scores[c] > -static_cast<float>(infinity()) || c == champion || c == challenger || aside;
  }

  // Keeps of those set aside the ones in lanes of `kept`.
  __device__ void keep_aside(unsigned kept) {
    const int lane = threadIdx.x % lanes;
    unsigned left = kept;
    int from = lane;
    for (int a = 0; a <= lane && left; ++a, left &= left - 1) from = __ffs(left) - 1;
    loser = __shfl_sync(all_lanes, loser, from);
    loser_machine = __shfl_sync(all_lanes, loser_machine, from);
    loser_value = __shfl_sync(all_lanes, loser_value, from);
    n_aside = __popc(kept);
  }

  // The champion meets its challenger.
  __device__ void decide() {
    const int lane = threadIdx.x % lanes;
    const int64 machine = levels.machine(champion, challenger);
    const double v = value(machine);
    const int i = champion < challenger ? champion : challenger;
    const int j = champion < challenger ? challenger : champion;
    if (levels.low != nullptr) {
      const int at = levels.level(machine, v);
      const bool stays = lane < n_aside && levels.is_plausible(machine, at, loser);
      keep_aside(__ballot_sync(all_lanes, stays));
      for (int c = lane; c < levels.n_classes; c += lanes)
        if (!levels.is_plausible(machine, at, c)) scores[c] = -static_cast<float>(infinity());
      __syncwarp();
    }
    const int lost = v > 0 ? j : i;
    if (v < close_value && v > -close_value && n_aside < most_aside) {
      if (lane == n_aside) loser = lost, loser_machine = static_cast<int>(machine), loser_value = v;
      ++n_aside;
    }
    champion = v > 0 ? i : j;
    challenger = -1;
    note_round(v);
    meet_next();
  }

  // The winner of a vote among the champion and those set aside.
  __device__ int vote() {
    if (n_aside == 0) return champion;
    int left[most_aside + 1], n = 0;
    double votes[most_aside + 1];
    for (int a = 0; a <= n_aside; ++a) {
      const int c = a < n_aside ? __shfl_sync(all_lanes, loser, a) : champion;
      int at = n++;
      for (; at > 0 && left[at - 1] > c; --at) left[at] = left[at - 1];
      left[at] = c;
    }
    for (int x = 0; x < n; ++x) votes[x] = 0;
    for (int x = 0; x < n; ++x)
      for (int y = x + 1; y < n; ++y) {
        const int64 machine = levels.machine(left[x], left[y]);
        if (machine < 0) continue;
        const bool mine = static_cast<int>(threadIdx.x % lanes) < n_aside && loser_machine == machine;
        const unsigned known = __ballot_sync(all_lanes, mine);
        double v = known ? __shfl_sync(all_lanes, loser_value, __ffs(known) - 1) : 0;
        if (!known) {
          v = value(machine);
          note_round(0);
        }
        const double within = value_in_votes * (v > 1 ? 1 : v < -1 ? -1 : v);
        votes[v > 0 ? x : y] += 1;
        votes[x] += within;
        votes[y] -= within;
      }
    int best = 0;
    for (int x = 1; x < n; ++x)
      if (votes[x] > votes[best]) best = x;
    champion = left[best];
    n_aside = 0;
    note_round(0);
    return champion;
  }
};

// Where a row's numbers in shared memory begin: scores, decision and the query of each warp.
template <class Real>
__device__ Real* numbers_of_warp(int64 n_floats, int64 n_features) {
  const int64 n_bytes = (n_floats * 4 + 7) / 8 * 8 + n_features * static_cast<int64>(sizeof(Real));
  return reinterpret_cast<Real*>(reinterpret_cast<uint8*>(dynamic_memory) +
                                 (threadIdx.x / lanes) * ((n_bytes + 7) / 8 * 8));
}

template <class Real>
__device__ void eliminate(const Machines<Real>& machines, const Levels& levels, const Real* queries,
                          const Real* query_bias, const float* scores, const int* order, float gap,
                          int64 n_rows, int query_is_kept, int* leaf, int* n_evaluated,
                          float* decisions) {
  const int lane = threadIdx.x % lanes;
  const int64 place = (blockIdx.x * static_cast<int64>(blockDim.x) + threadIdx.x) / lanes;
  if (place >= n_rows) return;
  const int64 row = order == nullptr ? place : order[place];
  const int64 k = levels.n_classes, d = machines.n_features;
  const int64 n_floats = decisions == nullptr ? k : 2 * k;
  float* own = reinterpret_cast<float*>(numbers_of_warp<Real>(n_floats, query_is_kept ? d : 0));
  const Real* query = queries + row * d;
  if (query_is_kept) {
    Real* kept = reinterpret_cast<Real*>(reinterpret_cast<uint8*>(own) + (n_floats * 4 + 7) / 8 * 8);
    for (int64 f = lane; f < d; f += lanes) kept[f] = query[f];
    query = kept;
  }
  float* decision = decisions == nullptr ? nullptr : own + k;
  for (int64 c = lane; c < k; c += lanes) {
    own[c] = scores[row * k + c];
    if (decision != nullptr) decision[c] = 0;
  }
  __syncwarp();
  Elimination<Real> state = {machines, levels, query, query_bias[row], own, decision};
  state.loser = state.loser_machine = -1;
  state.loser_value = 0;
  state.begin(gap);
  while (state.challenger >= 0) state.decide();
  const int winner = state.vote();
  if (lane == 0) leaf[row] = winner;
  if (lane == 0 && n_evaluated != nullptr) n_evaluated[row] = state.n_evaluated;
  if (decision != nullptr)
    for (int64 c = lane; c < k; c += lanes) decisions[row * k + c] = decision[c];
}

// Along a decision structure, from node[row] to a leaf; or to a slot without a child, and then
// slot[row] is not −1.
template <class Real>
__device__ void walk(const Machines<Real>& machines, int64 n_classes, const int* machine_of_node,
                     const int64* first_cut, const int64* first_child, const double* cuts,
                     const int* child, const Real* queries, const Real* query_bias,
                     const int64* rows, int64 n_rows, int* node, int64* slot, int* n_evaluated,
                     const word* candidates, int64 n_words, double* decisions) {
  const int lane = threadIdx.x % lanes;
  const int64 t = (blockIdx.x * static_cast<int64>(blockDim.x) + threadIdx.x) / lanes;
  if (t >= n_rows) return;
  const int64 row = rows[t];
  const Real* query = queries + row * machines.n_features;
  int at = node[row], n = 0;
  int64 missing = -1;
  while (at >= n_classes) {
    const double v = machines.value(machine_of_node[at], query, query_bias[row]);
    int below = 0;
    for (int64 first = first_cut[at]; first < first_cut[at + 1]; first += lanes) {
      const bool is_below = first + lane < first_cut[at + 1] && cuts[first + lane] < v;
      below += __popc(__ballot_sync(all_lanes, is_below));
    }
    const int64 place = first_child[at] + below;
    const int next = child[place];
    if (next < 0) {
      missing = place;
      break;
    }
    ++n;
    if (decisions != nullptr) {
      const double clarity = clarity_of(v);
      for (int64 c = lane; c < n_classes; c += lanes) {
        const word bit = 1ULL << (c % 64);
        const bool was_in = candidates[at * n_words + c / 64] & bit;
        const bool is_in = candidates[next * n_words + c / 64] & bit;
        if (!is_in) decisions[row * n_classes + c] -= was_in ? 1 + clarity : 1;
        else if (next < n_classes) decisions[row * n_classes + c] += clarity;
      }
    }
    at = next;
  }
  if (lane != 0) return;
  node[row] = at;
  slot[row] = missing;
  n_evaluated[row] += n;
}

}  // namespace

// ---- What is called ------------------------------------------------------------------------

#define KERNEL extern "C" __global__ void
#define MACHINES(Real)                                                                       \
  int64 n_features, int form, double coef0, int degree, const int64 *panel_start,            \
      const Real *panels, const Real *bias, const Real *coef, const double *intercept
#define MACHINES_GIVEN(Real)                                                                 \
  Machines<Real> { n_features, form, static_cast<Real>(coef0), degree, panel_start, panels, bias, \
                   coef, intercept }

#define FINISH(name, In, Out)                                                                    \
  KERNEL name(const In* products, const In* row_bias, const In* column_bias, int64 n_rows,       \
              int64 n_columns, int form, double factor, double coef0, int degree, Out* values) { \
    finish_products<In, Out>(products, row_bias, column_bias, n_rows, n_columns, form, factor,   \
                             coef0, degree, values);                                             \
  }
FINISH(finish_products_float, float, float)
FINISH(finish_products_double, double, double)
FINISH(finish_products_rounded, double, float)

#define IN_PRECISION(Real)                                                                       \
  KERNEL hash_rows_##Real(const Real* X, int64 n_rows, int64 n_features, word* first,            \
                          word* second) {                                                        \
    hash_rows<Real>(X, n_rows, n_features, first, second);                                       \
  }                                                                                              \
  KERNEL solve_pairs_##Real(const Pair* pairs, const Real* C, double tol, int64 max_iter,        \
                            int64 most_steps, int goes_on, int unit_diagonal, Real* state_b,     \
                            Real* state_f, double* intercept, double* value_range,               \
                            int64* n_iter, int* outcome) {                                       \
    solve_pairs<Real>(pairs, C, tol, max_iter, most_steps, goes_on, unit_diagonal, state_b,      \
                      state_f, intercept, value_range, n_iter, outcome);                         \
  }                                                                                              \
  KERNEL count_support_##Real(const Pair* pairs, int64 n_pairs, const Real* state_b,             \
                              const double* error_of_rows, int64* n_support, double* error) {    \
    count_support<Real>(pairs, n_pairs, state_b, error_of_rows, n_support, error);               \
  }                                                                                              \
  KERNEL write_support_##Real(const Pair* pairs, int64 n_pairs, const Real* state_b,             \
                              const int64* start, int64* support, double* coef) {                \
    write_support<Real>(pairs, n_pairs, state_b, start, support, coef);                          \
  }                                                                                              \
  KERNEL observe_##Real(const Real* products, int64 n_rows, int64 n_classes,                     \
                        const double* intercept, const int* tiles, const int64* edges,           \
                        const double* weight, int64 n_machines, double* to_i, double* to_j,      \
                        float* low, float* high, double* sum, double* squares) {                 \
    observe<Real>(products, n_rows, n_classes, intercept, tiles, edges, weight, n_machines,      \
                  to_i, to_j, low, high, sum, squares);                                          \
  }                                                                                              \
  KERNEL pack_signs_##Real(const Real* products, int64 n_rows, int64 n_classes,                  \
                           const double* intercept, const int* pairs, int64 n_machines,          \
                           uint8* signs) {                                                       \
    pack_signs<Real>(products, n_rows, n_classes, intercept, pairs, n_machines, signs);          \
  }                                                                                              \
  KERNEL count_votes_##Real(const Real* products, int64 n_rows, int64 n_classes,                 \
                            const double* intercept, int* votes, double* confidence) {           \
    count_votes<Real>(products, n_rows, n_classes, intercept, votes, confidence);                \
  }                                                                                              \
  KERNEL eliminate_##Real(MACHINES(Real), int64 n_classes, int64 width, const double* origin,    \
                          const double* scale, const uint8* low, const uint8* high,              \
                          const int64* start, const int* partner, const Real* queries,           \
                          const Real* query_bias, const float* scores, const int* order,         \
                          double gap, int64 n_rows, int query_is_kept, int* leaf,                \
                          int* n_evaluated, float* decisions) {                                  \
    const Levels levels = {n_classes, width, origin, scale, low, high, start, partner};          \
    eliminate<Real>(MACHINES_GIVEN(Real), levels, queries, query_bias, scores, order,            \
                    static_cast<float>(gap), n_rows, query_is_kept, leaf, n_evaluated,           \
                    decisions);                                                                  \
  }                                                                                              \
  KERNEL walk_##Real(MACHINES(Real), int64 n_classes, const int* machine_of_node,                \
                     const int64* first_cut, const int64* first_child, const double* cuts,       \
                     const int* child, const Real* queries, const Real* query_bias,              \
                     const int64* rows, int64 n_rows, int* node, int64* slot, int* n_evaluated,  \
                     const word* candidates, int64 n_words, double* decisions) {                 \
    walk<Real>(MACHINES_GIVEN(Real), n_classes, machine_of_node, first_cut, first_child, cuts,   \
               child, queries, query_bias, rows, n_rows, node, slot, n_evaluated, candidates,    \
               n_words, decisions);                                                              \
  }
IN_PRECISION(float)
IN_PRECISION(double)

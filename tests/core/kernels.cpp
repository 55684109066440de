// Compares every function of core/simd, on every instruction set of the processor it runs on, with
// a plain loop. `make test-core` compiles it for this computer and for 64-bit ARM.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "data/half.hpp"
#include "simd/aligned.hpp"
#include "simd/evaluation.hpp"

using namespace dcsvm;

namespace {

std::mt19937_64 generator(7);
int n_failures = 0;

double uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(generator);
}

template <class Real>
Aligned<Real> random_numbers(int64_t n, double low = -1, double high = 1) {
  Aligned<Real> numbers = aligned<Real>(n);
  for (int64_t t = 0; t < n; ++t) numbers[t] = static_cast<Real>(uniform(low, high));
  return numbers;
}

// One line for each function: how far off it is at most.
struct Check {
  std::string name;
  double allowed, worst = 0;

  Check(std::string of, double most) : name(std::move(of)), allowed(most) {}

  void operator()(double found, double expected) {
    const double off = std::abs(found - expected) / std::max(1.0, std::abs(expected));
    worst = std::isfinite(off) ? std::max(worst, off) : INFINITY;
  }

  void difference(double found, double expected) {
    worst = std::max(worst, std::abs(found - expected));
  }

  ~Check() {
    const bool passed = worst <= allowed;
    n_failures += !passed;
    std::printf("  %-34s %.1e%s\n", name.c_str(), worst, passed ? "" : "  FAILED");
  }
};

const char* name_of(Form form) {
  const char* names[] = {"exp_dot", "exp_distance", "power", "tanh", "identity"};
  return names[static_cast<int>(form)];
}

template <class Real>
double plain_kernel(const FormParameters& p, const Real* q, double q_bias, const Real* s,
                    double s_bias, int64_t n_features, int64_t stride) {
  double dot = 0, distance = 0;
  for (int64_t d = 0; d < n_features; ++d) {
    const double a = q[d], b = s[d * stride];
    dot += a * b;
    distance += (a - b) * (a - b);
  }
  switch (p.form) {
    case Form::exp_dot:
      return std::exp2(dot + q_bias + s_bias);
    case Form::exp_distance:
      return std::exp2(-distance);
    case Form::power:
      return std::pow(dot + p.coef0, p.degree);
    case Form::tanh:
      return std::tanh(dot + p.coef0);
    case Form::identity:
      return dot;
  }
  std::abort();
}

constexpr int64_t n_features = 19, n_queries = 11, n_panels = 5;
constexpr int64_t n_vectors = n_panels * panel_width;

template <class Real>
void check_kernels(const InstructionSet& set, const std::string& real, double allowed) {
  const EvaluationTable<Real>& table = set.table<Real>();
  for (const Form form :
       {Form::exp_dot, Form::exp_distance, Form::power, Form::tanh, Form::identity}) {
    const FormParameters p{form, 0.3, 3};
    const auto panels = random_numbers<Real>(n_vectors * n_features);
    const auto bias = random_numbers<Real>(n_vectors), coef = random_numbers<Real>(n_vectors);
    const auto rows = random_numbers<Real>(n_queries * n_features);
    const auto query_bias = random_numbers<Real>(n_queries);
    const auto value = [&](int64_t t, int64_t v) {
      const Real* s = panels.get() + v / panel_width * n_features * panel_width + v % panel_width;
      return plain_kernel(p, rows.get() + t * n_features, query_bias[t], s, bias[v], n_features,
                          panel_width);
    };
    const std::string what = std::string(name_of(form)) + ", " + real;
    {
      Check check("machine_values, " + what, allowed);
      std::vector<int32_t> which(n_queries);
      for (int64_t t = 0; t < n_queries; ++t) which[t] = static_cast<int32_t>(n_queries - 1 - t);
      const auto scratch = aligned<Real>(n_queries * panel_width);
      std::vector<double> out(n_queries);
      table.machine_values(p, {panels.get(), bias.get(), coef.get(), n_panels},
                           {rows.get(), query_bias.get(), n_features}, which.data(), n_queries,
                           scratch.get(), out.data());
      for (int64_t t = 0; t < n_queries; ++t) {
        double sum = 0;
        for (int64_t v = 0; v < n_vectors; ++v) sum += coef[v] * value(which[t], v);
        check(out[t], sum);
      }
    }
    {
      Check check("kernel_panel, " + what, allowed);
      const auto kernel = aligned<Real>(n_queries * n_vectors);
      table.kernel_panel(p, panels.get(), bias.get(), n_panels, rows.get(), query_bias.get(),
                         n_queries, n_features, kernel.get());
      for (int64_t t = 0; t < n_queries; ++t)
        for (int64_t v = 0; v < n_vectors; ++v) check(kernel[t * n_vectors + v], value(t, v));
    }
    {
      Check check("indexed_kernel, " + what, allowed);
      constexpr int64_t n_blocks = 2, width = n_blocks * panel_width;
      const auto vectors = random_numbers<Real>(n_vectors * width, -0.7, 0.7);
      const auto query = random_numbers<Real>(width, -0.7, 0.7);
      std::vector<int32_t> index;
      for (int32_t v = 0; v < n_vectors; v += 3) index.push_back(v);
      const auto kernel = zeros<Real>(n_vectors);
      table.indexed_kernel(p, vectors.get(), bias.get(), n_blocks, index.data(),
                           static_cast<int64_t>(index.size()), query.get(), Real(0.25),
                           kernel.get());
      for (const int32_t v : index)
        check(kernel[v],
              plain_kernel(p, query.get(), 0.25, vectors.get() + v * width, bias[v], width, 1));
    }
  }
}

template <class Real>
void check_sums(const InstructionSet& set, const std::string& real, double allowed) {
  const EvaluationTable<Real>& table = set.table<Real>();
  const auto kernel = random_numbers<Real>(n_vectors * 3 * panel_width);
  {
    Check check("weighted_sums, " + real, allowed);
    const int64_t width = 3 * panel_width, start[] = {0, 5, 5, 300};
    std::vector<int32_t> index(start[3]);
    for (auto& i : index) i = static_cast<int32_t>(generator() % n_vectors);
    const auto coef = random_numbers<Real>(start[3]);
    const double intercept[] = {0.5, -1, 2};
    const int32_t order[] = {2, 0, 1};
    const auto values = aligned<Real>(3 * width);
    table.weighted_sums(kernel.get(), 3, start, index.data(), coef.get(), intercept, order, 3,
                        values.get());
    for (int t = 0; t < 3; ++t)
      for (int64_t lane = 0; lane < width; ++lane) {
        const int32_t m = order[t];
        double sum = intercept[m];
        for (int64_t e = start[m]; e < start[m + 1]; ++e)
          sum += coef[e] * kernel[index[e] * width + lane];
        check(values[t * width + lane], sum);
      }
  }
  {
    Check check("describe, " + real, std::max(allowed, 1e-7));  // extremes are floats
    constexpr int64_t n_panels = 3, n_rows = 2 * panel_width + 9, first_bit = 5, n_bytes = 8;
    const uint16_t all = 0xffff, filled[] = {all, all, 0x1ff}, usual[] = {all, 0x0ff0, 0x1f0};
    const auto weight = random_numbers<double>(n_panels * panel_width, 0, 2);
    std::vector<double> to_i(2, 1.0), to_j(2, 2.0), sum(2, 3.0), squares(2, 4.0);
    std::vector<float> low(2, INFINITY), high(2, -INFINITY);
    std::vector<uint8_t> signs(2 * n_bytes, 0);
    const int32_t machine[] = {1, 0}, place[] = {0, 1};
    table.describe(kernel.get(), {n_panels, filled, usual, 0.5, weight.get(), first_bit}, machine,
                   place, 2,
                   {to_i.data(), to_j.data(), low.data(), high.data(), sum.data(), squares.data(),
                    signs.data(), n_bytes});
    for (int64_t t = 0; t < 2; ++t) {
      double plain_i = 1, plain_j = 2, plain_sum = 3, plain_squares = 4;
      double lowest = INFINITY, highest = -INFINITY;
      for (int64_t r = 0; r < n_rows; ++r) {
        const double v = kernel[t * n_panels * panel_width + r];
        const bool is_usual = usual[r / panel_width] >> (r % panel_width) & 1;
        (v > 0 ? plain_i : plain_j) += is_usual ? 0.5 : weight[r];
        lowest = std::min(lowest, v), highest = std::max(highest, v);
        plain_sum += v, plain_squares += v * v;
        const int64_t bit = first_bit + r;
        check(signs[machine[t] * n_bytes + bit / 8] >> (bit % 8) & 1, v > 0);
      }
      check(to_i[t], plain_i), check(to_j[t], plain_j);
      check(low[t], lowest), check(high[t], highest);
      check(sum[t], plain_sum), check(squares[t], plain_squares);
    }
  }
  {
    Check check("multiply_out and dot, " + real, allowed);
    const int64_t n = 7, length = n * (n + 3) / 2;
    const auto numbers = random_numbers<Real>(n + panel_width);
    const auto out = aligned<Real>(length + panel_width);
    table.multiply_out(numbers.get(), n, out.get());
    int64_t at = 0;
    for (; at < n; ++at) check(out[at], numbers[at]);
    for (int64_t a = 0; a < n; ++a)
      for (int64_t b = a; b < n; ++b, ++at) check(out[at], double{numbers[a]} * numbers[b]);
    double sum = 0;
    for (int64_t d = 0; d < 77; ++d) sum += double{kernel[d]} * kernel[100 + d];
    check(table.dot(kernel.get(), kernel.get() + 100, 77), sum);
  }
}

template <class Real>
void check_solver(const InstructionSet& set, const std::string& real, double allowed) {
  const EvaluationTable<Real>& table = set.table<Real>();
  const int64_t length[2] = {2 * panel_width, 3 * panel_width}, n = length[0] + length[1];
  const auto a = random_numbers<Real>(n), b = random_numbers<Real>(n);
  const Real *const row_a[2] = {a.get(), a.get() + length[0]}, *const row_b[2] = {
                                                                   b.get(), b.get() + length[0]};
  const auto f = random_numbers<double>(n), cannot_rise = zeros<double>(n),
             cannot_fall = zeros<double>(n), old = aligned<double>(n);
  for (int64_t t = 0; t < n; t += 3) cannot_rise[t] = INFINITY;
  for (int64_t t = 1; t < n; t += 4) cannot_fall[t] = INFINITY;
  std::memcpy(old.get(), f.get(), n * sizeof(double));
  const auto falling = aligned<Real>(n);
  {
    Check check("update_gradient, " + real, allowed);
    const Extremes e = table.update_gradient(f.get(), cannot_rise.get(), cannot_fall.get(), length,
                                             row_a, 0.3, row_b, -0.2, falling.get());
    double lowest = INFINITY, highest = -INFINITY;
    for (int64_t t = 0; t < n; ++t) {
      check(f[t], old[t] + 0.3 * a[t] - 0.2 * b[t]);
      if (cannot_rise[t] == 0) lowest = std::min(lowest, f[t]);
      if (cannot_fall[t] == 0) highest = std::max(highest, f[t]);
    }
    check(e.lowest_rising, lowest), check(f[e.riser], lowest);
    check(e.highest_falling, highest), check(f[e.faller], highest);
  }
  {
    Check check("largest_gain, " + real, allowed);
    const auto diagonal = random_numbers<Real>(n, 1, 2);
    const double f_i = -0.5, k_ii = 1;
    const int64_t found = table.largest_gain(falling.get(), diagonal.get(), length, row_a,
                                             static_cast<Real>(f_i), static_cast<Real>(k_ii));
    const auto gain = [&](int64_t t) {
      const double difference = falling[t] - f_i;
      return difference <= 0 ? 0 : difference * difference / (k_ii + diagonal[t] - 2 * a[t]);
    };
    double largest = 0;
    for (int64_t t = 0; t < n; ++t) largest = std::max(largest, gain(t));
    check(found < 0 ? 0 : gain(found), largest);
  }
  {
    Check check("add_weighted_rows, " + real, allowed);
    const double coef[2] = {0.7, -1.1};
    const auto sums = random_numbers<double>(length[0]);
    std::vector<double> expected(sums.get(), sums.get() + length[0]);
    table.add_weighted_rows(a.get(), length[0], length[0], coef, 2, sums.get());
    for (int64_t t = 0; t < length[0]; ++t) {
      for (int r = 0; r < 2; ++r) expected[t] += coef[r] * a[r * length[0] + t];
      check(sums[t], expected[t]);
    }
  }
}

void check_elimination(const InstructionSet& set) {
  Check check("open_meeting and decide", 0);
  constexpr int64_t k = 37, n_machines = k * (k - 1) / 2;
  const int64_t width = padded(k);
  std::vector<double> origin(n_machines, -1.0), scale(n_machines, 127.0);
  std::vector<uint8_t> low(n_machines * width, highest_level), high(n_machines * width, 0);
  const LevelsView levels{k, panels_for(k), origin.data(), scale.data(), low.data(), high.data()};
  for (int trial = 0; trial < 200; ++trial) {
    const auto scores = aligned<float>(width);
    std::vector<float> plain(width, no_score);
    for (int64_t c = 0; c < k; ++c) plain[c] = static_cast<float>(generator() % 50);
    std::copy(plain.begin(), plain.end(), scores.get());
    const auto take = [&] {
      const auto best = std::max_element(plain.begin(), plain.end());
      if (*best == no_score) return -1;
      *best = no_score;
      return static_cast<int>(best - plain.begin());
    };
    const float least = *std::max_element(plain.begin(), plain.end()) - 30.0f;
    Meeting meeting = set.open_meeting(scores.get(), 30.0f, levels.n_panels);
    check(meeting.champion, take());
    for (float& s : plain) s = s >= least ? s : no_score;
    check(meeting.challenger, take());
    const int64_t machine = levels.machine_of(meeting.champion, meeting.challenger);
    for (int64_t c = 0; c < k; ++c) {
      low[machine * width + c] = static_cast<uint8_t>(generator() % 128);
      high[machine * width + c] = static_cast<uint8_t>(100 + generator() % 156);
    }
    const double value = uniform(-1.2, 1.2);
    const int level = levels.level(machine, value);
    for (int64_t c = 0; c < k; ++c)
      if (level < low[machine * width + c] || level > high[machine * width + c])
        plain[c] = no_score;
    const int i = std::min(meeting.champion, meeting.challenger),
              j = std::max(meeting.champion, meeting.challenger);
    const int32_t row = 0;
    set.decide(levels, machine, &row, &value, 1, scores.get(), &meeting);
    check(meeting.champion, value > 0 ? i : j);
    check(meeting.challenger, take());
    for (int64_t c = 0; c < k; ++c) check(scores[c] == plain[c], true);
  }
}

void check_statistics(const InstructionSet& set) {
  constexpr int64_t k = 5, n_machines = 150, n_rows = 40;
  std::vector<uint16_t> low(k * n_machines), high(low), spread(low);
  std::vector<float> pooled(n_machines, 0.0f);
  {
    Check check("summarise and add_variances", 1e-3);  // half precision
    std::vector<double> variance(n_machines, 0.0);
    for (int64_t c = 0; c < k; ++c) {
      std::vector<float> lowest(n_machines), highest(n_machines);
      std::vector<double> sum(n_machines), squares(n_machines), deviation(n_machines);
      for (int64_t m = 0; m < n_machines; ++m) {
        const double mean = uniform(-2, 2);
        lowest[m] = static_cast<float>(mean - 3), highest[m] = static_cast<float>(mean + 3);
        deviation[m] = uniform(0.1, 2);
        sum[m] = n_rows * mean;
        squares[m] = n_rows * mean * mean + (n_rows - 1) * deviation[m] * deviation[m];
      }
      const int64_t at = c * n_machines;
      set.summarise({lowest.data(), highest.data(), sum.data(), squares.data()}, n_machines, n_rows,
                    {low.data() + at, high.data() + at, spread.data() + at});
      set.add_variances(spread.data() + at, 0.2f, n_machines, pooled.data());
      for (int64_t m = 0; m < n_machines; ++m) {
        check(from_half(low[at + m]), lowest[m]), check(from_half(high[at + m]), highest[m]);
        check(from_half(spread[at + m]), deviation[m]);
        variance[m] += 0.2 * deviation[m] * deviation[m];
      }
    }
    for (int64_t m = 0; m < n_machines; ++m) check(pooled[m], variance[m]);
  }
  // A bound may be rounded to the level beside its own.
  Check check("margin_levels", 1);
  const int64_t width = padded(k);
  const std::vector<float> freedom(k, n_rows - 1), widening{0.5f, -1.0f, -9.0f, INFINITY, 0.0f};
  std::vector<double> origin(n_machines), scale(n_machines);
  std::vector<uint8_t> lowest(n_machines * width), highest(n_machines * width);
  set.margin_levels(
      {k, n_machines, low.data(), high.data(), spread.data(), pooled.data(), freedom.data(),
       widening.data(), 200.0f, origin.data(), scale.data(), width, lowest.data(), highest.data()},
      0, n_machines);
  for (int64_t m = 0; m < n_machines; ++m) {
    double first = INFINITY, last = -INFINITY;
    for (int64_t c = 0; c < k; ++c) {
      first = std::min<double>(first, from_half(low[c * n_machines + m]));
      last = std::max<double>(last, from_half(high[c * n_machines + m]));
    }
    for (int64_t c = 0; c < k; ++c) {
      const int64_t at = c * n_machines + m;
      const double own = from_half(spread[at]), begin = from_half(low[at]),
                   end = from_half(high[at]);
      const double mixed =
          std::sqrt((200 * pooled[m] + freedom[c] * own * own) / (200 + freedom[c]));
      const double wider = std::max(widening[c] * (widening[c] < 0 ? std::min(own, mixed) : mixed),
                                    (begin - end) / 2);
      const auto level = [&](double bound) {
        const double x = (bound - first) * (highest_level - 1) / (last - first);
        return std::ceil(std::min(std::max(x, 0.0), double{highest_level}));
      };
      check.difference(lowest[m * width + c], level(begin - wider));
      check.difference(highest[m * width + c], level(end + wider));
    }
  }
}

}  // namespace

int main() {
  for (const InstructionSet* set :
       {instruction_set_avx512(), instruction_set_avx2(), instruction_set_baseline()}) {
    if (set == nullptr) continue;
    std::printf("%s\n", set->name);
    check_kernels<float>(*set, "float", 3e-5);
    check_kernels<double>(*set, "double", 3e-14);
    check_sums<float>(*set, "float", 1e-5);
    check_sums<double>(*set, "double", 1e-14);
    check_solver<float>(*set, "float", 1e-5);
    check_solver<double>(*set, "double", 1e-13);
    check_elimination(*set);
    check_statistics(*set);
  }
  std::printf(n_failures == 0 ? "all as expected\n" : "%d FAILED\n", n_failures);
  return n_failures == 0 ? 0 : 1;
}

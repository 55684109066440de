#include "train/spare_thread.hpp"

#include <algorithm>
#include <utility>

namespace dcsvm {
namespace {

// How long the thread waits for a job before it sleeps, and its owner for the end of one.
constexpr std::chrono::microseconds patience_for_a_job{100}, patience_for_its_end{20};
// After a job that was late, the next jobs are not given to the thread, at most so many of them.
constexpr int64_t most_skips = 512;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#else
  std::this_thread::yield();
#endif
}

}  // namespace

SpareThread::SpareThread() : thread_([this] { work(); }) {}

SpareThread::~SpareThread() {
  stopping_ = true;
  wake();
  thread_.join();
}

bool SpareThread::begin(std::function<void()> job) {
  if (n_to_skip_ > 0) {
    --n_to_skip_;
    return false;
  }
  const Clock::time_point now = Clock::now();
  const bool close = now - std::exchange(last_asked_, now) < patience_for_a_job;
  if (!idle()) return false;
  if (asleep_.load(std::memory_order_relaxed)) {
    if (close) {
      wake();
      skip_more();
    }
    return false;
  }
  job_ = std::move(job);
  n_posted_ = ++n_begun_;
  if (asleep_) wake();  // it has just fallen asleep
  return true;
}

bool SpareThread::ends_soon() {
  const Clock::time_point latest = Clock::now() + patience_for_its_end;
  while (!idle()) {
    if (Clock::now() > latest) {
      skip_more();
      return false;
    }
    pause();
  }
  skips_ /= 2;
  return true;
}

// Waking the thread, and waiting for a late one, cost time that only many jobs done in time make up
// for; where its processor is busy, they are few.
void SpareThread::skip_more() {
  skips_ = std::min(most_skips, 2 * skips_ + 1);
  n_to_skip_ = skips_;
}

void SpareThread::rest() const {
  while (!idle()) std::this_thread::yield();
}

void SpareThread::work() {
  for (int64_t n_done = 0; await_job(n_done); ++n_done) {
    job_();
    n_ended_.store(n_done + 1, std::memory_order_release);
  }
}

// False when there will be none.
bool SpareThread::await_job(int64_t n_done) {
  Clock::time_point latest = Clock::now() + patience_for_a_job;
  while (n_posted_.load(std::memory_order_acquire) == n_done) {
    if (stopping_) return false;
    std::this_thread::yield();  // to the owner, should they share a processor
    if (Clock::now() > latest) {
      sleep(n_done);
      latest = Clock::now() + patience_for_a_job;
    }
  }
  return true;
}

// Whoever posts a job looks afterwards whether the helper sleeps, and whoever falls asleep looks
// afterwards whether there is a job: one of them sees the other.
void SpareThread::sleep(int64_t n_done) {
  std::unique_lock<std::mutex> lock(mutex_);
  asleep_ = true;
  awake_.wait(lock, [&] { return woken_ || stopping_ || n_posted_ != n_done; });
  woken_ = false;
  asleep_ = false;
}

void SpareThread::wake() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    woken_ = true;
  }
  awake_.notify_one();
}

bool ThreadCount::take_free_thread() {
  if (n_pairs_left_ > 0) return false;
  int64_t n_busy = n_busy_;
  while (n_busy < n_threads_)
    if (n_busy_.compare_exchange_weak(n_busy, n_busy + 1)) return true;
  return false;
}

}  // namespace dcsvm

// A thread that takes part of a job of some ten microseconds.
//
// It waits for the next job in a loop, as long as jobs follow closely upon each other, and sleeps
// otherwise. The owner never depends on it: what the thread has not done in time, because the
// processor is busy with something else, the owner does itself. A job given up may still run for a
// while; it must therefore write to memory of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "data/integers.hpp"

namespace dcsvm {

class SpareThread {
 public:
  SpareThread();
  ~SpareThread();
  SpareThread(const SpareThread&) = delete;
  SpareThread& operator=(const SpareThread&) = delete;

  // Begins a job; false if the thread is asleep or still busy.
  bool begin(std::function<void()> job);

  // Whether the job has ended, after a short wait at most.
  bool ends_soon();

  // Waits until no job runs.
  void rest() const;

 private:
  using Clock = std::chrono::steady_clock;

  bool idle() const { return n_ended_.load(std::memory_order_acquire) == n_begun_; }
  void work();
  bool await_job(int64_t n_done);
  void sleep(int64_t n_done);
  void wake();
  void skip_more();

  std::function<void()> job_;
  int64_t n_begun_ = 0;
  std::atomic<int64_t> n_posted_{0}, n_ended_{0};
  std::atomic<bool> asleep_{false}, stopping_{false};
  bool woken_ = false;  // guarded by the mutex
  std::mutex mutex_;
  std::condition_variable awake_;
  Clock::time_point last_asked_{};
  int64_t n_to_skip_ = 0, skips_ = 0;
  std::thread thread_;
};

// How many threads train, of so many that may: when no pair is left to begin with, those without
// one are free to be spare threads of the others.
class ThreadCount {
 public:
  ThreadCount(int64_t n_threads, int64_t n_pairs) : n_threads_(n_threads), n_pairs_left_(n_pairs) {}

  void begin_pair() {
    ++n_busy_;
    --n_pairs_left_;
  }
  bool take_free_thread();
  void give_back() { --n_busy_; }

 private:
  int64_t n_threads_;
  std::atomic<int64_t> n_pairs_left_, n_busy_{0};
};

}  // namespace dcsvm

#include "fast/cpu/threads.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__unix__)
#include <pthread.h>
#endif

namespace mx::fast::cpu {
namespace {

/// Elements that a thread takes at a time: long enough to outweigh the counter, short enough that
/// the threads end together.
constexpr std::size_t kPiece = std::size_t{1} << 16;
/// Work that is over before another thread wakes.
constexpr std::size_t kAlone = 2 * kPiece;
/// Looks that a thread takes for the next call, or a caller for the end of its own, before it
/// sleeps: some tens of microseconds, about what waking costs.
constexpr int kLooks = 1000;

void pause_shortly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Threads that wait for work, started when a call first asks for them. They end with the process.
class Pool {
 public:
  /// Never destroyed: its threads may look at it until the process ends. A forked child has none of
  /// them, and its copy may be locked by one that it has not, so it begins with a new pool.
  static Pool& of_process() {
    static std::atomic<Pool*> pool = new Pool;
#if defined(__unix__)
    static const int registered = pthread_atfork(nullptr, nullptr, [] { pool = new Pool; });
    static_cast<void>(registered);
#endif
    return *pool;
  }

  /// Runs `take` here and on up to `others` threads of the pool; returns when all have ended. The
  /// calls of several threads share the pool. One whose threads are busy elsewhere does the work
  /// itself.
  void run(std::size_t others, const std::function<void()>& take) {
    Call call{&take, others, 0};
    {
      const std::lock_guard lock(mutex_);
      grow(others);
      calls_.push_back(&call);
      open_ = calls_.size();
    }
    for (std::size_t i = 0; i < others; ++i) wake_.notify_one();
    take();
    std::unique_lock lock(mutex_);
    std::erase(calls_, &call);
    open_ = calls_.size();
    lock.unlock();
    look_for([&] { return call.active == 0; });
    lock.lock();
    done_.wait(lock, [&] { return call.active == 0; });
  }

 private:
  struct Call {
    const std::function<void()>* take;
    std::size_t open;                 ///< threads that may still join
    std::atomic<std::size_t> active;  ///< threads that are at it
  };

  template <class Condition>
  static void look_for(const Condition& holds) {
    for (int look = 0; look < kLooks && !holds(); ++look) pause_shortly();
  }

  void grow(std::size_t wanted) {
    try {
      for (; threads_ < wanted; ++threads_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
      // The threads there are do the work.
    }
  }

  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_, std::defer_lock);
    while (true) {
      look_for([&] { return open_ != 0; });
      lock.lock();
      wake_.wait(lock, [&] { return !calls_.empty(); });
      Call* const call = calls_.front();
      if (--call->open == 0) calls_.erase(calls_.begin());
      open_ = calls_.size();
      ++call->active;
      lock.unlock();
      (*call->take)();
      // The caller's place may be gone as soon as nobody is at it.
      lock.lock();
      if (--call->active == 0) done_.notify_all();
      lock.unlock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<Call*> calls_;           ///< with places open, oldest first
  std::atomic<std::size_t> open_ = 0;  ///< as many, for those who look without the lock
  std::size_t threads_ = 0;
};

}  // namespace

void share_blocks(std::size_t lines, std::size_t blocks, std::size_t elements, int threads,
                  const std::function<void(std::size_t, std::size_t, std::size_t)>& work) {
  if (threads <= 1 || lines * blocks * elements <= kAlone) {
    for (std::size_t line = 0; line < lines; ++line) work(line, 0, blocks);
    return;
  }
  const std::size_t piece = std::max<std::size_t>(kPiece / elements, 1);
  const std::size_t pieces = (blocks + piece - 1) / piece;
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < lines * pieces; i = next++) {
      const std::size_t first = i % pieces * piece;
      work(i / pieces, first, std::min(first + piece, blocks));
    }
  };
  const auto wanted = std::min(static_cast<std::size_t>(threads), lines * pieces);
  Pool::of_process().run(wanted - 1, take);
}

}  // namespace mx::fast::cpu

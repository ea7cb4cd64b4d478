#include "tests/reference/abi/failing_memory.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

std::atomic<std::uint64_t> countdown = kNever;
std::atomic<bool> has_failed = false;
std::atomic<std::int64_t> live_bytes = 0;
std::atomic<std::int64_t> peak_bytes = 0;
std::atomic<std::uint64_t> generation = 1;
std::atomic<std::uint64_t> thread_count = 0;
thread_local std::uint64_t counted_in = 0;

bool fails_now() {
  if (countdown == kNever || countdown.fetch_sub(1) != 0) return false;
  countdown = kNever;
  has_failed = true;
  return true;
}

void* allocate(std::size_t size) {
  if (fails_now()) throw std::bad_alloc();
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  if (counted_in != generation) {
    counted_in = generation;
    ++thread_count;
  }
  const std::int64_t now = live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  std::int64_t seen = peak_bytes;
  while (now > seen && !peak_bytes.compare_exchange_weak(seen, now)) {
  }
  return memory;
}

void release(void* memory) {
  if (memory == nullptr) return;
  live_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

namespace mx::memory {

void fail_at(std::uint64_t allocation) {
  has_failed = false;
  countdown = allocation;
}

bool stop_failing() {
  countdown = kNever;
  return has_failed;
}

std::int64_t live() { return live_bytes; }
void reset_peak() { peak_bytes = live_bytes.load(); }
std::int64_t peak() { return peak_bytes; }

void reset_threads() {
  ++generation;
  thread_count = 0;
}
std::uint64_t threads() { return thread_count; }

}  // namespace mx::memory

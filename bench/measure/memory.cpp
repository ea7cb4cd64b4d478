#include "bench/measure/memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace mx::goals {

std::shared_ptr<void> touched_memory(std::size_t bytes) {
  constexpr std::size_t kHuge = std::size_t{2} << 20;
  constexpr std::size_t kFromHuge = std::size_t{4} << 20;
  constexpr std::size_t kPage = 4096;
  const std::size_t unit = bytes >= kFromHuge ? kHuge : kPage;
  const std::size_t whole = (bytes + unit - 1) / unit * unit;
  void* const memory = std::aligned_alloc(unit, whole == 0 ? unit : whole);
  if (memory == nullptr) throw std::bad_alloc();
  // Where the kernel gives none, the pages are small; nothing else changes.
  if (unit == kHuge) madvise(memory, whole, MADV_HUGEPAGE);
  std::memset(memory, 0, whole);
  return {memory, [](void* each) { std::free(each); }};
}

}  // namespace mx::goals

// operator new under control: it counts, and fails where it is told to.
#pragma once

#include <cstdint>

namespace mx::memory {

/// From now on the allocation of this number fails (0: the next one), and those after it do not.
void fail_at(std::uint64_t allocation);
/// Allocations do not fail any more. Has one failed since fail_at()?
bool stop_failing();

/// Bytes that are allocated now.
[[nodiscard]] std::int64_t live();
/// Forgets the high-water mark: it starts from what is allocated now.
void reset_peak();
[[nodiscard]] std::int64_t peak();

/// Threads that have allocated since the last reset_threads().
void reset_threads();
[[nodiscard]] std::uint64_t threads();

}  // namespace mx::memory

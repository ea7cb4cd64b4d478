// Splits a range of work over threads. The work must give the same result in any order.
#pragma once

#include <cstdint>
#include <functional>

namespace mx::cli {

/// Calls work(begin, end) for consecutive chunks of [0, count), `chunk` long, from up to `threads`
/// threads. An exception of the work stops the rest and is thrown again here.
void for_each_chunk(std::uint64_t count, std::uint64_t chunk, int threads,
                    const std::function<void(std::uint64_t, std::uint64_t)>& work);

/// Threads to use when the user names none: those of the machine, at least 1.
[[nodiscard]] int default_threads();

}  // namespace mx::cli

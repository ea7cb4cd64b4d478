// Work shared by threads, where a caller asks for more than one.
#pragma once

#include <cstdint>
#include <functional>

namespace mx {

/// Threads of this machine that the process may use, at least 1.
[[nodiscard]] int machine_threads();

/// Calls work(first, last) for consecutive pieces of [0, count), `piece` long, from up to `threads`
/// threads, this one among them; fewer where no more can be started. The first exception of the
/// work stops the rest and is thrown again here. The work must give the same result in any order.
void share_work(std::uint64_t count, std::uint64_t piece, int threads,
                const std::function<void(std::uint64_t, std::uint64_t)>& work);

}  // namespace mx

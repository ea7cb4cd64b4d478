// Blocks shared by threads.
#pragma once

#include <cstddef>
#include <functional>

namespace mx::fast::cpu {

/// Calls work(line, first, last) for pieces [first, last) of the `blocks` blocks of each of `lines`
/// lines, blocks of `elements` elements, from up to `threads` threads, this one among them; fewer
/// where no more can be started or the work is small. The pieces do not overlap.
void share_blocks(std::size_t lines, std::size_t blocks, std::size_t elements, int threads,
                  const std::function<void(std::size_t, std::size_t, std::size_t)>& work);

}  // namespace mx::fast::cpu

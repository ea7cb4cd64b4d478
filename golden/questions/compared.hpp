// SPDX-License-Identifier: Apache-2.0
// "What does an implementation do otherwise?", of arrays in memory: the differences that were
// found, and the policy that makes them.
#pragma once

#include <cstdint>
#include <vector>

#include "golden/identify/surface.hpp"
#include "golden/names/asking.hpp"

namespace mx::golden {

/// A value or a block with what was expected of it and what was seen.
struct ComparedRecord {
  std::uint64_t number = 0;           ///< of the element, or of the block
  std::vector<std::uint64_t> places;  ///< of the elements in the array
  BlockInput input;
  BlockAnswer expected;
  BlockAnswer seen;
  OpenParts open;           ///< what counts for nothing
  std::uint16_t flags = 0;  ///< of the expected answer

  [[nodiscard]] bool scale_differs() const { return !open.scale && expected.scale != seen.scale; }
  [[nodiscard]] bool code_differs(std::size_t i) const {
    return !open.is_open(i) && expected.codes[i] != seen.codes[i];
  }
};

/// Words of an array: each is compared, or counts for nothing.
struct ComparedCounts {
  std::uint64_t all = 0;
  std::uint64_t differ = 0;
  std::uint64_t open = 0;       ///< left open by the profile
  std::uint64_t dont_care = 0;  ///< codes under a NaN scale that mean nothing
  [[nodiscard]] std::uint64_t agree() const { return all - differ - open - dont_care; }
};

struct ComparedArray {
  Surface surface;
  Subject subject;  ///< the reference: configuration and what is open
  ComparedCounts codes;
  ComparedCounts scales;                  ///< of blocks
  std::vector<ComparedRecord> shown;      ///< the first that differ
  std::vector<ComparedRecord> differing;  ///< by which causes are looked for: some that differ,
  std::vector<ComparedRecord> agreeing;   ///< and some that do not
};

/// Counts, "differences" with inputs, expected and seen codes, flags and the step that decided, and
/// "causes": policies that, changed, give what was seen. The verdict holds where nothing differs
/// and something was compared.
[[nodiscard]] Answer compared(const ComparedArray& array, int threads);

}  // namespace mx::golden

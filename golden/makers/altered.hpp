// SPDX-License-Identifier: Apache-2.0
// A profile on a device that does one thing more than policies say: a structure, a scale that is
// off, the scale of the neighbor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "golden/identify/surface.hpp"
#include "golden/structure/structure.hpp"

namespace mx::golden {

/// One of those things.
struct Alteration {
  enum class Neighbor : std::uint8_t {
    kNone,
    kShown,  ///< its scale is shown in place of the block's own
    kUsed    ///< and codes are made under it
  };
  Structure structure;
  Neighbor neighbor = Neighbor::kNone;
  int away = 0;  ///< where the neighbor stands: -1 for the block before
};

/// Every structure, then scales that are off by a number, then those of neighbors.
[[nodiscard]] std::span<const Alteration> alterations();

/// Answers of a subject so altered. Not thread-safe.
class Altered {
 public:
  /// The alteration outlives it.
  Altered(const Surface& surface, const Subject& subject, const Alteration& alteration);
  ~Altered();
  Altered(Altered&&) noexcept;
  Altered& operator=(Altered&&) noexcept;

  /// Can the alteration change an answer of the subject?
  [[nodiscard]] static bool can_be(const Surface& surface, const Subject& subject,
                                   const Alteration& alteration);

  /// The answer in the subject's formats. `neighbor` is the scale of the one that is named; without
  /// it, the block keeps its own.
  [[nodiscard]] BlockAnswer operator()(const BlockInput& input,
                                       std::optional<std::uint64_t> neighbor = std::nullopt);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mx::golden

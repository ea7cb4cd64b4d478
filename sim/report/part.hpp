// Which part of its blocks or records a run was given, and what it leaves to others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mx::sim {

struct RunPart {
  std::uint64_t shard = 0;  ///< of `shards`
  std::uint64_t shards = 1;
  std::string only;         ///< what --only says, "" for no such option
  std::uint64_t whole = 0;  ///< blocks or records of all parts; 0 of a run that has no parts
  std::uint64_t run = 0;    ///< of this one

  [[nodiscard]] std::uint64_t left_out() const { return whole > run ? whole - run : 0; }
};

/// "shard 1/2: 2,755 of 6,851 blocks, 4,096 left to other runs"; "" where nothing is left.
[[nodiscard]] std::string part_text(const RunPart& part, std::string_view things);

}  // namespace mx::sim

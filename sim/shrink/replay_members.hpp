// The members of a question in a replay file.
#pragma once

#include <string>
#include <vector>

#include "sim/shrink/replay_file.hpp"

namespace mx::sim {

inline constexpr int kReplaySchema = 1;

/// A member of a question: words of as many hex digits.
struct Member {
  std::string name;
  std::size_t words = 0;
  int digits = 0;
};

[[nodiscard]] std::vector<Member> members_of(const ReplayFile& replay);

}  // namespace mx::sim

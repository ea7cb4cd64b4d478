#include "sim/drive/stall.hpp"

#include <array>

namespace mx::sim {
namespace {

constexpr std::array<std::string_view, 5> kTokens = {"none", "light", "heavy", "random", "at"};

// A run length of one of the classes 1, 2-3, 4-15, 16-40 (short ones more often).
std::uint32_t random_length(Stream& stream) {
  switch (stream.below(8)) {
    case 0:
    case 1:
    case 2:
      return 1;
    case 3:
    case 4:
      return 2 + stream.below(2);
    case 5:
    case 6:
      return 4 + stream.below(12);
    default:
      return 16 + stream.below(25);
  }
}

}  // namespace

std::string_view token_of(Stall stall) { return kTokens[static_cast<std::size_t>(stall)]; }

std::optional<Stall> parse_stall(std::string_view token) {
  for (std::size_t i = 0; i < kTokens.size(); ++i) {
    const auto stall = static_cast<Stall>(i);
    if (kTokens[i] == token && stall != Stall::kAt) return stall;
  }
  return std::nullopt;
}

bool StallSchedule::is_listed() {
  const bool found = listed_ < cycles_.size() && cycles_[listed_] == asked_;
  listed_ += found ? 1U : 0U;
  ++asked_;
  return found;
}

void StallSchedule::start_run() {
  stalled_ = !stalled_;
  switch (stall_) {
    case Stall::kNone:
    case Stall::kAt:
      left_ = 1;
      break;
    case Stall::kLight:
      left_ = stalled_ ? 1 : stream_.below(16);
      break;
    case Stall::kHeavy:
      left_ = stalled_ ? 1 + stream_.below(8) : stream_.below(5);
      break;
    case Stall::kRandom:
      left_ = random_length(stream_);
      break;
  }
}

}  // namespace mx::sim

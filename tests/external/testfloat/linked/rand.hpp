// Where the C library's random numbers of rand.cpp stand.
#pragma once

#include <string>
#include <string_view>

namespace mx::external {

/// The state of rand() in one word, with a check sum that is also over `of`: what draws, and where.
[[nodiscard]] std::string rand_place(std::string_view of);
/// Goes on from there. False, and nothing has changed, where it is no word of rand_place(of).
[[nodiscard]] bool set_rand_place(std::string_view place, std::string_view of);

/// While it lives, rand() is 0 and its state stays.
class StillRand {
 public:
  StillRand();
  ~StillRand();
  StillRand(const StillRand&) = delete;
  StillRand& operator=(const StillRand&) = delete;
};

}  // namespace mx::external

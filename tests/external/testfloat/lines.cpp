#include "tests/external/testfloat/lines.hpp"

#include <algorithm>
#include <array>

namespace mx::external {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;
constexpr std::uint8_t kNoDigit = 16;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  for (auto& each : digits) each = kNoDigit;
  for (std::uint8_t d = 0; d < 10; ++d) digits[std::size_t{'0'} + d] = d;
  for (std::uint8_t d = 10; d < 16; ++d) digits[std::size_t{'A'} + d - 10U] = d;
  return digits;
}();

}  // namespace

TestfloatLines::TestfloatLines(const std::string& command) : pipe_(popen(command.c_str(), "r")) {}

TestfloatLines::~TestfloatLines() { (void)close(); }

int TestfloatLines::close() {
  const int status = pipe_ == nullptr ? 1 : pclose(pipe_);
  pipe_ = nullptr;
  return status;
}

bool TestfloatLines::take_line() {
  std::size_t end = buffer_.find('\n', at_);
  while (end == std::string::npos && pipe_ != nullptr) {
    buffer_.erase(0, at_);
    at_ = 0;
    const std::size_t kept = buffer_.size();
    buffer_.resize(kept + kBlock);
    buffer_.resize(kept + std::fread(buffer_.data() + kept, 1, kBlock, pipe_));
    if (buffer_.size() == kept) break;
    end = buffer_.find('\n', kept);
  }
  if (end == std::string::npos) end = buffer_.size();
  if (end == at_ && at_ == buffer_.size()) return false;
  text_ = std::string_view(buffer_).substr(at_, end - at_);
  at_ = std::min(end + 1, buffer_.size());
  return true;
}

TestfloatLines::Read TestfloatLines::next(std::span<std::uint64_t> words) {
  if (!take_line()) return Read::kEnd;
  std::size_t at = 0;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::size_t begin = at;
    std::uint64_t word = 0;
    for (; at < text_.size(); ++at) {
      const std::uint8_t digit = kDigits[static_cast<unsigned char>(text_[at])];
      if (digit == kNoDigit) break;
      word = word << 4 | digit;
    }
    words[k] = word;
    const bool is_last = k + 1 == words.size();
    const bool ends = is_last ? at == text_.size() : at < text_.size() && text_[at] == ' ';
    if (at == begin || at - begin > 16 || !ends) return Read::kOtherText;
    ++at;
  }
  return Read::kWords;
}

}  // namespace mx::external

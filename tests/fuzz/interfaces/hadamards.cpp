// Hadamard transforms of the C interface: tensors of any shape, or of one that is refused; what is
// transformed comes back where nothing is lost.
#include <algorithm>
#include <array>

#include "tests/fuzz/draw.hpp"

namespace mx::fuzz {
namespace {

constexpr std::uint64_t kMostBytes = 1 << 16;  ///< bytes that are worth a run

/// A format, a shape, an axis, a seed, the order of the signs, words.
Outcome hadamard(std::string_view input) {
  Draw draw(input);
  const std::string source = draw.line();
  std::array<std::uint64_t, 3> shape{};
  const std::size_t rank = draw.below(4);
  const bool is_huge = draw.below(8) == 7;
  for (std::uint64_t& length : shape) {
    const std::uint64_t unit = is_huge ? draw.word(8) : draw.below(4) == 3 ? 1 : 16;
    length = is_huge ? unit : unit * draw.below(5);
  }
  const auto axis = static_cast<std::int64_t>(draw.below(8)) - 4;
  const std::uint16_t mask = mxgold_hadamard_mask(draw.word(8));
  const int signs_last = static_cast<int>(draw.below(3)) - 1;
  std::uint64_t elements = 1;
  for (std::size_t i = 0; i < rank; ++i)
    elements = std::min(kMostBytes, elements * std::min(kMostBytes, shape[i]));
  std::array<std::uint8_t, 8> few{};
  if (elements >= kMostBytes) {
    const mxgold_status status =
        mxgold_hadamard_tensor(source.c_str(), shape.data(), rank, axis, mask, signs_last,
                               few.data(), few.size(), few.data(), few.size());
    require(status != MXGOLD_OK, "buffers that are too small are refused", input);
    require_status(status, nullptr, input);
    return Outcome::kRefused;
  }
  mxgold_format_info info{};
  const bool is_known = mxgold_format(source.c_str(), &info) == MXGOLD_OK;
  std::vector<std::uint8_t> words(elements * (is_known ? info.storage_bytes : 1)),
      values(4 * elements), back(4 * elements);
  draw.fill(words);
  if (draw.below(16) == 15) values.resize(values.size() + 1);
  const mxgold_status status =
      mxgold_hadamard_tensor(source.c_str(), shape.data(), rank, axis, mask, signs_last,
                             words.data(), words.size(), values.data(), values.size());
  require_status(status, nullptr, input);
  if (status != MXGOLD_OK) return Outcome::kRefused;
  require(is_known, "a format that is transformed has facts", input);
  require(
      mxgold_hadamard_tensor("fp32", shape.data(), rank, axis, mask, signs_last == 0 ? 1 : 0,
                             values.data(), values.size(), back.data(), back.size()) == MXGOLD_OK,
      "what was transformed can be transformed back", input);
  return Outcome::kRead;
}

std::vector<std::string> hadamard_seeds() {
  return {bytes_of("fp32\n\x01\x00\x00\x01\x00\x00\x00\x00\x04\x12\x34\x56\x78\x9A\xBC\xDE\xF0\x01"
                   "\x3F\x80\x00\x00"),
          bytes_of("bf16\n\x02\x00\x03\x03\x00\x02\x00\x00\x05\x12\x34\x56\x78\x9A\xBC\xDE\xF0\x02"
                   "\x3F\x80\xFF\x80"),
          bytes_of("fp16\n\x03\x00\x00\x01\x03\x02\x03\x02\x04\x00\x00\x00\x00\x00\x00\x00\x07\x01"
                   "\x3C\x01\x7B\xFF")};
}

}  // namespace

Target hadamards_target() { return {"hadamards", hadamard, hadamard_seeds}; }

}  // namespace mx::fuzz

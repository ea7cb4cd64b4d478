// SPDX-License-Identifier: Apache-2.0
// Layouts of codes and scales of the C interface: what is packed and swizzled comes back, and
// buffers that do not fit are refused.
#include <array>

#include "tests/fuzz/draw.hpp"

namespace mx::fuzz {
namespace {

/// A packing, a format, a group, a count, codes.
Outcome packing(std::string_view input) {
  Draw draw(input);
  const std::string name = draw.line(), format = draw.line();
  const bool is_huge = draw.below(8) == 7;
  const std::uint64_t group = is_huge ? draw.word(8) : draw.below(40);
  const std::uint64_t count = is_huge ? draw.word(8) : draw.word(2);
  std::uint64_t bytes = 0;
  std::array<char, 200> why{};
  const mxgold_status sized = mxgold_packed_bytes(name.c_str(), format.c_str(), group, count,
                                                  &bytes, why.data(), why.size());
  require_status(sized, why.data(), input);
  std::vector<std::uint8_t> codes(is_huge ? 8 : count), packed(is_huge || sized ? 8 : bytes);
  draw.fill(codes);
  const mxgold_status done =
      mxgold_pack(name.c_str(), format.c_str(), group, codes.data(), is_huge ? count : codes.size(),
                  packed.data(), is_huge ? 7 : packed.size());
  require_status(done, nullptr, input);
  if (done != MXGOLD_OK) return Outcome::kRefused;
  require(sized == MXGOLD_OK && !is_huge, "what is packed has a size", input);
  std::vector<std::uint8_t> back(count);
  require(mxgold_unpack(name.c_str(), format.c_str(), group, packed.data(), packed.size(),
                        back.data(), back.size()) == MXGOLD_OK,
          "what was packed can be unpacked", input);
  require(back == codes, "what was packed comes back", input);
  return Outcome::kRead;
}

/// A layout, rows, blocks, scales.
Outcome scale_layout(std::string_view input) {
  Draw draw(input);
  const std::string name = draw.line();
  const bool is_huge = draw.below(8) == 7;
  const std::uint64_t rows = is_huge ? draw.word(8) : draw.word(2) % 300;
  const std::uint64_t blocks = is_huge ? draw.word(8) : draw.below(40);
  std::uint64_t bytes = 0;
  const mxgold_status sized = mxgold_scale_layout_bytes(name.c_str(), rows, blocks, &bytes);
  require_status(sized, nullptr, input);
  if (sized != MXGOLD_OK || bytes > 1U << 20) {
    std::array<std::uint8_t, 8> few{};
    require(mxgold_lay_out_scales(name.c_str(), rows, blocks, few.data(), 3, few.data() + 4, 3) !=
                MXGOLD_OK,
            "buffers that are too small are refused", input);
    return Outcome::kRefused;
  }
  std::vector<std::uint8_t> plane(rows * blocks), laid_out(bytes), back(plane.size());
  draw.fill(plane);
  require(mxgold_lay_out_scales(name.c_str(), rows, blocks, plane.data(), plane.size(),
                                laid_out.data(), laid_out.size()) == MXGOLD_OK,
          "scales of any matrix are laid out", input);
  require(mxgold_bring_back_scales(name.c_str(), rows, blocks, laid_out.data(), laid_out.size(),
                                   back.data(), back.size()) == MXGOLD_OK,
          "what was laid out can be brought back", input);
  require(back == plane, "what was laid out comes back", input);
  return Outcome::kRead;
}

Outcome layout(std::string_view input) {
  if (input.empty()) return Outcome::kRefused;
  const bool is_of_scales = input.front() == 's';
  return is_of_scales ? scale_layout(input.substr(1)) : packing(input);
}

std::vector<std::string> layout_seeds() {
  return {bytes_of("nibble_low_first\ne2m1fn\n\x00\x00\x00\x05\x01\x02\x03\x04\x05"),
          bytes_of("split_half\ne2m1fn\n\x00\x04\x00\x08\x01\x02\x03\x04\x05"),
          bytes_of("dense6\ne2m3fn\n\x00\x00\x00\x05\x01\x02\x03\x3F\x05"),
          bytes_of("byte_padded\ne4m3fn\n\x00\x00\x00\x02\x01\xFF"),
          bytes_of("sswizzle_128x4\n\x00\x00\x81\x05\x01\x02\x03"),
          bytes_of("splane\n\x00\x00\x03\x05\x01\x02\x03"),
          bytes_of("sswizzle_128x4\n\x07\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00\x00\x01\x00")};
}

}  // namespace

Target layouts_target() { return {"layouts", layout, layout_seeds}; }

}  // namespace mx::fuzz

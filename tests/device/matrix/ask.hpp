// Dot products by the matrix units of a Hopper GPU (ask.cu), and how their operands are packed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/device/matrix/instructions.hpp"

namespace mx::probe {

struct Answer {
  std::vector<std::uint32_t> d;
  std::uint32_t differing = 0;  // dot products whose copies elsewhere in the tile differed
};

/// Codes side by side, as the registers of the unit hold them.
inline std::vector<std::uint32_t> pack_codes(std::span<const std::uint32_t> codes, int bytes) {
  const auto in_word = static_cast<std::size_t>(4 / bytes);
  std::vector<std::uint32_t> words(codes.size() / in_word);
  for (std::size_t at = 0; at < codes.size(); ++at) {
    words[at / in_word] |= codes[at] << (32 / in_word * (at % in_word));
  }
  return words;
}

/// D = A B + C by one instruction, which is one of kInstructions: c.size() dot products, a multiple
/// of 8, of packed words. Throws std::runtime_error where the device does not answer.
Answer ask_device(const Instruction& instruction, const std::vector<std::uint32_t>& a,
                  const std::vector<std::uint32_t>& b, const std::vector<std::uint32_t>& c);

/// The first device, by name and compute capability.
std::string device_name();

/// Why nothing can be asked here, or an empty text.
std::string obstacle();

}  // namespace mx::probe

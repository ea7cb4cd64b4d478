#include "bench/goals/values.hpp"

#include <bit>
#include <sstream>

#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"

namespace mx::goals {

std::array<float, 256> values_of(const ElementFormat& format) {
  const Conversion widening = Conversion::make({format, formats::fp32, {}}).value();
  std::array<float, 256> values{};
  for (std::uint64_t code = 0; code <= format.code_mask(); ++code) {
    values[code] = std::bit_cast<float>(static_cast<std::uint32_t>(widening(code).code));
  }
  return values;
}

float scale_value(std::uint8_t code) {
  return std::bit_cast<float>(code == 0 ? 0x00400000U : static_cast<std::uint32_t>(code) << 23);
}

bool is_same(float a, float b, bool ignores_zero_sign) {
  if (ignores_zero_sign && a == 0 && b == 0) return true;
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

std::string first_difference(std::size_t count, const std::function<Pair(std::size_t)>& at) {
  std::size_t differences = 0;
  std::ostringstream words;
  for (std::size_t i = 0; i < count; ++i) {
    const Pair pair = at(i);
    if (pair.is_equal) continue;
    if (++differences == 1) {
      words << "first at " << i << ", ours " << std::hexfloat << pair.ours << ", theirs "
            << pair.theirs;
    }
  }
  if (count == 0) return "nothing to compare";
  if (differences == 0) return "";
  return std::to_string(differences) + " of " + std::to_string(count) + " differ, " + words.str();
}

std::string narrowed_difference(std::span<const float> words, std::span<const std::uint8_t> bytes) {
  return first_difference(words.size(), [&](std::size_t i) {
    const std::uint32_t top = std::bit_cast<std::uint32_t>(words[i]) >> 24;
    return Pair{static_cast<double>(top), static_cast<double>(bytes[i]), top == bytes[i]};
  });
}

}  // namespace mx::goals

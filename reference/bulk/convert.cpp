#include "reference/bulk/convert.hpp"

#include "reference/bulk/element_loop.hpp"

namespace mx {

std::uint8_t convert(const Conversion& c, std::span<const std::uint64_t> source,
                     std::span<const std::uint32_t> random, std::span<std::uint64_t> codes,
                     std::span<std::uint8_t> flags) {
  if (c.e8m0_quirk != E8m0Quirk::kNone) {
    std::uint8_t all = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
      const Encoded encoded = c(source[i], random.empty() ? 0 : random[i]);
      codes[i] = encoded.code;
      if (!flags.empty()) flags[i] = encoded.flags;
      all |= encoded.flags;
    }
    return all;
  }
  return kernel::encode_elements(c.source, c.destination, c.policy, 0, source, random, codes,
                                 flags);
}

}  // namespace mx

#include "element_loop.hpp"
#include "encode_kernel.hpp"

namespace mx {

Encoded encode(const Unpacked& x, const ElementFormat& format, const ElementPolicy& policy,
               std::uint32_t random) {
  return kernel::encode_with(x, format, policy, random, kernel::NoTrace{});
}

Encoded encode(const Unpacked& x, const ElementFormat& format, const ElementPolicy& policy,
               std::uint32_t random, Trace& trace) {
  trace = Trace{};
  return kernel::encode_with(x, format, policy, random, kernel::WriteTrace{trace});
}

Unpacked decode_source(const ElementFormat& source, const ElementPolicy& policy,
                       std::uint64_t code) {
  return kernel::decode_source(source, policy, code);
}

Encoded Conversion::operator()(std::uint64_t source_code, std::uint32_t random) const {
  return kernel::encode_with(kernel::decode_source(source, policy, source_code), destination,
                             policy, random, kernel::NoTrace{});
}

Encoded Conversion::operator()(std::uint64_t source_code, std::uint32_t random,
                               Trace& trace) const {
  return encode(decode_source(source, policy, source_code), destination, policy, random, trace);
}

std::uint8_t convert(const Conversion& c, std::span<const std::uint64_t> source,
                     std::span<const std::uint32_t> random, std::span<std::uint64_t> codes,
                     std::span<std::uint8_t> flags) {
  return kernel::encode_elements(c.source, c.destination, c.policy, 0, source, random, codes,
                                 flags);
}

}  // namespace mx

// Packed codes in a build without Highway: calls refuse everything.
#include "fast/packing/packing.hpp"

namespace mx::fast {

std::size_t packed_size(CodePacking, std::size_t) { return 0; }
bool pack_codes(CodePacking, std::span<const std::byte>, std::span<std::byte>) { return false; }
bool unpack_codes(CodePacking, std::span<const std::byte>, std::span<std::byte>) { return false; }

}  // namespace mx::fast

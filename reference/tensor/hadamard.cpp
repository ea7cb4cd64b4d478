#include "reference/tensor/hadamard.hpp"

#include <array>

#include "reference/format/rows.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/parallel/threads.hpp"
#include "reference/tensor/layout.hpp"

namespace mx {

std::string hadamard_problem(const ElementFormat& source, std::uint64_t length) {
  if (source != formats::fp32 && source != formats::bf16 && source != formats::fp16) {
    return "a Hadamard transform takes fp32, bf16 and fp16, not " + std::string(source.name);
  }
  if (length % kHadamardSize != 0) {
    return "a Hadamard transform takes groups of 16, and the axis has " + std::to_string(length) +
           " elements";
  }
  return "";
}

void transform_tensor(const Hadamard& hadamard, const BlockedShape& shape,
                      const ElementFormat& source, std::span<const std::byte> words,
                      std::span<std::byte> values, int threads) {
  const std::size_t size = storage_bytes(source);
  share_work(shape.scales, layout::blocks_at_a_time(shape), threads,
             [&](std::uint64_t first, std::uint64_t last) {
               std::array<fp32::Bits, kHadamardSize> group{};
               for (std::uint64_t block = first; block < last; ++block) {
                 const layout::BlockPlace place = layout::place_of(shape, block);
                 const auto index_of = [&](std::size_t i) {
                   return layout::element_index(shape, shape.length, place, place.width, i);
                 };
                 for (std::size_t i = 0; i < group.size(); ++i) {
                   const std::uint64_t word = layout::load_word(words, index_of(i), size);
                   group.at(i) = fp32::round(decode(source, word));
                 }
                 transform(hadamard, group);
                 for (std::size_t i = 0; i < group.size(); ++i) {
                   layout::store_word(values, index_of(i), sizeof(fp32::Bits), group.at(i));
                 }
               }
             });
}

}  // namespace mx

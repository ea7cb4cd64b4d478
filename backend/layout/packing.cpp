// SPDX-License-Identifier: Apache-2.0
#include "backend/layout/packing.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "reference/parallel/threads.hpp"

namespace mx::backend {
namespace {

std::optional<fast::CodePacking> vectors_of(Packing packing) {
  switch (packing) {
    case Packing::kNibbleLowFirst:
      return fast::CodePacking::kNibbleLowFirst;
    case Packing::kNibbleHighFirst:
      return fast::CodePacking::kNibbleHighFirst;
    case Packing::kSplitHalf:
      return fast::CodePacking::kSplitHalf;
    case Packing::kDense6:
      return fast::CodePacking::kDense6;
    case Packing::kBytePadded:
      break;
  }
  return std::nullopt;
}

/// Calls work(codes, packed) with parts that begin on a byte, from several threads. Under
/// split_half a part is one group where `is_each`.
template <typename Codes, typename Bytes, typename Work>
void in_parts(const CodeLayout& layout, Codes codes, Bytes packed, bool is_each, int threads,
              const Work& work) {
  const std::optional<std::uint64_t> bytes = layout.bytes(codes.size());
  if (!bytes || *bytes != packed.size()) {
    throw std::logic_error("packed bytes do not fit their codes");
  }
  if (codes.empty()) return;
  const std::uint64_t whole = layout.whole(codes.size());
  const std::uint64_t whole_bytes = layout.bytes(whole).value();
  const bool is_split = layout.packing == Packing::kSplitHalf;
  constexpr std::uint64_t kPiece = 1 << 17;  // codes that a thread takes
  const std::uint64_t step = std::max<std::uint64_t>(kPiece / whole, 1);
  const auto part = [&](std::uint64_t first, std::uint64_t last) {
    const std::uint64_t begin = first * whole, end = std::min(last * whole, codes.size());
    work(codes.subspan(begin, end - begin),
         packed.subspan(first * whole_bytes,
                        std::min(last * whole_bytes, packed.size()) - first * whole_bytes));
  };
  share_work((codes.size() + whole - 1) / whole, step, threads,
             [&](std::uint64_t first, std::uint64_t last) {
               if (!is_split || !is_each) return part(first, last);
               for (; first < last; ++first) part(first, first + 1);
             });
}

}  // namespace

CodePacker::CodePacker(const CodeLayout& layout) : layout_(layout) {
  const auto vectors = vectors_of(layout.packing);
  // A build without vectors has no layouts.
  is_fast_ = vectors && fast::packed_size(*vectors, 2) != 0;
  if (is_fast_) vectors_ = *vectors;
}

std::string CodePacker::self_check() const {
  if (!is_fast_) return {};
  const int bits = packed_bits(layout_.packing);
  const std::uint64_t most = layout_.packing == Packing::kSplitHalf
                                 ? (layout_.group == 0 ? 1022 : layout_.group)
                                 : 1021;  // whole vectors, and a rest
  std::vector<std::byte> codes(most);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    codes[i] = static_cast<std::byte>((i ^ i >> bits) & ((1U << bits) - 1));
  }
  std::vector<std::byte> expected(layout_.bytes(codes.size()).value());
  std::vector<std::byte> packed(expected.size()), back(codes.size());
  mx::pack(layout_, codes, expected);
  pack(codes, packed);
  unpack(packed, back);
  if (packed == expected && back == codes) return {};
  return "the fast path of layout " + std::string(packing_name(layout_.packing)) +
         " differs from the reference's";
}

void CodePacker::pack(std::span<const std::byte> codes, std::span<std::byte> packed,
                      int threads) const {
  in_parts(layout_, codes, packed, is_fast_, threads,
           [&](std::span<const std::byte> from, std::span<std::byte> to) {
             if (!is_fast_) return mx::pack(layout_, from, to);
             if (fast::pack_codes(vectors_, from, to)) return;
             throw std::logic_error("a code has bits above those of its layout");
           });
}

void CodePacker::unpack(std::span<const std::byte> packed, std::span<std::byte> codes,
                        int threads) const {
  in_parts(layout_, codes, packed, is_fast_, threads,
           [&](std::span<std::byte> to, std::span<const std::byte> from) {
             if (!is_fast_) return mx::unpack(layout_, from, to);
             if (fast::unpack_codes(vectors_, from, to)) return;
             throw std::logic_error("packed bytes do not fit their codes");
           });
}

}  // namespace mx::backend

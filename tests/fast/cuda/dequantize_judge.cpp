#include "tests/fast/cuda/dequantize_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "reference/tensor/packing.hpp"
#include "reference/tensor/scale_layout.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::fast::test {
namespace {

WordClass class_of(const ElementFormat& f, std::uint64_t word) {
  const std::uint64_t magnitude = word & f.magnitude_mask();
  if (magnitude == 0) return word == 0 ? WordClass::kZero : WordClass::kNegativeZero;
  if (magnitude <= f.man_mask()) return WordClass::kSubnormal;
  if (magnitude == f.inf_code()) return WordClass::kInfinity;
  if (magnitude > f.inf_code()) return WordClass::kNan;
  return magnitude == f.max_code ? WordClass::kLargest : WordClass::kCount;
}

std::uint64_t word_at(std::span<const std::byte> words, std::size_t index, std::size_t width) {
  std::uint64_t word = 0;
  std::memcpy(&word, words.data() + index * width, width);
  return word;
}

/// Values at (outer, along, inner) to (outer, inner, along).
std::vector<std::byte> lines_of(const BlockLayout& s, std::size_t length,
                                std::span<const std::byte> values) {
  std::vector<std::byte> lines(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t inner = i % s.inner;
    const std::size_t along = i / s.inner % length;
    const std::size_t outer = i / s.inner / length;
    lines[(outer * s.inner + inner) * length + along] = values[i];
  }
  return lines;
}

}  // namespace

Status dequantize_on_host(const StreamDequantizePlan& plan, const StreamLayout& layout,
                          std::span<const std::byte> codes, std::span<const std::byte> scales,
                          std::span<std::byte> words) {
  return plan.run_on_host(layout, {codes.data(), scales.data()}, words.data());
}

LaidOut laid_out(const DequantizeJob& job, const StreamLayout& layout,
                 std::span<const std::byte> codes, std::span<const std::byte> scales) {
  const BlockLayout& s = layout.shape;
  const auto size = static_cast<std::size_t>(job.format.block_size);
  const std::size_t blocks = (s.length + size - 1) / size;
  LaidOut out{{codes.begin(), codes.end()}, {scales.begin(), scales.end()}};
  if (layout.blocks_last) {
    out = {lines_of(s, s.length, codes), lines_of(s, blocks, scales)};
  }
  if (layout.packed && job.format.element.bits != 8) {
    const Packing packing =
        job.format.element.bits == 4 ? Packing::kNibbleLowFirst : Packing::kDense6;
    std::vector<std::byte> packed(CodeLayout{packing}.bytes(codes.size()).value());
    pack({packing}, out.codes, packed);
    out.codes = packed;
  }
  if (layout.swizzled) {
    const Swizzle128x4 tiles{s.outer * s.inner, blocks};
    std::vector<std::byte> swizzled(tiles.bytes());
    swizzle(tiles, out.scales, swizzled);
    out.scales = swizzled;
  }
  return out;
}

void compare_stream_words(const ElementFormat& format, std::span<const std::byte> expected,
                          std::span<const std::byte> got, std::string_view context,
                          DequantizeTally& tally) {
  const std::size_t width = storage_bytes(format);
  tally.elements += expected.size() / width;
  for (std::size_t i = 0; i * width < expected.size(); ++i) {
    const std::uint64_t want = word_at(expected, i, width);
    const WordClass one = class_of(format, want);
    if (one != WordClass::kCount) ++tally.classes[static_cast<std::size_t>(one)];
    const std::uint64_t have = word_at(got, i, width);
    if (want == have) continue;
    if (tally.mismatches++ == 0) {
      tally.first = fmt::format("{}: word {}: expected {:X}, got {:X}", context, i, want, have);
    }
  }
}

void compare_stream_decoding(const DequantizeJob& job, const StreamLayout& layout,
                             std::span<const std::byte> codes, std::span<const std::byte> scales,
                             const DequantizeRunner& runner, DequantizeTally& tally) {
  const StreamDequantizePlan plan = StreamDequantizePlan::make(job).value();
  const LaidOut in = laid_out(job, layout, codes, scales);
  const StreamSizes sizes = plan.sizes(layout);
  const std::string context = fmt::format(
      "{} under {} to {}, {}, {}, {}, {} x {} x {}{}{}{}", job.format.element.name,
      job.format.scale.name, job.output.name, token_of(job.rounding),
      token_of(job.block.dequant_overflow), token_of(job.dst_ftz), layout.shape.outer,
      layout.shape.length, layout.shape.inner, layout.blocks_last ? ", blocks last" : "",
      layout.packed ? ", packed" : "", layout.swizzled ? ", swizzled" : "");
  std::vector<std::byte> words(sizes.source_bytes, std::byte{0xA5});
  const Status outcome = runner(plan, layout, in.codes, in.scales, words);
  if (!outcome || in.codes.size() != sizes.code_bytes || in.scales.size() != sizes.scale_bytes) {
    ++tally.mismatches;
    tally.first = fmt::format("{}: {}", context, outcome ? "sizes differ" : outcome.detail);
    return;
  }
  compare_stream_words(job.output, reference_words(job, layout.shape, codes, scales), words,
                       context, tally);
}

void compare_every_pair(DequantizeJob job, int size, bool packed, bool columns,
                        const DequantizeRunner& runner, DequantizeTally& tally) {
  job.format.block_size = size;
  const std::size_t codes = std::size_t{1} << job.format.element.bits;
  const std::size_t all = std::max(codes, static_cast<std::size_t>(size));
  // A line for each scale code; down the columns, a column each.
  const std::size_t lines = job.format.scale.code_mask() + 1;
  const std::size_t blocks = all / static_cast<std::size_t>(size);
  const BlockLayout shape = columns ? BlockLayout{1, all, lines} : BlockLayout{lines, all, 1};
  std::vector<std::byte> code_bytes(lines * all);
  std::vector<std::byte> scale_bytes(lines * blocks);
  for (std::size_t line = 0; line < lines; ++line) {
    for (std::size_t i = 0; i < all; ++i) {
      code_bytes[columns ? i * lines + line : line * all + i] = static_cast<std::byte>(i % codes);
    }
    for (std::size_t b = 0; b < blocks; ++b) {
      scale_bytes[columns ? b * lines + line : line * blocks + b] = static_cast<std::byte>(line);
    }
  }
  compare_stream_decoding(job, {shape, columns, packed, false}, code_bytes, scale_bytes, runner,
                          tally);
}

LaidOut turns(const DequantizeJob& job, const BlockLayout& shape, unsigned seed) {
  LaidOut out{
      std::vector<std::byte>(shape.elements()),
      std::vector<std::byte>(shape.blocks(static_cast<std::size_t>(job.format.block_size)))};
  for (std::size_t i = 0; i < out.codes.size(); ++i) {
    out.codes[i] = static_cast<std::byte>((i * 37 + i / 251 + seed) %
                                          (std::size_t{1} << job.format.element.bits));
  }
  // Most blocks within the words' range, as tensors have them; one of eight anywhere.
  for (std::size_t i = 0; i < out.scales.size(); ++i) {
    const std::size_t any = i * 101 + i / 7 + seed;
    out.scales[i] = static_cast<std::byte>(any % 8 == 3 ? any : 120 + any % 13);
  }
  return out;
}

}  // namespace mx::fast::test

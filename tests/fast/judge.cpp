#include "tests/fast/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "golden/config_word/config_word.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/word_bytes.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast::test {
namespace {

QuantizerConfig configuration(const ElementFormat& source, const ElementFormat& element) {
  // The policies' defaults are mxgold-default: floor, ties_to_even, sat_finite.
  return {.source = source,
          .format = {.name = "judged", .element = element, .scale = formats::e8m0},
          .element = {},
          .block = {}};
}

struct Answer {
  std::vector<std::uint8_t> codes;
  unsigned scale;
  unsigned status;
  bool operator==(const Answer&) const = default;
};

std::string describe(const BackendCheck& judge, std::span<const std::uint64_t> block,
                     const Answer& expected, const Answer& got) {
  return fmt::format(
      "{} -> {}\n  source   {:0{}X}\n  expected {:02X} scale {:02X} status {:04X}\n"
      "  got      {:02X} scale {:02X} status {:04X}",
      judge.source().name, judge.element().name, fmt::join(block, " "),
      judge.source().storage_bits / 4, fmt::join(expected.codes, " "), expected.scale,
      expected.status, fmt::join(got.codes, " "), got.scale, got.status);
}

BlockJob job_of(const ElementFormat& source, const ElementFormat& element) {
  const QuantizerConfig config = configuration(source, element);
  return {config.source, config.format, config.element, config.block};
}

}  // namespace

std::vector<const ElementFormat*> ocp_sources() {
  return {&formats::fp32, &formats::bf16, &formats::fp16};
}

std::vector<const ElementFormat*> ocp_elements() {
  return {&formats::e4m3fn, &formats::e5m2,   &formats::e3m2fn,
          &formats::e2m3fn, &formats::e2m1fn, &formats::int8};
}

std::size_t block_count(const ElementFormat& source, std::size_t source_bytes) {
  return (source_bytes / storage_bytes(source) + kBlockSize - 1) / kBlockSize;
}

Status quantize_on_host(const ElementFormat& source, const ElementFormat& element,
                        std::span<const std::byte> words, QuantizedSpans out) {
  const StreamLayout layout{{1, out.codes.size(), 1}};
  return StreamPlan::make(job_of(source, element))
      .value()
      .run_on_host(layout, words.data(), {out.codes.data(), out.scales.data(), out.status.data()});
}

Status quantize_on_device(const ElementFormat& source, const ElementFormat& element,
                          std::span<const std::byte> words, QuantizedSpans out) {
  return StreamPlan::make(job_of(source, element))
      .value()
      .copy_and_run({{1, out.codes.size(), 1}}, words, {out.codes, out.scales, out.status});
}

std::vector<std::byte> to_bytes(const ElementFormat& source, std::span<const std::uint32_t> codes) {
  const std::size_t width = storage_bytes(source);
  std::vector<std::byte> bytes(codes.size() * width);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    store_word(bytes.data() + i * width, width, codes[i]);
  }
  return bytes;
}

std::vector<std::byte> random_words(const ElementFormat& source, std::uint64_t seed,
                                    std::size_t elements) {
  std::vector<std::uint32_t> codes;
  random_blocks(source, seed, elements / 32 + 1, [&](std::span<const std::uint32_t> piece) {
    codes.insert(codes.end(), piece.begin(), piece.end());
  });
  codes.resize(elements);
  return to_bytes(source, codes);
}

BackendCheck::BackendCheck(const ElementFormat& source, const ElementFormat& element)
    : quantizer_(Quantizer::make(configuration(source, element)).value()) {}

void BackendCheck::compare(Backend backend, std::span<const std::uint32_t> codes,
                           Tally& tally) const {
  const std::vector<std::byte> words = to_bytes(source(), codes);
  const std::size_t blocks = block_count(source(), words.size());
  std::vector<std::byte> got_codes(codes.size(), std::byte{0xA5});
  std::vector<std::byte> got_scales(blocks, std::byte{0xA5});
  std::vector<std::uint16_t> got_status(blocks, 0xA5A5);
  const Status outcome = backend(source(), element(), words, {got_codes, got_scales, got_status});
  if (!outcome) {
    tally.mismatches += blocks + 1;
    tally.first_mismatch = fmt::format("the backend failed: {}", outcome.detail);
    return;
  }

  std::array<std::uint64_t, kBlockSize> source_block{};
  std::array<std::uint64_t, kBlockSize> code_block{};
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * kBlockSize;
    const std::size_t count = std::min<std::size_t>(kBlockSize, codes.size() - first);
    std::copy_n(codes.begin() + static_cast<std::ptrdiff_t>(first), count, source_block.begin());
    const auto in = std::span<const std::uint64_t>(source_block).first(count);
    const auto out = std::span(code_block).first(count);
    const BlockResult result = quantizer_.quantize_block(in, {}, out);

    const unsigned status = golden::status_of(result);
    bool same = got_scales[block] == static_cast<std::byte>(result.scale_code) &&
                got_status[block] == status;
    for (std::size_t i = 0; i < count; ++i) {
      same = same && std::to_integer<std::uint64_t>(got_codes[first + i]) == out[i];
    }
    tally.elements += count;
    ++tally.blocks;
    for (std::size_t bit = 0; bit < tally.status_bits.size(); ++bit) {
      tally.status_bits[bit] += (status >> bit) & 1u;
    }
    if (same) continue;
    if (tally.mismatches++ != 0) continue;
    Answer expected{{}, static_cast<unsigned>(result.scale_code), status};
    Answer got{{}, std::to_integer<unsigned>(got_scales[block]), got_status[block]};
    for (std::size_t i = 0; i < count; ++i) {
      expected.codes.push_back(static_cast<std::uint8_t>(out[i]));
      got.codes.push_back(std::to_integer<std::uint8_t>(got_codes[first + i]));
    }
    tally.first_mismatch = describe(*this, in, expected, got);
  }
}

}  // namespace mx::fast::test

#include "tests/fast/cuda/nvfp4_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "reference/tensor/hadamard.hpp"
#include "reference/tensor/tensor.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {

Nvfp4Runner nvfp4_on_host() {
  return {
      [](const Nvfp4Plan& plan, const StreamLayout& layout, std::span<const std::byte> source,
         StreamAnswer& results, const std::uint32_t* tensor) {
        return plan.quantize_on_host(layout, source.data(),
                                     {results.codes.data(), results.scales.data(),
                                      results.status.empty() ? nullptr : results.status.data()},
                                     tensor);
      },
      [](const Nvfp4Plan& plan, const StreamLayout& layout, std::span<const std::byte> codes,
         std::span<const std::byte> scales, std::span<std::byte> words,
         const std::uint32_t* tensor) {
        return plan.dequantize_on_host(layout, {codes.data(), scales.data()}, words.data(), tensor);
      },
      nullptr};
}

std::vector<ScaleRule> nvfp4_rules() {
  return {ScaleRule::kNvfp4Exact, ScaleRule::kNvfp4Te, ScaleRule::kNvfp4Torchao,
          ScaleRule::kNvfp4Cublas};
}

Nvfp4Case nvfp4_case(const ElementFormat& source, ScaleRule rule, std::uint32_t amax,
                     int block_size) {
  BlockFormat format = *find_block_format("nvfp4");
  format.block_size = block_size;
  Nvfp4Case one{{source, format, {}, {}}, {source, format, {}, {}}};
  one.job.block.rule = one.config.block.rule = rule;
  one.config.tensor = tensor_level(one.config, decode(formats::fp32, amax));
  if (rule == ScaleRule::kNvfp4Cublas) one.config.tensor = {};
  one.job.tensor = rule == ScaleRule::kNvfp4Te ? one.config.tensor.amax : one.config.tensor.scale;
  return one;
}

Nvfp4Case transformed(Nvfp4Case one, std::uint16_t mask, bool signs_last) {
  one.job.hadamard = {mask, signs_last};
  return one;
}

namespace {

/// The reference's answer, of what the reference's transform makes of the words where the case has
/// one.
StreamAnswer answer_of(const Nvfp4Case& one, const StreamLayout& layout,
                       std::span<const std::byte> source) {
  if (!one.job.hadamard) return reference_answer(one.config, layout, source, {});
  const BlockLayout& s = layout.shape;
  const std::array<std::uint64_t, 3> dims = {s.outer, s.length, s.inner};
  const BlockedShape groups = BlockedShape::make(dims, 1, kHadamardSize).value();
  std::vector<std::byte> values(s.elements() * 4);
  const HadamardSigns signs =
      one.job.hadamard->signs_last ? HadamardSigns::kLast : HadamardSigns::kFirst;
  transform_tensor({one.job.hadamard->mask, signs}, groups, one.job.source, source, values);
  QuantizerConfig config = one.config;
  config.source = formats::fp32;
  return reference_answer(config, layout, values, {});
}

}  // namespace

std::vector<std::byte> nvfp4_words(const ElementFormat& source, std::uint64_t seed,
                                   std::size_t elements, std::uint32_t amax) {
  const auto man = static_cast<std::uint32_t>(source.man_bits);
  const auto sign = static_cast<std::uint32_t>(source.sign_bit());
  const auto inf = static_cast<std::uint32_t>(source.inf_code());
  // The exponent of amax in the source's own field.
  const int field = static_cast<int>(amax >> 23) - 127 + source.bias;
  std::vector<std::uint32_t> codes(elements);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  std::uint32_t kind = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    if (i % 16 == 0) kind = static_cast<std::uint32_t>(state >> 40) % 16;
    const auto r = static_cast<std::uint32_t>(state >> 32);
    const auto spread = static_cast<int>(kind < 8 ? r % 5 : kind < 12 ? r % 12 : r % 40);
    const int lower = kind == 13 ? 20 : kind == 14 ? 9 : 0;
    const int top = static_cast<int>(inf >> man) - 1;
    const int own = std::min(std::max(field - spread - lower, 0), top);
    std::uint32_t fraction = r >> 5 & ((1U << man) - 1);
    // Few bits: ties, and thresholds of the scale.
    if (kind % 2 == 0) fraction = fraction >> (man - 2) << (man - 2);
    std::uint32_t magnitude = static_cast<std::uint32_t>(own) << man | fraction;
    if (kind == 15 && r % 5 != 0) magnitude = 0;
    if (kind == 11 && r % 61 == 0) magnitude = inf + (r >> 8) % 2;
    codes[i] = magnitude | ((r & 16U) != 0 ? sign : 0);
  }
  return to_bytes(source, codes);
}

std::vector<std::byte> nvfp4_ties(const Nvfp4Case& one, std::uint64_t seed, std::size_t blocks) {
  const auto number = double{std::bit_cast<float>(one.job.tensor)};
  const ScaleRule rule = one.job.block.rule;
  // What a scale of 1 and an element of 1 stand for.
  const double unit = rule == ScaleRule::kNvfp4Te       ? number / 2688
                      : rule == ScaleRule::kNvfp4Cublas ? 1
                                                        : number;
  constexpr std::array<int, 8> kQuarters = {1, 3, 5, 7, 10, 14, 20, 24};
  std::uint64_t state = seed;
  const auto draw = [&](std::uint32_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>(state >> 33) % below;
  };
  const auto near = [&](double value) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value)) + draw(3) - 1;
  };
  std::vector<std::uint32_t> codes;
  for (std::size_t block = 0; block < blocks; ++block) {
    const double low = (8 + draw(8)) * (1 << draw(12)) / 512.0;
    const double step = low < 0.03125 ? 0.015625 : low / 16;
    const std::uint32_t amax = near((low + (block % 2 == 0 ? step / 2 : step)) * 6 * unit);
    codes.push_back(amax);
    for (int i = 1; i < 16; ++i) {
      const std::uint32_t x = near(kQuarters[draw(8)] / 4.0 * low * unit);
      codes.push_back(std::min(x, amax) | draw(2) << 31);
    }
  }
  return to_bytes(formats::fp32, codes);
}

void compare_nvfp4(const Nvfp4Case& one, const StreamLayout& layout,
                   std::span<const std::byte> source, const Nvfp4Runner& runner, bool by_pointer,
                   StreamTally& tally) {
  Nvfp4Job job = one.job;
  // The number of a pointer counts, not that of the plan.
  if (by_pointer) job.tensor = 0x3F99999A;
  const Nvfp4Plan plan = Nvfp4Plan::make(job).value();
  const StreamSizes sizes = plan.sizes(layout);
  const StreamAnswer expected = answer_of(one, layout, source);
  const std::string context =
      fmt::format("{}, {}{}, tensor {:08X}, {} x {} x {}", job.source.name,
                  token_of(job.block.rule), job.hadamard ? ", transformed" : "", one.job.tensor,
                  layout.shape.outer, layout.shape.length, layout.shape.inner);
  for (const bool with_status : {true, false}) {
    StreamAnswer got;
    got.codes.assign(sizes.code_bytes, std::byte{0xA5});
    got.scales.assign(sizes.scale_bytes, std::byte{0xA5});
    got.status.assign(with_status ? sizes.status_words : 0, 0xA5A5);
    const Status outcome =
        runner.quantize(plan, layout, source, got, by_pointer ? &one.job.tensor : nullptr);
    if (!outcome) {
      ++tally.mismatches;
      tally.first = fmt::format("{}: {}", context, outcome.detail);
      return;
    }
    compare_answers(expected, got, context, tally);
  }
  tally.elements += layout.shape.elements();
  for (const std::uint16_t status : expected.status) {
    for (std::size_t bit = 0; bit < 16; ++bit) tally.status_bits[bit] += status >> bit & 1u;
  }
}

void compare_nvfp4_both(const Nvfp4Case& along, const Nvfp4Case& down, const Nvfp4Both& shape,
                        std::span<const std::byte> source, const Nvfp4Runner& runner,
                        bool by_pointer, StreamTally& tally) {
  const StreamLayout layouts[2] = {
      {{shape.rows, shape.columns, 1}, false, shape.packed, shape.swizzled},
      {{1, shape.rows, shape.columns}, true, shape.packed, shape.swizzled}};
  const Nvfp4Case* const cases[2] = {&along, &down};
  const std::uint32_t numbers[2] = {along.job.tensor, down.job.tensor};
  std::vector<Nvfp4Plan> plans;
  for (const Nvfp4Case* const one : cases) {
    Nvfp4Job job = one->job;
    if (by_pointer) job.tensor = 0x3F99999A;
    plans.push_back(Nvfp4Plan::make(job).value());
  }
  for (const bool with_status : {true, false}) {
    StreamAnswer got[2];
    for (std::size_t d = 0; d < 2; ++d) {
      const StreamSizes sizes = plans[d].sizes(layouts[d]);
      got[d].codes.assign(sizes.code_bytes, std::byte{0xA5});
      got[d].scales.assign(sizes.scale_bytes, std::byte{0xA5});
      got[d].status.assign(with_status ? sizes.status_words : 0, 0xA5A5);
    }
    const Status outcome =
        runner.both(plans[0], plans[1], shape, source, got, by_pointer ? numbers : nullptr);
    if (!outcome) {
      ++tally.mismatches;
      tally.first = std::string(outcome.detail);
      return;
    }
    for (std::size_t d = 0; d < 2; ++d) {
      compare_answers(answer_of(*cases[d], layouts[d], source), got[d],
                      fmt::format("{}, {}, {} x {}, {}", along.job.source.name,
                                  token_of(cases[d]->job.block.rule), shape.rows, shape.columns,
                                  d == 0 ? "along rows" : "down columns"),
                      tally);
    }
  }
  tally.elements += 2 * shape.rows * shape.columns;
}

void compare_nvfp4_sticky(const Nvfp4Runner& runner, StreamTally& tally) {
  // 128 * 13369297 = 102 * 16777157 + 2: amax / (6g) is 17/16 and a part in 2^29.7.
  Nvfp4Case one = nvfp4_case(formats::fp32, ScaleRule::kNvfp4Exact, 0x40490FDB);
  one.job.tensor = one.config.tensor.scale = 0x3FFFFFC5;
  std::array<std::uint32_t, 16> codes{0x414BFFD1};
  compare_nvfp4(one, {{1, 16, 1}}, to_bytes(formats::fp32, codes), runner, false, tally);
}

void compare_nvfp4_back(const Nvfp4Case& one, const StreamLayout& layout, const Nvfp4Runner& runner,
                        DecodeTally& tally) {
  const Nvfp4Plan plan = Nvfp4Plan::make(one.job).value();
  const Quantizer quantizer = Quantizer::make(one.config).value();
  const BlockLayout& s = layout.shape;
  const auto size = static_cast<std::size_t>(one.job.format.block_size);
  const std::array<std::uint64_t, 3> dims = {s.outer, s.length, s.inner};
  const BlockedShape shape = BlockedShape::make(dims, 1, one.job.format.block_size).value();
  std::vector<std::byte> codes(s.elements());
  std::vector<std::byte> scales(s.blocks(size));
  for (std::size_t i = 0; i < codes.size(); ++i)
    codes[i] = static_cast<std::byte>((i + i / 16) % 16);
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = static_cast<std::byte>(i * 5 % 128);
  const std::size_t width = storage_bytes(one.job.source);
  std::vector<std::byte> expected(codes.size() * width);
  std::vector<std::uint64_t> places;
  for (std::uint64_t block = 0; block < shape.scales; ++block) {
    block_indices(shape, block, places);
    std::vector<std::uint64_t> in;
    for (const std::uint64_t at : places) in.push_back(std::to_integer<std::uint64_t>(codes[at]));
    std::vector<std::uint64_t> out(in.size());
    quantizer.dequantize_block(std::to_integer<std::uint64_t>(scales[block]), in, one.job.source,
                               out);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::memcpy(expected.data() + places[i] * width, &out[i], width);
    }
  }
  const DequantizeJob laid{.format = one.job.format, .output = one.job.source};
  const LaidOut in = laid_out(laid, layout, codes, scales);
  std::vector<std::byte> words(expected.size(), std::byte{0xA5});
  const Status outcome =
      runner.dequantize(plan, layout, in.codes, in.scales, words, &one.job.tensor);
  if (!outcome) {
    ++tally.mismatches;
    tally.first = std::string(outcome.detail);
    return;
  }
  compare_stream_words(one.job.source, expected, words,
                       fmt::format("{} back, tensor {:08X}", one.job.source.name, one.job.tensor),
                       tally);
}

}  // namespace mx::fast::test

#include "tests/fast/cuda_nvfp4/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "reference/number/philox.hpp"
#include "reference/tensor/hadamard.hpp"
#include "reference/tensor/tensor.hpp"
#include "tests/fast/cuda_nvfp4/status.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {

Nvfp4Runner nvfp4_on_host() {
  return {
      [](const Nvfp4Plan& plan, const StreamLayout& layout, std::span<const std::byte> source,
         StreamAnswer& results, const std::uint32_t* tensor, const StreamRandom& random) {
        return plan.quantize_on_host(layout, source.data(),
                                     {results.codes.data(), results.scales.data(),
                                      results.status.empty() ? nullptr : results.status.data()},
                                     tensor, random);
      },
      [](const Nvfp4Plan& plan, const StreamLayout& layout, std::span<const std::byte> codes,
         std::span<const std::byte> scales, std::span<std::byte> words,
         const std::uint32_t* tensor) {
        return plan.dequantize_on_host(layout, {codes.data(), scales.data()}, words.data(), tensor);
      },
      nullptr};
}

std::vector<ScaleRule> nvfp4_rules() {
  std::vector<ScaleRule> rules = nvfp4_rounded_rules();
  rules.insert(rules.end(), {ScaleRule::kNvfp4Ggml, ScaleRule::kNvfp44over6});
  return rules;
}

std::vector<ScaleRule> nvfp4_rounded_rules() {
  return {ScaleRule::kNvfp4Exact, ScaleRule::kNvfp4Te, ScaleRule::kNvfp4Torchao,
          ScaleRule::kNvfp4Cublas};
}

namespace {

bool reads_no_tensor(ScaleRule rule) {
  return rule == ScaleRule::kNvfp4Cublas || rule == ScaleRule::kNvfp4Ggml;
}

}  // namespace

Nvfp4Case nvfp4_case(const ElementFormat& source, ScaleRule rule, std::uint32_t amax,
                     int block_size) {
  BlockFormat format = *find_block_format("nvfp4");
  format.block_size = block_size;
  Nvfp4Case one{{source, format, {}, {}}, {source, format, {}, {}}};
  one.job.block.rule = one.config.block.rule = rule;
  one.config.tensor = tensor_level(one.config, decode(formats::fp32, amax));
  if (reads_no_tensor(rule)) one.config.tensor = {};
  const bool by_amax = rule == ScaleRule::kNvfp4Te || rule == ScaleRule::kNvfp44over6;
  one.job.tensor = by_amax ? one.config.tensor.amax : one.config.tensor.scale;
  return one;
}

Nvfp4Case four_over_six(const ElementFormat& source, FourOverSix kind, std::uint32_t amax) {
  Nvfp4Case one = nvfp4_case(source, ScaleRule::kNvfp44over6, amax);
  one.job.block.four_over_six = one.config.block.four_over_six = kind;
  one.config.tensor = tensor_level(one.config, decode(formats::fp32, amax));
  return one;
}

Nvfp4Case rounded(Nvfp4Case one, Rounding rounding, int random_bits) {
  for (ElementPolicy* const policy : {&one.job.element, &one.config.element}) {
    policy->rounding = rounding;
    policy->random_bits = random_bits;
  }
  one.random.seed = 0x9E3779B97F4A7C15 * static_cast<std::uint64_t>(random_bits);
  one.random.tensor = static_cast<std::uint32_t>(rounding) + 3;
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
  if (!one.job.hadamard) return reference_answer(one.config, layout, source, one.random);
  const BlockLayout& s = layout.shape;
  const std::array<std::uint64_t, 3> dims = {s.outer, s.length, s.inner};
  const BlockedShape groups = BlockedShape::make(dims, 1, kHadamardSize).value();
  std::vector<std::byte> values(s.elements() * 4);
  const HadamardSigns signs =
      one.job.hadamard->signs_last ? HadamardSigns::kLast : HadamardSigns::kFirst;
  transform_tensor({one.job.hadamard->mask, signs}, groups, one.job.source, source, values);
  QuantizerConfig config = one.config;
  config.source = formats::fp32;
  return reference_answer(config, layout, values, one.random);
}

}  // namespace

std::string missing_status(const StreamTally& tally, ScaleRule rule, std::uint64_t least) {
  std::string missing;
  for (std::size_t bit = 8; bit < 14; ++bit) {
    const bool is_none = rule == ScaleRule::kNvfp4Ggml && bit == 13;
    const std::uint64_t blocks = tally.status_bits[bit];
    if (is_none ? blocks != 0 : blocks <= least)
      missing += fmt::format("bit {}: {}; ", bit, blocks);
  }
  return missing;
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
  const std::string context = fmt::format(
      "{}, {}, {} N = {}{}, tensor {:08X}, {} x {} x {}", job.source.name, token_of(job.block.rule),
      token_of(job.element.rounding), job.element.random_bits, job.hadamard ? ", transformed" : "",
      one.job.tensor, layout.shape.outer, layout.shape.length, layout.shape.inner);
  for (const bool with_status : {true, false}) {
    StreamAnswer got;
    got.codes.assign(sizes.code_bytes, std::byte{0xA5});
    got.scales.assign(sizes.scale_bytes, std::byte{0xA5});
    got.status.assign(with_status ? sizes.status_words : 0, 0xA5A5);
    const Status outcome = runner.quantize(plan, layout, source, got,
                                           by_pointer ? &one.job.tensor : nullptr, one.random);
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
  Nvfp4Both both = shape;
  both.rows_random = along.random;
  both.columns_random = down.random;
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
        runner.both(plans[0], plans[1], both, source, got, by_pointer ? numbers : nullptr);
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
                        DequantizeTally& tally) {
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

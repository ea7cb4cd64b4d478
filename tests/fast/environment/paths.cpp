#include "tests/fast/environment/paths.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "fast/cpu/targets.hpp"
#include "fast/cuda_judge/judge.hpp"
#include "fast/hadamard/hadamard.hpp"
#include "fast/scaled/scaled_dequantize_plan.hpp"
#include "fast/scaled_stochastic/scaled_stochastic_plan.hpp"
#include "fast/stochastic/stochastic_plan.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cuda_nvfp4/judge.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/scaled/judge.hpp"

namespace mx::fast::test {
namespace {

constexpr std::size_t kElements = 4096;
constexpr BlockLayout kLine{1, kElements, 1};
constexpr StreamLayout kStream{kLine};

/// Largest magnitudes of tensors: ordinary, and so small that scales and products are subnormal.
constexpr std::uint32_t kAmaxes[] = {0x40490FDB, 0x0A000001, 0x00800000, 0x00000007};

/// What a call writes: codes or words, scales, status.
struct Written {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  std::vector<std::uint16_t> status;

  [[nodiscard]] std::vector<std::byte> all() const {
    std::vector<std::byte> bytes = codes;
    bytes.insert(bytes.end(), scales.begin(), scales.end());
    const auto words = std::as_bytes(std::span(status));
    bytes.insert(bytes.end(), words.begin(), words.end());
    return bytes;
  }
};

Written room(std::size_t codes, std::size_t blocks) {
  return {std::vector<std::byte>(codes), std::vector<std::byte>(blocks),
          std::vector<std::uint16_t>(blocks)};
}

void require(bool took, std::string_view what) {
  if (!took) throw std::runtime_error(std::string(what));
}

std::vector<std::byte> source_words(const ElementFormat& source) {
  return random_words(source, 9, kElements);
}

/// Codes of an element format, and scale codes of all sizes.
std::vector<std::byte> some_codes(int bits, std::size_t count) {
  std::vector<std::byte> codes(count);
  for (std::size_t i = 0; i < count; ++i)
    codes[i] = static_cast<std::byte>((i * 37 + i / 64) & ((std::size_t{1} << bits) - 1));
  return codes;
}

BlockJob block_job(const ElementFormat& source, const ElementFormat& element, ScaleRule rule,
                   Rounding rounding) {
  BlockJob job = default_job(source, element);
  job.block.rule = rule;
  job.element.rounding = rounding;
  return job;
}

void add_vector_blocks(const ElementFormat& source, const ElementFormat& element,
                       std::vector<Path>& paths) {
  for (const ScaleRule rule : path_rules()) {
    const BlockJob job = block_job(source, element, rule, Rounding::kTiesToEven);
    paths.push_back({fmt::format("vectors, blocks of {} from {} by {}", element.name, source.name,
                                 token_of(rule)),
                     [job] {
                       Written to = room(kElements, kElements / 32);
                       require(BlockPlan::make(job).value().quantize(
                                   kLine, source_words(job.source), to.codes, to.scales, to.status),
                               "blocks");
                       return to.all();
                     }});
  }
  const BlockJob drawn = block_job(source, element, ScaleRule::kFloor, Rounding::kStochasticA);
  paths.push_back(
      {fmt::format("vectors, drawn blocks of {} from {}", element.name, source.name), [drawn] {
         Written to = room(kElements, kElements / 32);
         require(StochasticBlockPlan::make(drawn).value().quantize(
                     kLine, Draws{}, source_words(drawn.source), to.codes, to.scales, to.status),
                 "drawn blocks");
         return to.all();
       }});
  const ElementJob single{source, element, {}};
  paths.push_back(
      {fmt::format("vectors, single {} from {}", element.name, source.name), [single] {
         std::vector<std::byte> codes(kElements);
         require(ElementPlan::make(single).value().convert(source_words(single.source), codes),
                 "single values");
         return codes;
       }});
}

void add_vector_back(const ElementFormat& output, const ElementFormat& element,
                     std::vector<Path>& paths) {
  const DequantizeJob job = default_decoding(element, output);
  const std::size_t bytes = kElements * storage_bytes(output);
  paths.push_back({fmt::format("vectors, {} back to {}", element.name, output.name), [job, bytes] {
                     std::vector<std::byte> words(bytes);
                     require(DequantizePlan::make(job).value().dequantize(
                                 kLine, some_codes(job.format.element.bits, kElements),
                                 some_codes(8, kElements / 32), words),
                             "blocks back");
                     return words;
                   }});
  const WidenJob single{element, output, {}};
  paths.push_back(
      {fmt::format("vectors, single {} back to {}", element.name, output.name), [single, bytes] {
         std::vector<std::byte> words(bytes);
         require(WidenPlan::make(single).value().convert(some_codes(single.source.bits, kElements),
                                                         words),
                 "single codes back");
         return words;
       }});
}

void add_vector_nvfp4(const ElementFormat& source, std::uint32_t amax, std::vector<Path>& paths) {
  for (const ScaleRule rule : scaled_rules()) {
    const ScaledBlockJob job = at_amax(nvfp4_job(source, rule), amax);
    if (!make_call(job)) continue;  // the level has no fast path
    paths.push_back(
        {fmt::format("vectors, {} from {}, amax {:08X}", token_of(rule), source.name, amax),
         [job, amax] {
           Written to = room(kElements, kElements / 16);
           const auto words = nvfp4_words(job.blocks.source, 5, kElements, amax);
           require(make_call(job).value()(kLine, words, to.codes, to.scales, to.status, 1),
                   "nvfp4");
           return to.all();
         }});
  }
  ScaledBlockJob drawn = at_amax(nvfp4_job(source, ScaleRule::kNvfp4Te), amax);
  drawn.blocks.element.rounding = Rounding::kStochasticA;
  paths.push_back({fmt::format("vectors, drawn nvfp4_te from {}, amax {:08X}", source.name, amax),
                   [drawn, amax] {
                     Written to = room(kElements, kElements / 16);
                     const auto words = nvfp4_words(drawn.blocks.source, 5, kElements, amax);
                     require(ScaledStochasticPlan::make(drawn).value().quantize(
                                 kLine, Draws{}, words, to.codes, to.scales, to.status),
                             "drawn nvfp4");
                     return to.all();
                   }});
  const ScaledDequantizeJob back{{.format = *find_block_format("nvfp4"), .output = source}, amax};
  paths.push_back(
      {fmt::format("vectors, nvfp4 back to {}, scale {:08X}", source.name, amax), [back] {
         std::vector<std::byte> words(kElements * storage_bytes(back.blocks.output));
         require(ScaledDequantizePlan::make(back).value().dequantize(
                     kLine, some_codes(4, kElements), some_codes(7, kElements / 16), words),
                 "nvfp4 back");
         return words;
       }});
}

Path vector_hadamard(const ElementFormat& source) {
  return {fmt::format("vectors, Hadamard transforms from {}", source.name), [source] {
            std::vector<std::byte> values(kElements * 4);
            require(HadamardPlan::make({source, 0xD7E8})
                        .value()
                        .transform(kLine, source_words(source), values),
                    "transforms");
            return values;
          }};
}

void add_cuda_blocks(const ElementFormat& source, const ElementFormat& element,
                     std::vector<Path>& paths) {
  for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kStochasticA}) {
    for (const ScaleRule rule : stream_rules()) {
      const BlockJob job = block_job(source, element, rule, rounding);
      paths.push_back({fmt::format("cuda, blocks of {} from {} by {}, {}", element.name,
                                   source.name, token_of(rule), token_of(rounding)),
                       [job] {
                         Written to = room(kElements, kElements / 32);
                         require(bool(run_on_host(StreamPlan::make(job).value(), kStream,
                                                  source_words(job.source), to.codes, to.scales,
                                                  to.status, {})),
                                 "blocks");
                         return to.all();
                       }});
    }
  }
  const DequantizeJob back = default_decoding(element, source);
  paths.push_back({fmt::format("cuda, {} back to {}", element.name, source.name), [back] {
                     std::vector<std::byte> words(kElements * storage_bytes(back.output));
                     require(
                         bool(dequantize_on_host(StreamDequantizePlan::make(back).value(), kStream,
                                                 some_codes(back.format.element.bits, kElements),
                                                 some_codes(8, kElements / 32), words)),
                         "blocks back");
                     return words;
                   }});
}

/// Words whose codes are numbers over 2^0 and over 2^-126, where those of fp32 are subnormal, and
/// how many of a whole source of 16 bits a table of zeros contradicts.
void add_cuda_words(const ElementFormat& source, const ElementFormat& element,
                    std::vector<Path>& paths) {
  struct Range {
    int exponent;
    std::uint32_t first_fp32;
  };
  for (const Range& range : {Range{0, 0x3F7F8000}, Range{-126, 0x007F0000}}) {
    const std::uint32_t first = source == formats::fp32 ? range.first_fp32 : 0;
    const ElementJob job{source, element, {}};
    paths.push_back({fmt::format("cuda, words of {} to {} over 2^{}", source.name, element.name,
                                 range.exponent),
                     [job, first, exponent = range.exponent] {
                       const WordJudge judge = WordJudge::make(job, exponent).value();
                       std::vector<std::byte> codes(std::size_t{1} << 16);
                       require(bool(judge.codes_on_host(first, codes)), "words");
                       const std::vector<AnswerStep> zeros(1);
                       std::vector<WordVerdict> verdict(1);
                       if (judge.segment_words() == codes.size()) {
                         require(bool(judge.judge_on_host(zeros, 0, verdict)), "judgement");
                       }
                       const auto count = std::as_bytes(std::span(&verdict[0].mismatches, 1));
                       codes.insert(codes.end(), count.begin(), count.end());
                       return codes;
                     }});
  }
}

std::vector<std::byte> nvfp4_by_host(const Nvfp4Case& one, std::uint32_t amax) {
  StreamAnswer to{std::vector<std::byte>(kElements), std::vector<std::byte>(kElements / 16),
                  std::vector<std::uint16_t>(kElements / 16)};
  const auto words = nvfp4_words(one.job.source, 5, kElements, amax);
  require(bool(nvfp4_on_host().quantize(Nvfp4Plan::make(one.job).value(), kStream, words, to,
                                        nullptr, one.random)),
          "nvfp4");
  return Written{to.codes, to.scales, to.status}.all();
}

void add_cuda_nvfp4(const ElementFormat& source, std::uint32_t amax, std::vector<Path>& paths) {
  for (const ScaleRule rule : nvfp4_rules()) {
    const Nvfp4Case plain = nvfp4_case(source, rule, amax);
    std::vector<Nvfp4Case> cases = {plain, transformed(plain, 0xD7E8, false)};
    if (rule != ScaleRule::kNvfp4Ggml && rule != ScaleRule::kNvfp44over6) {
      cases.push_back(rounded(plain, Rounding::kTowardZero));
      cases.push_back(rounded(plain, Rounding::kStochasticA));
    }
    for (const Nvfp4Case& one : cases) {
      paths.push_back({fmt::format("cuda, {} from {}, {}{}, amax {:08X}", token_of(rule),
                                   source.name, token_of(one.job.element.rounding),
                                   one.job.hadamard ? ", transformed" : "", amax),
                       [one, amax] { return nvfp4_by_host(one, amax); }});
    }
  }
  const Nvfp4Case back = nvfp4_case(source, ScaleRule::kNvfp4Exact, 0x3F800000);
  paths.push_back(
      {fmt::format("cuda, nvfp4 back to {}, scale {:08X}", source.name, amax), [back, amax] {
         std::vector<std::byte> words(kElements * storage_bytes(back.job.source));
         require(bool(nvfp4_on_host().dequantize(Nvfp4Plan::make(back.job).value(), kStream,
                                                 some_codes(4, kElements),
                                                 some_codes(7, kElements / 16), words, &amax)),
                 "nvfp4 back");
         return words;
       }});
}

}  // namespace

std::vector<Path> vector_paths() {
  std::vector<Path> paths;
  if (cpu_targets().empty()) return paths;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ElementFormat* element : ocp_elements()) {
      add_vector_blocks(*source, *element, paths);
      add_vector_back(*source, *element, paths);
    }
    for (const std::uint32_t amax : kAmaxes) add_vector_nvfp4(*source, amax, paths);
    paths.push_back(vector_hadamard(*source));
  }
  return paths;
}

std::vector<Path> cuda_host_paths() {
  std::vector<Path> paths;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ElementFormat* element : ocp_elements()) {
      add_cuda_blocks(*source, *element, paths);
      add_cuda_words(*source, *element, paths);
    }
    for (const std::uint32_t amax : kAmaxes) add_cuda_nvfp4(*source, amax, paths);
  }
  return paths;
}

}  // namespace mx::fast::test

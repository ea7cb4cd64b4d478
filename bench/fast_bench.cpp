// Elements a second on one thread: the CPU path beside the copy that moves as many bytes, in cache
// and from memory, there and back, and the CUDA path's arithmetic on the host, in cache.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "fast/cpu/block_plan.hpp"
#include "fast/cuda/stream.hpp"
#include "fast/dequantize/dequantize_plan.hpp"
#include "fast/packing/packing.hpp"
#include "fast/stochastic/stochastic_plan.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/philox.hpp"

namespace {

constexpr std::size_t kElements = std::size_t{1} << 18;

/// A benchmark's name.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string name;
  for (const std::string_view part : parts) name += part;
  return name;
}

/// Uniform signs and significands, 12 binades up to 1.0, and a subnormal among every 16 elements.
std::vector<std::byte> make_input(const mx::ElementFormat& source,
                                  std::size_t elements = kElements) {
  const auto width = static_cast<std::size_t>(source.storage_bits) / 8;
  std::vector<std::byte> bytes(elements * width);
  for (std::size_t i = 0; i < elements; ++i) {
    const mx::PhiloxBlock draw = mx::philox4x32({static_cast<std::uint32_t>(i), 0, 0, 0}, 1);
    std::uint64_t code = draw[0] & (source.sign_bit() | source.man_mask());
    if (i % 16 != 7) {
      const auto field = static_cast<std::uint64_t>(source.bias) - draw[1] % 12;
      code |= field << source.man_bits;
    }
    for (std::size_t b = 0; b < width; ++b) {
      bytes[i * width + b] = static_cast<std::byte>(code >> (8 * b) & 0xFF);
    }
  }
  return bytes;
}

void quantize(benchmark::State& state, const mx::ElementFormat& source,
              const mx::ElementFormat& element) {
  const std::vector<std::byte> words = make_input(source);
  std::vector<std::byte> codes(kElements);
  std::vector<std::byte> scales(kElements / 32);
  std::vector<std::uint16_t> status(kElements / 32);
  const auto plan = mx::fast::StreamPlan::make(
      {.source = source,
       .format = {.name = "timed", .element = element, .scale = mx::formats::e8m0},
       .element = {},
       .block = {}});
  if (!plan) return state.SkipWithError(std::string(plan.problem()).c_str());
  for (auto _ : state) {
    const mx::fast::Status outcome = plan->run_on_host(
        {{1, kElements, 1}}, words.data(), {codes.data(), scales.data(), status.data()});
    if (!outcome) state.SkipWithError("the call failed");
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kElements));
}

/// The limit: reads the words of a source and writes their upper bytes.
void narrow_copy(benchmark::State& state, const mx::ElementFormat& source, std::size_t elements) {
  const std::vector<std::byte> bytes = make_input(source, elements);
  std::vector<std::byte> codes(elements);
  const std::size_t width = bytes.size() / elements;
  for (auto _ : state) {
    if (width == 4) {
      const auto* const words = reinterpret_cast<const std::uint32_t*>(bytes.data());
      for (std::size_t i = 0; i < elements; ++i) codes[i] = static_cast<std::byte>(words[i] >> 24);
    } else {
      const auto* const words = reinterpret_cast<const std::uint16_t*>(bytes.data());
      for (std::size_t i = 0; i < elements; ++i) codes[i] = static_cast<std::byte>(words[i] >> 8);
    }
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

void quantize_cpu(benchmark::State& state, const mx::fast::BlockJob& job, std::size_t elements,
                  int threads) {
  const auto plan = mx::fast::BlockPlan::make(job);
  if (!plan) return state.SkipWithError(std::string(plan.problem()).c_str());
  const std::vector<std::byte> words = make_input(job.source, elements);
  std::vector<std::byte> codes(elements);
  std::vector<std::byte> scales(
      mx::fast::BlockLayout{1, elements, 1}.blocks(static_cast<std::size_t>(plan->block_size())));
  for (auto _ : state) {
    if (!plan->quantize({1, elements, 1}, words, codes, scales, {}, threads)) {
      state.SkipWithError("the call failed");
    }
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

void convert_cpu(benchmark::State& state, const mx::fast::ElementJob& job, std::size_t elements) {
  const auto plan = mx::fast::ElementPlan::make(job);
  if (!plan) return state.SkipWithError(std::string(plan.problem()).c_str());
  const std::vector<std::byte> words = make_input(job.source, elements);
  std::vector<std::byte> codes(elements);
  for (auto _ : state) {
    if (!plan->convert(words, codes)) state.SkipWithError("the call failed");
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

/// Every code in turn.
std::vector<std::byte> make_codes(const mx::ElementFormat& format, std::size_t elements) {
  std::vector<std::byte> codes(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    const std::uint64_t code = i * 7 & format.code_mask();
    // Infinities and NaNs would time the way of rare codes.
    const bool is_finite = (code & format.magnitude_mask()) <= format.max_code;
    codes[i] = static_cast<std::byte>(is_finite ? code : 1);
  }
  return codes;
}

/// The limit: reads bytes and writes words with them on top.
void wide_copy(benchmark::State& state, std::size_t width, std::size_t elements) {
  const std::vector<std::byte> codes = make_codes(mx::formats::e4m3fn, elements);
  std::vector<std::byte> bytes(elements * width);
  for (auto _ : state) {
    if (width == 4) {
      auto* const words = reinterpret_cast<std::uint32_t*>(bytes.data());
      for (std::size_t i = 0; i < elements; ++i) {
        words[i] = std::to_integer<std::uint32_t>(codes[i]) << 24;
      }
    } else {
      auto* const words = reinterpret_cast<std::uint16_t*>(bytes.data());
      for (std::size_t i = 0; i < elements; ++i) {
        words[i] = static_cast<std::uint16_t>(std::to_integer<unsigned>(codes[i]) << 8);
      }
    }
    benchmark::DoNotOptimize(bytes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

/// Blocks of 32 under scales around 1.
void dequantize_cpu(benchmark::State& state, const mx::fast::DequantizeJob& job,
                    std::size_t elements) {
  const auto plan = mx::fast::DequantizePlan::make(job);
  if (!plan) return state.SkipWithError(std::string(plan.problem()).c_str());
  const std::vector<std::byte> codes = make_codes(job.format.element, elements);
  std::vector<std::byte> scales(elements / 32);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    scales[i] = static_cast<std::byte>(120 + i % 8);
  }
  const auto width = static_cast<std::size_t>(job.output.storage_bits) / 8;
  std::vector<std::byte> words(elements * width);
  for (auto _ : state) {
    if (!plan->dequantize({1, elements, 1}, codes, scales, words)) {
      state.SkipWithError("the call failed");
    }
    benchmark::DoNotOptimize(words.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

void widen_cpu(benchmark::State& state, const mx::fast::WidenJob& job, std::size_t elements) {
  const auto plan = mx::fast::WidenPlan::make(job);
  if (!plan) return state.SkipWithError(std::string(plan.problem()).c_str());
  const std::vector<std::byte> codes = make_codes(job.source, elements);
  const auto width = static_cast<std::size_t>(job.destination.storage_bits) / 8;
  std::vector<std::byte> words(elements * width);
  for (auto _ : state) {
    if (!plan->convert(codes, words)) state.SkipWithError("the call failed");
    benchmark::DoNotOptimize(words.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
}

void pack_cpu(benchmark::State& state, mx::fast::CodePacking packing, bool is_back) {
  std::vector<std::byte> codes = make_codes(mx::formats::e2m1fn, kElements);
  std::vector<std::byte> packed(mx::fast::packed_size(packing, kElements));
  for (auto _ : state) {
    const bool done = is_back ? mx::fast::unpack_codes(packing, packed, codes)
                              : mx::fast::pack_codes(packing, codes, packed);
    if (!done) state.SkipWithError("the call failed");
    benchmark::DoNotOptimize(packed.data());
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kElements));
}

const int kRegisteredBack = [] {
  namespace formats = mx::formats;
  for (const int log : {18, 24}) {
    const std::size_t elements = std::size_t{1} << log;
    const std::string size = "/2^" + std::to_string(log);
    for (const mx::ElementFormat* output : {&formats::fp32, &formats::bf16, &formats::fp16}) {
      const std::string to(output->name);
      const auto width = static_cast<std::size_t>(output->storage_bits) / 8;
      benchmark::RegisterBenchmark(
          joined({"limit/wide-copy-", to, size}).c_str(),
          [width, elements](benchmark::State& state) { wide_copy(state, width, elements); });
      for (const mx::ElementFormat* element :
           {&formats::e4m3fn, &formats::e5m2, &formats::e2m1fn, &formats::int8}) {
        const std::string from(element->name);
        const mx::fast::DequantizeJob job{
            .format = {.name = "timed", .element = *element, .scale = formats::e8m0},
            .output = *output};
        benchmark::RegisterBenchmark(
            joined({"fast-cpu/dequantize-", from, "-", to, size}).c_str(),
            [job, elements](benchmark::State& state) { dequantize_cpu(state, job, elements); });
        const mx::fast::WidenJob single{*element, *output, {}};
        benchmark::RegisterBenchmark(
            joined({"fast-cpu/widen-", from, "-", to, size}).c_str(),
            [single, elements](benchmark::State& state) { widen_cpu(state, single, elements); });
      }
    }
  }
  using Packing = mx::fast::CodePacking;
  for (const bool is_back : {false, true}) {
    const std::string name = is_back ? "fast-cpu/unpack-" : "fast-cpu/pack-";
    benchmark::RegisterBenchmark((name + "nibbles").c_str(), pack_cpu, Packing::kNibbleLowFirst,
                                 is_back);
    benchmark::RegisterBenchmark((name + "dense6").c_str(), pack_cpu, Packing::kDense6, is_back);
  }
  return 0;
}();

/// stochastic_a by 16 bits, their drawing included.
void quantize_drawn(benchmark::State& state, mx::fast::BlockJob job) {
  job.element.rounding = mx::Rounding::kStochasticA;
  const auto plan = mx::fast::StochasticBlockPlan::make(job);
  if (!plan) return state.SkipWithError(std::string(plan.problem()).c_str());
  const std::vector<std::byte> words = make_input(job.source);
  std::vector<std::byte> codes(kElements);
  std::vector<std::byte> scales(kElements / 32);
  for (auto _ : state) {
    if (!plan->quantize({1, kElements, 1}, {1, 2}, words, codes, scales)) {
      state.SkipWithError("the call failed");
    }
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kElements));
}

void convert_drawn(benchmark::State& state, mx::fast::ElementJob job) {
  job.policy.rounding = mx::Rounding::kStochasticA;
  const auto plan = mx::fast::StochasticElementPlan::make(job);
  if (!plan) return state.SkipWithError(std::string(plan.problem()).c_str());
  const std::vector<std::byte> words = make_input(job.source);
  std::vector<std::byte> codes(kElements);
  for (auto _ : state) {
    if (!plan->convert({1, 2}, words, codes)) state.SkipWithError("the call failed");
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kElements));
}

const int kRegisteredDrawn = [] {
  namespace formats = mx::formats;
  for (const mx::ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const mx::ElementFormat* element : {&formats::e4m3fn, &formats::e2m1fn, &formats::int8}) {
      const std::string name = joined({source->name, "-", element->name});
      const mx::fast::BlockJob job{
          .source = *source,
          .format = {.name = "timed", .element = *element, .scale = formats::e8m0},
          .element = {},
          .block = {}};
      benchmark::RegisterBenchmark(joined({"fast-cpu/drawn-blocks-", name}).c_str(), quantize_drawn,
                                   job);
      benchmark::RegisterBenchmark(joined({"fast-cpu/drawn-elements-", name}).c_str(),
                                   convert_drawn, mx::fast::ElementJob{*source, *element, {}});
    }
  }
  return 0;
}();

/// Threads of one call, wall time.
const int kRegisteredThreads = [] {
  for (const int log : {17, 19, 21}) {
    for (const int threads : {1, 2}) {
      const std::size_t elements = std::size_t{1} << log;
      const mx::fast::BlockJob job{
          .source = mx::formats::fp32,
          .format = {.name = "timed", .element = mx::formats::e4m3fn, .scale = mx::formats::e8m0},
          .element = {},
          .block = {}};
      benchmark::RegisterBenchmark(
          ("threads/blocks-fp32-e4m3fn/2^" + std::to_string(log) + "/" + std::to_string(threads))
              .c_str(),
          [job, elements, threads](benchmark::State& state) {
            quantize_cpu(state, job, elements, threads);
          })
          ->UseRealTime();
    }
  }
  return 0;
}();

const int kRegisteredCpu = [] {
  namespace formats = mx::formats;
  for (const int log : {18, 24}) {
    const std::size_t elements = std::size_t{1} << log;
    const std::string size = "/2^" + std::to_string(log);
    for (const mx::ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
      const std::string from(source->name);
      benchmark::RegisterBenchmark(
          joined({"limit/narrow-copy-", from, size}).c_str(),
          [source, elements](benchmark::State& state) { narrow_copy(state, *source, elements); });
      for (const mx::ElementFormat* element :
           {&formats::e4m3fn, &formats::e5m2, &formats::e2m1fn, &formats::int8}) {
        const std::string to(element->name);
        const mx::fast::BlockJob job{
            .source = *source,
            .format = {.name = "timed", .element = *element, .scale = formats::e8m0},
            .element = {},
            .block = {}};
        benchmark::RegisterBenchmark(
            joined({"fast-cpu/blocks-", from, "-", to, size}).c_str(),
            [job, elements](benchmark::State& state) { quantize_cpu(state, job, elements, 1); });
        const mx::fast::ElementJob single{*source, *element, {}};
        benchmark::RegisterBenchmark(
            joined({"fast-cpu/elements-", from, "-", to, size}).c_str(),
            [single, elements](benchmark::State& state) { convert_cpu(state, single, elements); });
      }
    }
  }
  for (const mx::ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const int block : {8, 16, 64, 128}) {
      const mx::fast::BlockJob job{.source = *source,
                                   .format = {.name = "timed",
                                              .element = formats::e4m3fn,
                                              .scale = formats::e8m0,
                                              .block_size = block},
                                   .element = {},
                                   .block = {}};
      benchmark::RegisterBenchmark(
          joined({"fast-cpu/blocks-of-", std::to_string(block), "-", source->name}).c_str(),
          [job](benchmark::State& state) { quantize_cpu(state, job, kElements, 1); });
    }
  }
  return 0;
}();

const int kRegistered = [] {
  namespace formats = mx::formats;
  for (const mx::ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const mx::ElementFormat* element : {&formats::e4m3fn, &formats::e5m2, &formats::e3m2fn,
                                             &formats::e2m3fn, &formats::e2m1fn, &formats::int8}) {
      const std::string name = joined({"fast-host/", source->name, "-", element->name});
      benchmark::RegisterBenchmark(name.c_str(), [source, element](benchmark::State& state) {
        quantize(state, *source, *element);
      });
    }
  }
  return 0;
}();

}  // namespace

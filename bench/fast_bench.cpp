// Elements a second on one thread: the CPU path beside the copy that moves as many bytes, in cache
// and from memory, and the CUDA path's arithmetic on the host, in cache.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fast/cpu/quantizer.hpp"
#include "fast/cuda/stream.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/philox.hpp"

namespace {

constexpr std::size_t kElements = std::size_t{1} << 18;

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
  std::vector<std::byte> scales(elements / 32);
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

const int kRegisteredCpu = [] {
  namespace formats = mx::formats;
  for (const int log : {18, 24}) {
    const std::size_t elements = std::size_t{1} << log;
    const std::string size = "/2^" + std::to_string(log);
    for (const mx::ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
      const std::string from(source->name);
      benchmark::RegisterBenchmark(
          ("limit/narrow-copy-" + from + size).c_str(),
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
            ("fast-cpu/blocks-" + from + "-" + to + size).c_str(),
            [job, elements](benchmark::State& state) { quantize_cpu(state, job, elements, 1); });
        const mx::fast::ElementJob single{*source, *element, {}};
        benchmark::RegisterBenchmark(
            ("fast-cpu/elements-" + from + "-" + to + size).c_str(),
            [single, elements](benchmark::State& state) { convert_cpu(state, single, elements); });
      }
    }
  }
  return 0;
}();

const int kRegistered = [] {
  namespace formats = mx::formats;
  for (const mx::ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const mx::ElementFormat* element : {&formats::e4m3fn, &formats::e5m2, &formats::e3m2fn,
                                             &formats::e2m3fn, &formats::e2m1fn, &formats::int8}) {
      const std::string name =
          "fast-host/" + std::string(source->name) + "-" + std::string(element->name);
      benchmark::RegisterBenchmark(name.c_str(), [source, element](benchmark::State& state) {
        quantize(state, *source, *element);
      });
    }
  }
  return 0;
}();

}  // namespace

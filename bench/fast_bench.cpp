// Elements a second through the CUDA path's arithmetic on the host, one thread, in cache.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fast/cuda/quantize.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/philox.hpp"

namespace {

constexpr std::size_t kElements = std::size_t{1} << 18;

/// Uniform signs and significands, 12 binades up to 1.0, and a subnormal among every 16 elements.
std::vector<std::byte> make_input(const mx::ElementFormat& source) {
  const auto width = static_cast<std::size_t>(source.storage_bits) / 8;
  std::vector<std::byte> bytes(kElements * width);
  for (std::size_t i = 0; i < kElements; ++i) {
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
  for (auto _ : state) {
    const mx::fast::Status outcome =
        mx::fast::quantize_on_host(source, element, words, {codes, scales, status});
    if (!outcome) state.SkipWithError("the call failed");
    benchmark::DoNotOptimize(codes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kElements));
}

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

// Elements a second through the generic reference: one conversion at a time, and whole tensors.
#include <benchmark/benchmark.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reference/bulk/bulk.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/number/philox.hpp"
#include "reference/tensor/tensor.hpp"

namespace {

/// FP32 bits with uniform signs and significands, 12 binades around 1.0, and a subnormal or a tie
/// among every 16 elements.
std::vector<std::uint32_t> make_input(std::size_t count) {
  std::vector<std::uint32_t> words(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto block = mx::philox4x32({static_cast<std::uint32_t>(i), 0, 0, 0}, 1);
    std::uint32_t word = (block[0] & 0x807FFFFF) | ((121 + block[1] % 12) << 23);
    if (i % 16 == 7) word = block[2] & 0x807FFFFF;
    if (i % 16 == 11) word &= 0xFFF80000;
    words[i] = word;
  }
  return words;
}

void convert(benchmark::State& state, const mx::ElementFormat& destination, mx::Rounding rounding) {
  const std::vector<std::uint32_t> input = make_input(1 << 18);
  mx::ConversionConfig config{mx::formats::fp32, destination, {}};
  config.policy.rounding = rounding;
  const mx::Conversion conversion = mx::Conversion::make(config).value();
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (const std::uint32_t word : input) sum += conversion(word, word & 0xFFFF).code;
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(input.size()));
}

/// Whole arrays, the run-time path: any format, any policy.
void convert_array(benchmark::State& state, const mx::ElementFormat& destination,
                   mx::Rounding rounding) {
  const std::vector<std::uint32_t> input = make_input(1 << 16);
  const std::vector<std::uint64_t> source(input.begin(), input.end());
  std::vector<std::uint32_t> random(input.size());
  for (std::size_t i = 0; i < random.size(); ++i) random[i] = mx::counter_random(1, 0, i, 16);
  std::vector<std::uint64_t> codes(input.size());
  std::vector<std::uint8_t> flags(input.size());
  mx::ConversionConfig config{mx::formats::fp32, destination, {}};
  config.policy.rounding = rounding;
  const mx::Conversion conversion = mx::Conversion::make(config).value();
  for (auto _ : state) {
    mx::bulk::convert(conversion, source, random, codes, flags);
    benchmark::DoNotOptimize(codes.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(input.size()));
}

void quantize(benchmark::State& state, const mx::BlockFormat& format) {
  const std::vector<std::uint32_t> input = make_input(1 << 18);
  const std::uint64_t shape[] = {input.size()};
  const auto blocked = mx::BlockedShape::make(shape, -1, 32);
  const mx::Quantizer quantizer = mx::Quantizer::make({mx::formats::fp32, format, {}, {}}).value();
  std::vector<std::byte> codes(input.size());
  std::vector<std::byte> scales(input.size() / 32);
  for (auto _ : state) {
    (void)mx::quantize_tensor(quantizer, *blocked, mx::Tail::kShort,
                              std::as_bytes(std::span(input)), {}, codes, scales)
        .value();
    benchmark::DoNotOptimize(codes.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(input.size()));
}

/// Every format of the table of at most 8 bits, and members of every family.
std::vector<std::pair<std::string, mx::ElementFormat>> narrow_formats() {
  std::vector<std::pair<std::string, mx::ElementFormat>> all;
  for (const mx::ElementFormat& format : mx::all_formats()) {
    if (format.bits <= 8) all.emplace_back(format.name, format);
  }
  for (const char* name :
       {"int2",        "int4",        "uint4",       "uint8",       "fixed8.4",
        "ufixed8.4",   "sm4",         "sm8",         "exp4",        "exp8nan",
        "e5m2fin",     "ue3m3fin",    "binary3p1se", "binary4p2sf", "binary8p1se",
        "binary8p1uf", "binary8p3se", "binary8p4se", "binary8p4uf", "binary8p8uf"}) {
    if (const auto format = mx::make_format(name)) all.emplace_back(name, *format);
  }
  return all;
}

const int kRegistered = [] {
  for (const auto& [name, format] : narrow_formats()) {
    for (const mx::Rounding rounding : {mx::Rounding::kTiesToEven, mx::Rounding::kTowardZero,
                                        mx::Rounding::kToOdd, mx::Rounding::kStochasticA}) {
      const std::string title = "array/fp32-" + name + "/" + std::string(mx::token_of(rounding));
      benchmark::RegisterBenchmark(title.c_str(),
                                   [format = format, rounding](benchmark::State& state) {
                                     convert_array(state, format, rounding);
                                   });
    }
  }
  for (const char* name : {"e4m3fn", "e5m2", "e2m1fn", "int8"}) {
    for (const mx::Rounding rounding :
         {mx::Rounding::kTiesToEven, mx::Rounding::kTowardZero, mx::Rounding::kStochasticA}) {
      const mx::ElementFormat format = *mx::find_format(name);
      benchmark::RegisterBenchmark(
          ("convert/fp32-" + std::string(name) + "/" + std::string(mx::token_of(rounding))).c_str(),
          [format, rounding](benchmark::State& state) { convert(state, format, rounding); });
    }
  }
  for (const mx::BlockFormat& format : mx::mx_block_formats()) {
    benchmark::RegisterBenchmark(("quantize/fp32-" + std::string(format.name)).c_str(),
                                 [&format](benchmark::State& state) { quantize(state, format); });
  }
  return 0;
}();

}  // namespace

// Rates of the CUDA path beside a copy that moves as many bytes, on one device, in one process:
// rounds that take turns, timed by events, medians of the rounds' ratios. A case whose results are
// not those of the host's arithmetic has no rate. Exit 77, which is no pass, where there is no
// device; 1 after a mismatch or a failed call.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/gpu/nvfp4.cuh"
#include "bench/gpu/quantize.cuh"
#include "fast/cuda_judge/judge.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"

namespace mx::bench {
namespace {

mx::Checked<fast::StreamPlan> plan_of(const Case& one) {
  return fast::StreamPlan::make(
      {.source = *one.source,
       .format = {.name = "timed", .element = *one.element, .scale = formats::e8m0},
       .element = {},
       .block = {}});
}

bool is_back(const Case& one) {
  return one.direction == Case::kRowsBack || one.direction == Case::kColumnsBack;
}

mx::Checked<fast::StreamDecodePlan> back_plan_of(const Case& one) {
  return fast::StreamDecodePlan::make(
      {.format = {.name = "timed", .element = *one.element, .scale = formats::e8m0},
       .output = *one.source});
}

bool is_right(const Case& one, const Shape& shape) {
  if (is_back(one)) {
    const fast::StreamDecodePlan plan = back_plan_of(one).value();
    return BackMeasurement(one, shape, plan).is_right();
  }
  const fast::StreamPlan plan = plan_of(one).value();
  return Measurement(one, shape, plan).is_right();
}

bool check(const Case& one) {
  if (is_right(one, {4096, 1024})) return true;
  std::printf("%-34s MISMATCH with the host's arithmetic: no rate\n", one.name);
  return false;
}

template <class Case, class Measured>
void measure(const Case& one, const Measured& measured) {
  const std::size_t half = measured.traffic() / 2 / 16 * 16;
  const DeviceBuffer from(half);
  const DeviceBuffer to(half);
  require(cudaMemset(from.data, 1, half), "cudaMemset");
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  require(cudaEventCreate(&begin), "cudaEventCreate");
  require(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> ratios;
  std::vector<float> times;
  std::vector<float> copies;
  for (int round = -kWarmUp; round < kRounds; ++round) {
    const float copy = time_of(begin, end, [&] {
      copy_kernel<<<1u << 16, 256>>>(static_cast<const uint4*>(from.data),
                                     static_cast<uint4*>(to.data), half / 16);
    });
    const float own = time_of(begin, end, [&] { measured.run(); });
    if (round < 0) continue;
    ratios.push_back(copy / own);
    times.push_back(own);
    copies.push_back(copy);
  }
  require(cudaGetLastError(), one.name);
  for (std::vector<float>* const each : {&ratios, &times, &copies}) std::ranges::sort(*each);
  const float median = ratios[kRounds / 2];
  const float low = ratios[kRounds / 4];
  const float high = ratios[kRounds * 3 / 4];
  const double bytes = static_cast<double>(measured.traffic());
  std::printf("%-34s %8.1f %8.1f   %.3f  %.3f .. %.3f%s\n", one.name,
              bytes / times[kRounds / 2] / 1e6,
              2.0 * static_cast<double>(half) / copies[kRounds / 2] / 1e6, median, low, high,
              high - low > 0.15f * median ? "  INVALID: too noisy" : "");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
}

template <class Made>
bool measure_right(const Nvfp4Rate& one, const Shape& shape, const Made& made) {
  if (!made(Shape{4096, 1024}).is_right()) {
    std::printf("%-34s MISMATCH with the host's arithmetic: no rate\n", one.name);
    return false;
  }
  measure(one, made(shape));
  return true;
}

/// A tensor whose largest magnitude is just below 2.
bool measure_nvfp4(const Nvfp4Rate& one, const Shape& shape) {
  mx::BlockPolicy block;
  block.rule = one.rule;
  const bool by_amax =
      one.rule == mx::ScaleRule::kNvfp4Te || one.rule == mx::ScaleRule::kNvfp44over6;
  mx::ElementPolicy element;
  element.rounding = one.rounding;
  const auto plain = fast::Nvfp4Plan::make({*one.source, *mx::find_block_format("nvfp4"), element,
                                            block, by_amax ? 0x40000000u : 0x3A430C31u})
                         .value();
  const auto plan = one.transforms ? plain.with_hadamard({0xD7E8, false}).value() : plain;
  if (one.both) {
    return measure_right(
        one, shape, [&](const Shape& of) { return Nvfp4BothMeasurement(one, of, plain, plan); });
  }
  return measure_right(one, shape,
                       [&](const Shape& of) { return Nvfp4Measurement(one, of, plan); });
}

constexpr Nvfp4Rate kNvfp4Rates[] = {
    {"nvfp4 rows fp32, exact", &formats::fp32, mx::ScaleRule::kNvfp4Exact, false, false, false},
    {"nvfp4 rows bf16, exact", &formats::bf16, mx::ScaleRule::kNvfp4Exact, false, false, false},
    {"nvfp4 rows bf16, te", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false, false},
    {"nvfp4 rows bf16, te, swizzled", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false, true},
    {"nvfp4 rows bf16, torchao", &formats::bf16, mx::ScaleRule::kNvfp4Torchao, false, false, false},
    {"nvfp4 rows bf16, cublas", &formats::bf16, mx::ScaleRule::kNvfp4Cublas, false, false, false},
    {"nvfp4 columns bf16, te", &formats::bf16, mx::ScaleRule::kNvfp4Te, true, false, false},
    {"nvfp4 columns bf16, te, swizzled", &formats::bf16, mx::ScaleRule::kNvfp4Te, true, false,
     true},
    {"nvfp4 both fp32, te", &formats::fp32, mx::ScaleRule::kNvfp4Te, false, false, false, true},
    {"nvfp4 both bf16, te", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false, false, true},
    {"nvfp4 both bf16, te, swizzled", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false, true,
     true},
    {"nvfp4 rows bf16, te, hadamard", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false, false,
     false, true},
    {"nvfp4 columns bf16, te, hadamard", &formats::bf16, mx::ScaleRule::kNvfp4Te, true, false,
     false, false, true},
    {"nvfp4 both bf16, te, col hadamard", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false,
     true, true, true},
    {"nvfp4 rows bf16, te, stochastic_a", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false,
     false, false, false, mx::Rounding::kStochasticA},
    {"nvfp4 columns bf16, te, stochastic_a", &formats::bf16, mx::ScaleRule::kNvfp4Te, true, false,
     false, false, false, mx::Rounding::kStochasticA},
    {"nvfp4 rows bf16, ggml", &formats::bf16, mx::ScaleRule::kNvfp4Ggml, false, false, false},
    {"nvfp4 rows bf16, 4over6", &formats::bf16, mx::ScaleRule::kNvfp44over6, false, false, false},
    {"nvfp4 rows back to bf16", &formats::bf16, mx::ScaleRule::kNvfp4Exact, false, true, false},
    {"nvfp4 rows back to fp32", &formats::fp32, mx::ScaleRule::kNvfp4Exact, false, true, false}};

/// All 2^32 words of fp32 to e4m3fn, compared on the device with the answers of the host's
/// arithmetic. The goal is 50 ms.
bool measure_judge(fast::WordJudge::Encoder encoder, const char* name) {
  const auto judge =
      fast::WordJudge::make({formats::fp32, formats::e4m3fn, {}}, 0, encoder).value();
  std::vector<fast::AnswerStep> steps;
  // The answers of the host's arithmetic, found by halving: codes rise with the magnitude.
  const auto code_of = [&](std::uint32_t word) {
    std::vector<std::byte> run(256);
    static_cast<void>(judge.codes_on_host(word / 256 * 256, run));
    return std::to_integer<std::uint8_t>(run[word % 256]);
  };
  for (const std::uint32_t sign : {0u, 0x80000000u}) {
    const std::uint32_t marks[] = {sign, sign + 0x7F800000u, sign + 0x7F800001u};
    std::uint32_t at = marks[0];
    while (at < marks[1]) {
      const std::uint8_t code = code_of(at);
      if (steps.empty() || steps.back().code != code) steps.push_back({at, code});
      std::uint32_t low = at;
      std::uint32_t high = marks[1];
      while (high - low > 1) {
        const std::uint32_t middle = low + (high - low) / 2;
        (code_of(middle) == code ? low : high) = middle;
      }
      at = high;
    }
    for (const std::uint32_t mark : {marks[1], marks[2]}) {
      if (steps.back().code != code_of(mark)) steps.push_back({mark, code_of(mark)});
    }
  }
  std::vector<fast::WordVerdict> verdicts(256);
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  require(cudaEventCreate(&begin), "cudaEventCreate");
  require(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times;
  for (int round = -kWarmUp; round < kRounds; ++round) {
    fast::Status outcome;
    const float own =
        time_of(begin, end, [&] { outcome = judge.judge_on_device(steps, 0, verdicts); });
    std::uint64_t mismatches = 0;
    for (const fast::WordVerdict& each : verdicts) mismatches += each.mismatches;
    if (!outcome || mismatches != 0) {
      std::printf("%-34s %llu MISMATCHES with the host's arithmetic: no rate\n", name,
                  static_cast<unsigned long long>(mismatches));
      return false;
    }
    if (round >= 0) times.push_back(own);
  }
  std::ranges::sort(times);
  std::printf("%-34s %8.2f ms for 2^32 words, copies of table and verdicts included (goal: 50)\n",
              name, static_cast<double>(times[kRounds / 2]));
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return true;
}

constexpr Case kCases[] = {
    {"rows fp32 to e4m3fn", &formats::fp32, &formats::e4m3fn, Case::kRows, false, false},
    {"rows bf16 to e4m3fn", &formats::bf16, &formats::e4m3fn, Case::kRows, false, false},
    {"rows bf16 to e4m3fn, swizzled", &formats::bf16, &formats::e4m3fn, Case::kRows, false, true},
    {"rows bf16 to e2m1fn, packed", &formats::bf16, &formats::e2m1fn, Case::kRows, true, false},
    {"rows bf16 to e3m2fn, packed", &formats::bf16, &formats::e3m2fn, Case::kRows, true, false},
    {"rows bf16 to int8", &formats::bf16, &formats::int8, Case::kRows, false, false},
    {"rows fp16 to e4m3fn", &formats::fp16, &formats::e4m3fn, Case::kRows, false, false},
    {"columns fp32 to e4m3fn, swizzled", &formats::fp32, &formats::e4m3fn, Case::kColumns, false,
     true},
    {"columns bf16 to e4m3fn", &formats::bf16, &formats::e4m3fn, Case::kColumns, false, false},
    {"both fp32 to e4m3fn", &formats::fp32, &formats::e4m3fn, Case::kBoth, false, false},
    {"both bf16 to e4m3fn", &formats::bf16, &formats::e4m3fn, Case::kBoth, false, false},
    {"both bf16 to e2m1fn, packed", &formats::bf16, &formats::e2m1fn, Case::kBoth, true, false},
    {"rows e4m3fn to fp32", &formats::fp32, &formats::e4m3fn, Case::kRowsBack, false, false},
    {"rows e4m3fn to bf16", &formats::bf16, &formats::e4m3fn, Case::kRowsBack, false, false},
    {"rows e4m3fn to bf16, swizzled", &formats::bf16, &formats::e4m3fn, Case::kRowsBack, false,
     true},
    {"rows e5m2 to fp16", &formats::fp16, &formats::e5m2, Case::kRowsBack, false, false},
    {"rows e2m1fn to bf16, packed", &formats::bf16, &formats::e2m1fn, Case::kRowsBack, true, false},
    {"rows e3m2fn to bf16, packed", &formats::bf16, &formats::e3m2fn, Case::kRowsBack, true, false},
    {"rows int8 to bf16", &formats::bf16, &formats::int8, Case::kRowsBack, false, false},
    {"columns e4m3fn to fp32", &formats::fp32, &formats::e4m3fn, Case::kColumnsBack, false, false},
    {"columns e4m3fn to bf16", &formats::bf16, &formats::e4m3fn, Case::kColumnsBack, false, false},
    {"columns e2m1fn to bf16, packed", &formats::bf16, &formats::e2m1fn, Case::kColumnsBack, true,
     false}};

}  // namespace
}  // namespace mx::bench

int main() {
  using namespace mx::bench;
  namespace fast = mx::fast;
  namespace formats = mx::formats;
  if (const std::string_view problem = fast::device_problem(); !problem.empty()) {
    std::fprintf(stderr, "SKIPPED: nothing was measured: %s\n", std::string(problem).c_str());
    return 77;
  }
  cudaDeviceProp device{};
  int driver = 0;
  require(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  require(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  const Shape shape{std::size_t{1} << 15, std::size_t{1} << 14};
  std::printf("%s, driver %d; 2^29 elements, %d rounds after %d; GB/s read and written\n",
              device.name, driver, kRounds, kWarmUp);
  std::printf("%-34s %8s %8s   ratio  p25 .. p75\n", "case", "GB/s", "copy");
  bool all_right = true;
  for (const Case& one : kCases) {
    if (!check(one)) {
      all_right = false;
    } else if (is_back(one)) {
      const fast::StreamDecodePlan plan = back_plan_of(one).value();
      measure(one, BackMeasurement(one, shape, plan));
    } else {
      const fast::StreamPlan plan = plan_of(one).value();
      measure(one, Measurement(one, shape, plan));
    }
  }
  for (const Nvfp4Rate& one : kNvfp4Rates) all_right = measure_nvfp4(one, shape) && all_right;
  using Encoder = fast::WordJudge::Encoder;
  all_right = measure_judge(Encoder::kAsBlocks, "judge fp32 to e4m3fn, short") && all_right;
  all_right = measure_judge(Encoder::kGeneral, "judge fp32 to e4m3fn, general") && all_right;
  return all_right ? 0 : 1;
}

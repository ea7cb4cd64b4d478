// Rates of the CUDA path beside a copy that moves as many bytes, on one device, in one process:
// rounds that take turns, timed by events, medians of the rounds' ratios. A case whose results are
// not those of the host's arithmetic has no rate. Exit 77, which is no pass, where there is no
// device; 1 after a mismatch or a failed call.
#include <cstdio>
#include <string>

#include "bench/gpu/beside_microxcaling.cuh"
#include "bench/gpu/cases.cuh"
#include "bench/gpu/every_word.cuh"
#include "bench/gpu/turns.hpp"
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

mx::Checked<fast::StreamDequantizePlan> back_plan_of(const Case& one) {
  return fast::StreamDequantizePlan::make(
      {.format = {.name = "timed", .element = *one.element, .scale = formats::e8m0},
       .output = *one.source});
}

/// Rounds of two works by turns, after some that are dropped.
template <class Ours, class Other>
Turns take_turns(const char* name, const Ours& ours, const Other& other) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  require(cudaEventCreate(&begin), "cudaEventCreate");
  require(cudaEventCreate(&end), "cudaEventCreate");
  Turns turns;
  for (int round = -kWarmUp; round < kRounds; ++round) {
    const float theirs = time_of(begin, end, other);
    const float own = time_of(begin, end, ours);
    if (round >= 0) turns.add(own, theirs);
  }
  require(cudaGetLastError(), name);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return turns;
}

void print(const char* name, const Turns& turns, double ours, double other, double goal) {
  std::printf("%-36s %8.1f %8.1f   %.3f  %.3f .. %.3f  %5.2f  %s\n", name,
              ours / turns.ours() / 1e6, other / turns.other() / 1e6, turns.ratio(), turns.low(),
              turns.high(), goal, turns.verdict(goal).c_str());
}

template <class Case, class Measured>
void measure(const Case& one, const Measured& measured) {
  const std::size_t half = measured.traffic() / 2 / 16 * 16;
  const DeviceBuffer from(half);
  const DeviceBuffer to(half);
  require(cudaMemset(from.data, 1, half), "cudaMemset");
  const Turns turns = take_turns(
      one.name, [&] { measured.run(); },
      [&] {
        copy_kernel<<<1u << 16, 256>>>(static_cast<const uint4*>(from.data),
                                       static_cast<uint4*>(to.data), half / 16);
      });
  print(one.name, turns, static_cast<double>(measured.traffic()), 2.0 * static_cast<double>(half),
        one.goal);
}

/// The same work with scales in C order takes turns with the one with scales in tiles, which may be
/// no more than 2 % slower.
template <class Case, class Make>
void measure_beside_linear(const Case& one, const Shape& shape, const Make& make) {
  if (!one.swizzled) return;
  Case plain = one;
  plain.swizzled = false;
  const auto tiled = make(one, shape);
  const auto linear = make(plain, shape);
  const Turns turns = take_turns(
      one.name, [&] { tiled.run(); }, [&] { linear.run(); });
  print("  beside scales in C order", turns, static_cast<double>(tiled.traffic()),
        static_cast<double>(linear.traffic()), kSwizzled);
}

/// U2: elements a second beside microxcaling's, which writes fp32.
bool measure_beside_microxcaling(const Shape& shape) {
  if (microxcaling_commit().empty()) {
    std::printf("U2 SKIPPED: give microxcaling's checkout by MX_PEER_MICROXCALING=PATH\n");
    return true;
  }
  const std::string name = "U2, microxcaling " + std::string(microxcaling_commit());
  if (!BesideMicroxcaling({4096, 1024}).is_right()) {
    std::printf("%s: MISMATCH with its values: no rate\n", name.c_str());
    return false;
  }
  const BesideMicroxcaling both(shape);
  const Turns turns = take_turns(
      name.c_str(), [&] { both.run(); }, [&] { both.run_theirs(); });
  std::printf("%-36s %8s %8s   rows of fp32 to mxfp8_e4m3, G elements/s; signs of zeros apart\n",
              "", "ours", "theirs");
  print(name.c_str(), turns, both.count(), both.count(), 3);
  return true;
}

template <class Case, class Make>
bool measure_right(const Case& one, const Shape& shape, const Make& make) {
  if (!make(one, Shape{4096, 1024}).is_right()) {
    std::printf("%-36s MISMATCH with the host's arithmetic: no rate\n", one.name);
    return false;
  }
  measure(one, make(one, shape));
  measure_beside_linear(one, shape, make);
  return true;
}

bool measure_blocks(const Case& one, const Shape& shape) {
  if (is_back(one)) {
    const fast::StreamDequantizePlan plan = back_plan_of(one).value();
    return measure_right(one, shape, [&](const Case& each, const Shape& of) {
      return BackMeasurement(each, of, plan);
    });
  }
  const fast::StreamPlan plan = plan_of(one).value();
  return measure_right(
      one, shape, [&](const Case& each, const Shape& of) { return Measurement(each, of, plan); });
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
    return measure_right(one, shape, [&](const Nvfp4Rate& each, const Shape& of) {
      return Nvfp4BothMeasurement(each, of, plain, plan);
    });
  }
  return measure_right(one, shape, [&](const Nvfp4Rate& each, const Shape& of) {
    return Nvfp4Measurement(each, of, plan);
  });
}

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
  std::printf("%-36s %8s %8s   ratio  p25 .. p75     goal\n", "case", "GB/s", "copy");
  bool all_right = true;
  for (const Case& one : kCases) all_right = measure_blocks(one, shape) && all_right;
  for (const Nvfp4Rate& one : kNvfp4Rates) all_right = measure_nvfp4(one, shape) && all_right;
  all_right = measure_beside_microxcaling(shape) && all_right;
  for (const mx::ElementFormat* element : {&formats::e4m3fn, &formats::e5m2, &formats::e3m2fn,
                                           &formats::e2m3fn, &formats::e2m1fn, &formats::int8}) {
    all_right = measure_judges(*element) && all_right;
  }
  return all_right ? 0 : 1;
}

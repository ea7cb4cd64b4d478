// Rates of the CUDA path beside a copy that moves as many bytes, on one device, in one process:
// rounds that take turns, timed by events, medians of the rounds' ratios. A case whose results are
// not those of the host's arithmetic has no rate. Exit 77, which is no pass, where there is no
// device; 1 after a mismatch or a failed call.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "fast/cuda_decode/stream.hpp"
#include "fast/cuda_judge/judge.hpp"
#include "reference/format/rows.hpp"

namespace {

namespace fast = mx::fast;
namespace formats = mx::formats;

constexpr int kRounds = 25;
constexpr int kWarmUp = 5;

void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "gpu_rates: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

struct DeviceBuffer {
  explicit DeviceBuffer(std::size_t bytes) { require(cudaMalloc(&data, bytes), "cudaMalloc"); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data); }
  void* data = nullptr;
};

__global__ void copy_kernel(const uint4* from, uint4* to, std::size_t count) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all) {
    __stcs(to + i, __ldcs(from + i));
  }
}

/// Words of random signs and significands with exponents in 12 binades up to 1, and a zero or a
/// subnormal among every 16.
template <class Word>
__global__ void fill_kernel(Word* to, std::size_t count, int man_bits, int bias) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all) {
    std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15;
    x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9;
    x ^= x >> 29;
    const auto man = static_cast<std::uint32_t>(x) & ((1u << man_bits) - 1);
    const auto field = i % 16 == 7 ? 0u : static_cast<std::uint32_t>(bias) - (x >> 40) % 12;
    const auto sign = static_cast<std::uint32_t>(x >> 63) << (8 * sizeof(Word) - 1);
    to[i] = static_cast<Word>(sign | static_cast<std::uint32_t>(field) << man_bits | man);
  }
}

/// Bytes low .. low + count - 1, mixed.
__global__ void fill_bytes_kernel(std::uint8_t* to, std::size_t bytes, unsigned low,
                                  unsigned count) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < bytes; i += all) {
    std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15;
    x ^= x >> 29;
    to[i] = static_cast<std::uint8_t>(low + (x >> 20) % count);
  }
}

struct Case {
  const char* name;
  const mx::ElementFormat* source;
  const mx::ElementFormat* element;
  enum { kRows, kColumns, kBoth, kRowsBack, kColumnsBack } direction;
  bool packed;
  bool swizzled;
};

struct Shape {
  std::size_t rows;
  std::size_t columns;
};

/// The results of one direction on the device.
struct Direction {
  Direction(const fast::StreamPlan& plan, const fast::StreamLayout& the_layout)
      : layout(the_layout),
        sizes(plan.sizes(the_layout)),
        codes(sizes.code_bytes),
        scales(sizes.scale_bytes) {}
  [[nodiscard]] fast::StreamResults results() const { return {codes.data, scales.data}; }
  fast::StreamLayout layout;
  fast::StreamSizes sizes;
  DeviceBuffer codes;
  DeviceBuffer scales;
};

class Measurement {
 public:
  Measurement(const Case& one, const Shape& shape, const fast::StreamPlan& plan)
      : case_(one),
        shape_(shape),
        plan_(plan),
        rows_(plan, {{shape.rows, shape.columns, 1}, false, one.packed, one.swizzled}),
        columns_(plan, {{1, shape.rows, shape.columns}, true, one.packed, one.swizzled}),
        source_(rows_.sizes.source_bytes) {
    const std::size_t elements = shape.rows * shape.columns;
    if (one.source->storage_bits == 32) {
      fill_kernel<<<4096, 256>>>(static_cast<std::uint32_t*>(source_.data), elements,
                                 one.source->man_bits, one.source->bias);
    } else {
      fill_kernel<<<4096, 256>>>(static_cast<std::uint16_t*>(source_.data), elements,
                                 one.source->man_bits, one.source->bias);
    }
    require(cudaDeviceSynchronize(), "fill");
  }

  /// Bytes that a call reads and writes.
  [[nodiscard]] std::size_t traffic() const {
    std::size_t bytes = rows_.sizes.source_bytes;
    if (case_.direction != Case::kColumns) {
      bytes += rows_.sizes.code_bytes + rows_.sizes.scale_bytes;
    }
    if (case_.direction != Case::kRows) {
      bytes += columns_.sizes.code_bytes + columns_.sizes.scale_bytes;
    }
    return bytes;
  }

  void run() const {
    fast::Status outcome;
    if (case_.direction == Case::kBoth) {
      outcome =
          plan_.launch_both(nullptr, shape_.rows, shape_.columns, case_.packed, case_.swizzled,
                            source_.data, rows_.results(), columns_.results());
    } else {
      const Direction& d = case_.direction == Case::kRows ? rows_ : columns_;
      outcome = plan_.launch(nullptr, d.layout, source_.data, d.results());
    }
    if (outcome) return;
    std::fprintf(stderr, "gpu_rates: %s: %s\n", case_.name, std::string(outcome.detail).c_str());
    std::exit(1);
  }

  /// Are all results those of the host's arithmetic?
  [[nodiscard]] bool is_right() const {
    run();
    require(cudaDeviceSynchronize(), case_.name);
    return (case_.direction == Case::kColumns || is_right(rows_)) &&
           (case_.direction == Case::kRows || is_right(columns_));
  }

 private:
  [[nodiscard]] bool is_right(const Direction& d) const {
    std::vector<std::byte> words(d.sizes.source_bytes);
    std::vector<std::byte> codes(d.sizes.code_bytes);
    std::vector<std::byte> scales(d.sizes.scale_bytes);
    std::vector<std::byte> got_codes(codes.size());
    std::vector<std::byte> got_scales(scales.size());
    const auto copy = [](std::vector<std::byte>& to, const void* from) {
      require(cudaMemcpy(to.data(), from, to.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    };
    copy(words, source_.data);
    copy(got_codes, d.codes.data);
    copy(got_scales, d.scales.data);
    const fast::Status outcome =
        plan_.run_on_host(d.layout, words.data(), {codes.data(), scales.data()});
    return outcome && codes == got_codes && scales == got_scales;
  }

  const Case& case_;
  Shape shape_;
  const fast::StreamPlan& plan_;
  Direction rows_;
  Direction columns_;
  DeviceBuffer source_;
};

/// The way back: codes and scales that a Measurement's host arithmetic made, to words.
class BackMeasurement {
 public:
  BackMeasurement(const Case& one, const Shape& shape, const fast::StreamDecodePlan& plan)
      : case_(one),
        plan_(plan),
        layout_(
            one.direction == Case::kColumnsBack
                ? fast::StreamLayout{{1, shape.rows, shape.columns}, true, one.packed, one.swizzled}
                : fast::StreamLayout{{shape.rows, shape.columns, 1},
                                     false,
                                     one.packed,
                                     one.swizzled}),
        sizes_(plan.sizes(layout_)),
        codes_(sizes_.code_bytes),
        scales_(sizes_.scale_bytes),
        words_(sizes_.source_bytes) {
    // Any codes, scales of 24 binades around 1: what tensors have.
    fill_bytes_kernel<<<4096, 256>>>(static_cast<std::uint8_t*>(codes_.data), sizes_.code_bytes, 0,
                                     256);
    fill_bytes_kernel<<<4096, 256>>>(static_cast<std::uint8_t*>(scales_.data), sizes_.scale_bytes,
                                     one.source->bias == 15 ? 121 : 115,
                                     one.source->bias == 15 ? 6 : 24);
    require(cudaDeviceSynchronize(), "fill");
  }

  [[nodiscard]] std::size_t traffic() const {
    return sizes_.source_bytes + sizes_.code_bytes + sizes_.scale_bytes;
  }

  void run() const {
    const fast::Status outcome =
        plan_.launch(nullptr, layout_, {codes_.data, scales_.data}, words_.data);
    if (outcome) return;
    std::fprintf(stderr, "gpu_rates: %s: %s\n", case_.name, std::string(outcome.detail).c_str());
    std::exit(1);
  }

  [[nodiscard]] bool is_right() const {
    run();
    require(cudaDeviceSynchronize(), case_.name);
    std::vector<std::byte> codes(sizes_.code_bytes);
    std::vector<std::byte> scales(sizes_.scale_bytes);
    std::vector<std::byte> words(sizes_.source_bytes);
    std::vector<std::byte> got(words.size());
    const auto copy = [](std::vector<std::byte>& to, const void* from) {
      require(cudaMemcpy(to.data(), from, to.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    };
    copy(codes, codes_.data);
    copy(scales, scales_.data);
    copy(got, words_.data);
    const fast::Status outcome =
        plan_.run_on_host(layout_, {codes.data(), scales.data()}, words.data());
    return outcome && words == got;
  }

 private:
  const Case& case_;
  const fast::StreamDecodePlan& plan_;
  fast::StreamLayout layout_;
  fast::StreamSizes sizes_;
  DeviceBuffer codes_;
  DeviceBuffer scales_;
  DeviceBuffer words_;
};

/// Milliseconds of work on the default stream.
template <class Work>
float time_of(cudaEvent_t begin, cudaEvent_t end, const Work& work) {
  require(cudaEventRecord(begin), "cudaEventRecord");
  work();
  require(cudaEventRecord(end), "cudaEventRecord");
  require(cudaEventSynchronize(end), "cudaEventSynchronize");
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  return milliseconds;
}

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

template <class Measured>
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

int main() {
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
  using Encoder = fast::WordJudge::Encoder;
  all_right = measure_judge(Encoder::kAsBlocks, "judge fp32 to e4m3fn, short") && all_right;
  all_right = measure_judge(Encoder::kGeneral, "judge fp32 to e4m3fn, general") && all_right;
  return all_right ? 0 : 1;
}

// U2: rows of fp32 to mxfp8_e4m3, ours beside microxcaling's kernel.
#pragma once

#include <vector>

#include "bench/gpu/microxcaling.hpp"
#include "bench/gpu/quantize.cuh"
#include "reference/format/rows.hpp"

namespace mx::bench {

class BesideMicroxcaling {
 public:
  explicit BesideMicroxcaling(const Shape& shape)
      : count_(shape.rows * shape.columns),
        plan_(fast::StreamPlan::make(
                  {.source = formats::fp32, .format = format(), .element = {}, .block = {}})
                  .value()),
        rows_(plan_, {{shape.rows, shape.columns, 1}, false, false, false}),
        words_(rows_.sizes.source_bytes),
        theirs_(rows_.sizes.source_bytes) {
    fill(words_, formats::fp32, count_);
    require(cudaDeviceSynchronize(), "fill");
  }

  void run() const {
    const fast::Status outcome = plan_.launch(nullptr, rows_.layout, words_.data, rows_.results());
    if (outcome) return;
    std::fprintf(stderr, "gpu_rates: U2: %s\n", std::string(outcome.detail).c_str());
    std::exit(1);
  }
  void run_theirs() const {
    microxcaling_mxfp8(static_cast<const float*>(words_.data), static_cast<float*>(theirs_.data),
                       count_);
  }

  [[nodiscard]] double count() const { return static_cast<double>(count_); }

  /// Are our codes times their scales its values? It drops the signs of zeros.
  [[nodiscard]] bool is_right() const {
    run();
    run_theirs();
    require(cudaDeviceSynchronize(), "U2");
    const std::vector<std::byte> codes = copied(rows_.codes, rows_.sizes.code_bytes);
    const std::vector<std::byte> scales = copied(rows_.scales, rows_.sizes.scale_bytes);
    const auto back =
        fast::StreamDequantizePlan::make({.format = format(), .output = formats::fp32}).value();
    std::vector<float> ours(count_);
    return back.run_on_host(rows_.layout, {codes.data(), scales.data()},
                            reinterpret_cast<std::byte*>(ours.data())) &&
           ours == copied<float>(theirs_, count_);
  }

 private:
  static mx::BlockFormat format() {
    return {.name = "timed", .element = formats::e4m3fn, .scale = formats::e8m0};
  }

  std::size_t count_;
  fast::StreamPlan plan_;
  Direction rows_;
  DeviceBuffer words_;
  DeviceBuffer theirs_;
};

}  // namespace mx::bench

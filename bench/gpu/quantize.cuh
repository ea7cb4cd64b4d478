// Plans of blocks under power-of-two scales on a device, there and back: their buffers, their
// traffic, and whether they give what the host's arithmetic gives.
#pragma once

#include <string>
#include <vector>

#include "bench/gpu/device.cuh"
#include "fast/cuda_dequantize/stream.hpp"

namespace mx::bench {

struct Case {
  const char* name;
  const mx::ElementFormat* source;
  const mx::ElementFormat* element;
  enum { kRows, kColumns, kBoth, kRowsBack, kColumnsBack } direction;
  bool packed;
  bool swizzled;
  double goal;  ///< of the copy's rate; 0: none
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
    fill(source_, *one.source, shape.rows * shape.columns);
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
    const std::vector<std::byte> words = copied(source_, d.sizes.source_bytes);
    const std::vector<std::byte> got_codes = copied(d.codes, d.sizes.code_bytes);
    const std::vector<std::byte> got_scales = copied(d.scales, d.sizes.scale_bytes);
    std::vector<std::byte> codes(got_codes.size());
    std::vector<std::byte> scales(got_scales.size());
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
  BackMeasurement(const Case& one, const Shape& shape, const fast::StreamDequantizePlan& plan)
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
    const std::vector<std::byte> codes = copied(codes_, sizes_.code_bytes);
    const std::vector<std::byte> scales = copied(scales_, sizes_.scale_bytes);
    const std::vector<std::byte> got = copied(words_, sizes_.source_bytes);
    std::vector<std::byte> words(got.size());
    const fast::Status outcome =
        plan_.run_on_host(layout_, {codes.data(), scales.data()}, words.data());
    return outcome && words == got;
  }

 private:
  const Case& case_;
  const fast::StreamDequantizePlan& plan_;
  fast::StreamLayout layout_;
  fast::StreamSizes sizes_;
  DeviceBuffer codes_;
  DeviceBuffer scales_;
  DeviceBuffer words_;
};

}  // namespace mx::bench

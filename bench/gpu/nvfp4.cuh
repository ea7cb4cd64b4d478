// Plans of NVFP4 on a device, there and back, as quantize.cuh has the others.
#pragma once

#include <string>
#include <vector>

#include "bench/gpu/device.cuh"
#include "fast/cuda_nvfp4/stream.hpp"

namespace mx::bench {

struct Nvfp4Rate {
  const char* name;
  const mx::ElementFormat* source;
  mx::ScaleRule rule;
  bool columns;
  bool back;
  bool swizzled;
  double goal = 0;          ///< of the copy's rate; 0: none
  bool both = false;        ///< directions from one read
  bool transforms = false;  ///< by a Hadamard matrix; of both directions, the columns
  mx::Rounding rounding = mx::Rounding::kTiesToEven;
};

/// NVFP4 with packed codes, there or back, by the plan's tensor number.
class Nvfp4Measurement {
 public:
  Nvfp4Measurement(const Nvfp4Rate& one, const Shape& shape, const fast::Nvfp4Plan& plan)
      : case_(one),
        plan_(plan),
        layout_(
            one.columns
                ? fast::StreamLayout{{1, shape.rows, shape.columns}, true, true, one.swizzled}
                : fast::StreamLayout{{shape.rows, shape.columns, 1}, false, true, one.swizzled}),
        sizes_(plan.sizes(layout_)),
        words_(sizes_.source_bytes),
        codes_(sizes_.code_bytes),
        scales_(sizes_.scale_bytes) {
    fill(words_, *one.source, shape.rows * shape.columns);
    fill_bytes_kernel<<<4096, 256>>>(static_cast<std::uint8_t*>(codes_.data), sizes_.code_bytes, 0,
                                     256);
    fill_bytes_kernel<<<4096, 256>>>(static_cast<std::uint8_t*>(scales_.data), sizes_.scale_bytes,
                                     40, 32);
    require(cudaDeviceSynchronize(), "fill");
  }

  [[nodiscard]] std::size_t traffic() const {
    return sizes_.source_bytes + sizes_.code_bytes + sizes_.scale_bytes;
  }

  void run() const {
    const fast::Status outcome =
        case_.back ? plan_.dequantize(nullptr, layout_, {codes_.data, scales_.data}, words_.data)
                   : plan_.quantize(nullptr, layout_, words_.data, {codes_.data, scales_.data});
    if (outcome) return;
    std::fprintf(stderr, "gpu_rates: %s: %s\n", case_.name, std::string(outcome.detail).c_str());
    std::exit(1);
  }

  [[nodiscard]] bool is_right() const {
    run();
    require(cudaDeviceSynchronize(), case_.name);
    std::vector<std::byte> words = copied(words_, sizes_.source_bytes);
    std::vector<std::byte> codes = copied(codes_, sizes_.code_bytes);
    std::vector<std::byte> scales = copied(scales_, sizes_.scale_bytes);
    const std::vector<std::byte> got[] = {words, codes, scales};
    const fast::Status outcome =
        case_.back ? plan_.dequantize_on_host(layout_, {codes.data(), scales.data()}, words.data())
                   : plan_.quantize_on_host(layout_, words.data(), {codes.data(), scales.data()});
    return outcome && words == got[0] && codes == got[1] && scales == got[2];
  }

 private:
  const Nvfp4Rate& case_;
  const fast::Nvfp4Plan& plan_;
  fast::StreamLayout layout_;
  fast::StreamSizes sizes_;
  DeviceBuffer words_;
  DeviceBuffer codes_;
  DeviceBuffer scales_;
};

/// Both directions of NVFP4 from one read with packed codes, `along` by rows and `down` by columns.
class Nvfp4BothMeasurement {
 public:
  Nvfp4BothMeasurement(const Nvfp4Rate& one, const Shape& shape, const fast::Nvfp4Plan& along,
                       const fast::Nvfp4Plan& down)
      : case_(one),
        plans_{&along, &down},
        layouts_{{{shape.rows, shape.columns, 1}, false, true, one.swizzled},
                 {{1, shape.rows, shape.columns}, true, true, one.swizzled}},
        sizes_{along.sizes(layouts_[0]), down.sizes(layouts_[1])},
        words_(sizes_[0].source_bytes),
        codes_{DeviceBuffer(sizes_[0].code_bytes), DeviceBuffer(sizes_[1].code_bytes)},
        scales_{DeviceBuffer(sizes_[0].scale_bytes), DeviceBuffer(sizes_[1].scale_bytes)} {
    both_.rows = shape.rows;
    both_.columns = shape.columns;
    both_.packed = true;
    both_.swizzled = one.swizzled;
    both_.source = words_.data;
    both_.along_rows = {codes_[0].data, scales_[0].data};
    both_.down_columns = {codes_[1].data, scales_[1].data};
    fill(words_, *one.source, shape.rows * shape.columns);
    require(cudaDeviceSynchronize(), "fill");
  }

  [[nodiscard]] std::size_t traffic() const {
    std::size_t bytes = sizes_[0].source_bytes;
    for (const fast::StreamSizes& each : sizes_) bytes += each.code_bytes + each.scale_bytes;
    return bytes;
  }

  void run() const {
    const fast::Status outcome = plans_[0]->quantize_both(nullptr, *plans_[1], both_);
    if (outcome) return;
    std::fprintf(stderr, "gpu_rates: %s: %s\n", case_.name, std::string(outcome.detail).c_str());
    std::exit(1);
  }

  [[nodiscard]] bool is_right() const {
    run();
    require(cudaDeviceSynchronize(), case_.name);
    const std::vector<std::byte> words = copied(words_, sizes_[0].source_bytes);
    for (std::size_t d = 0; d < 2; ++d) {
      std::vector<std::byte> codes(sizes_[d].code_bytes);
      std::vector<std::byte> scales(sizes_[d].scale_bytes);
      const fast::Status outcome =
          plans_[d]->quantize_on_host(layouts_[d], words.data(), {codes.data(), scales.data()});
      if (!outcome || codes != copied(codes_[d], codes.size()) ||
          scales != copied(scales_[d], scales.size())) {
        return false;
      }
    }
    return true;
  }

 private:
  const Nvfp4Rate& case_;
  const fast::Nvfp4Plan* plans_[2];
  fast::StreamLayout layouts_[2];
  fast::StreamSizes sizes_[2];
  DeviceBuffer words_;
  DeviceBuffer codes_[2];
  DeviceBuffer scales_[2];
  fast::Nvfp4Both both_;
};

}  // namespace mx::bench

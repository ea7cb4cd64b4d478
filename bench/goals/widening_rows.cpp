// Blocks back to fp32: beside ml_dtypes, ggml and the copies.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "bench/goals/inputs.hpp"
#include "bench/goals/rows.hpp"
#include "bench/goals/values.hpp"
#include "bench/measure/memory.hpp"
#include "fast/dequantize/dequantize_plan.hpp"
#include "fast/packing/packing.hpp"
#include "reference/format/rows.hpp"

namespace mx::goals {

namespace {

fast::DequantizePlan plan_of(const ElementFormat& element) {
  return fast::DequantizePlan::make(
             {.format = {.name = "timed", .element = element, .scale = formats::e8m0},
              .output = formats::fp32})
      .value();
}

/// What mxfp8_e4m3 comes back from, and to.
struct Coded {
  explicit Coded(std::size_t size)
      : count(size),
        codes(finite_codes(formats::e4m3fn, size)),
        scales(middle_scales(size / kBlock)),
        values(size),
        theirs(size) {}
  std::size_t count;
  Array<std::uint8_t> codes;
  Array<std::uint8_t> scales;
  Array<float> values;  ///< ours
  Array<float> theirs;
};

Work mxfp8_work(const Coded& arrays) {
  Work work;
  work.ours = [arrays, plan = plan_of(formats::e4m3fn)] {
    (void)plan.dequantize({1, arrays.count, 1}, arrays.codes.bytes(), arrays.scales.bytes(),
                          arrays.values.bytes());
  };
  work.from = arrays.codes.data();
  work.to = arrays.theirs.data();
  return work;
}

Work beside_ml_dtypes(std::size_t count) {
  const Coded arrays(count);
  Work work = mxfp8_work(arrays);
  work.difference = [arrays] {
    return first_difference(arrays.count, [&](std::size_t i) {
      const float theirs = arrays.theirs[i] * scale_value(arrays.scales[i / kBlock]);
      return Pair{arrays.values[i], theirs, is_same(arrays.values[i], theirs)};
    });
  };
  work.mask = "its cast knows no scales: they are applied in the comparison, not in its time";
  return work;
}

Work beside_widening(std::size_t count) {
  const Coded arrays(count);
  Work work = mxfp8_work(arrays);
  work.difference = [arrays] {
    return first_difference(arrays.count, [&](std::size_t i) {
      const std::uint32_t word = std::uint32_t{arrays.codes[i]} << 24;
      const auto theirs = std::bit_cast<std::uint32_t>(arrays.theirs[i]);
      return Pair{static_cast<double>(word), static_cast<double>(theirs), word == theirs};
    });
  };
  work.mask = "the copy's words are checked";
  return work;
}

/// The goal's own words: beside the copy the other way, of as many elements.
Work beside_narrowing(std::size_t count) {
  const Coded arrays(count);
  const Array<float> words = single_values(count);
  const Array<std::uint8_t> bytes(count);
  Work work = mxfp8_work(arrays);
  work.from = words.data();
  work.to = bytes.data();
  work.difference = [count, words, bytes] {
    return first_difference(count, [&](std::size_t i) {
      const std::uint32_t top = std::bit_cast<std::uint32_t>(words[i]) >> 24;
      return Pair{static_cast<double>(top), static_cast<double>(bytes[i]), top == bytes[i]};
    });
  };
  work.mask = "a copy that reads 4 bytes and writes 1, where ours reads 1 and writes 4";
  return work;
}

/// ggml's blocks, and the same codes and scales in arrays of our packing.
class PackedDequantizer {
 public:
  explicit PackedDequantizer(std::size_t count)
      : count_(count),
        scales_(middle_scales(count / kBlock)),
        packed_(count / 2),
        blocks_(count / kBlock * 17),
        values_(count),
        theirs_(count) {
    const Array<std::uint8_t> codes = finite_codes(formats::e2m1fn, count);
    (void)fast::pack_codes(fast::CodePacking::kNibbleLowFirst, codes.bytes(), packed_.bytes());
    for (std::size_t block = 0; block < count / kBlock; ++block) {
      std::uint8_t* const to = blocks_.data() + 17 * block;
      const std::uint8_t* const from = codes.data() + kBlock * block;
      to[0] = scales_[block];
      for (std::size_t i = 0; i < 16; ++i) {
        to[1 + i] = static_cast<std::uint8_t>(from[i] | from[i + 16] << 4);
      }
    }
  }

  void run() const {
    for (std::size_t i = 0; i < count_; i += kTile) {
      const std::size_t size = std::min(kTile, count_ - i);
      const std::span<std::byte> tile = tile_.bytes().first(size);
      (void)fast::unpack_codes(fast::CodePacking::kNibbleLowFirst,
                               packed_.bytes().subspan(i / 2, size / 2), tile);
      (void)plan_.dequantize({1, size, 1}, tile, scales_.bytes().subspan(i / kBlock, size / kBlock),
                             values_.bytes().subspan(4 * i, 4 * size));
    }
  }

  [[nodiscard]] const std::uint8_t* blocks() const { return blocks_.data(); }
  [[nodiscard]] float* theirs() const { return theirs_.data(); }

  [[nodiscard]] std::string difference() const {
    return first_difference(count_, [&](std::size_t i) {
      return Pair{values_[i], theirs_[i], is_same(values_[i], theirs_[i], true)};
    });
  }

 private:
  static constexpr std::size_t kTile = 1U << 13;

  std::size_t count_;
  Array<std::uint8_t> scales_;
  Array<std::uint8_t> packed_;
  Array<std::uint8_t> blocks_;
  Array<float> values_;
  Array<float> theirs_;
  Array<std::uint8_t> tile_{kTile};
  fast::DequantizePlan plan_ = plan_of(formats::e2m1fn);
};

Work beside_ggml(std::size_t count) {
  const auto packed = std::make_shared<const PackedDequantizer>(count);
  Work work;
  work.ours = [packed] { packed->run(); };
  work.from = packed->blocks();
  work.to = packed->theirs();
  work.difference = [packed] { return packed->difference(); };
  work.mask = "signs of zeros (it drops them); codes packed on both sides";
  return work;
}

}  // namespace

std::vector<RowPlan> widening_rows(const Setting& setting) {
  const std::string mxfp8 = "mxfp8_e4m3 to fp32";
  const std::string mxfp4 = "packed mxfp4 to fp32";
  return {{"C6", mxfp8, 10, setting.small, "ml_dtypes", "from_e4m3fn", beside_ml_dtypes},
          {"C6", mxfp8, 0, setting.large, "ml_dtypes", "from_e4m3fn", beside_ml_dtypes},
          {"C6", mxfp4, 4, setting.small, "ggml", "from_mxfp4", beside_ggml},
          {"C6", mxfp4, 0, setting.large, "ggml", "from_mxfp4", beside_ggml},
          {"C8", mxfp8 + " / widening copy", 0.9, setting.large, "limits", "widen_copy",
           beside_widening},
          {"C8", mxfp8 + " / narrowing copy", 0.9, setting.large, "limits", "narrow_copy",
           beside_narrowing}};
}

}  // namespace mx::goals

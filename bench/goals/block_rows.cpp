// Blocks of 32 from fp32: beside microxcaling and ggml, the narrowing copy, and one thread beside
// two.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "bench/goals/inputs.hpp"
#include "bench/goals/rows.hpp"
#include "bench/goals/values.hpp"
#include "bench/measure/memory.hpp"
#include "fast/cpu/block_plan.hpp"
#include "fast/packing/packing.hpp"
#include "reference/format/rows.hpp"

namespace mx::goals {

namespace {

/// What a row of blocks works on.
struct Blocks {
  explicit Blocks(std::size_t size)
      : count(size),
        values(block_values(size)),
        codes(size),
        scales(size / kBlock),
        theirs(size * sizeof(float)) {}
  std::size_t count;
  Array<float> values;
  Array<std::uint8_t> codes;   ///< ours
  Array<std::uint8_t> scales;  ///< ours
  Array<std::uint8_t> theirs;  ///< room for a word of the peer each
};

fast::BlockPlan plan_of(const ElementFormat& element) {
  return fast::BlockPlan::make(
             {.source = formats::fp32,
              .format = {.name = "timed", .element = element, .scale = formats::e8m0},
              .element = {},
              .block = {}})
      .value();
}

Work mxfp8_work(const Blocks& arrays) {
  Work work;
  work.ours = [arrays, plan = plan_of(formats::e4m3fn)] {
    (void)plan.quantize({1, arrays.count, 1}, arrays.values.bytes(), arrays.codes.bytes(),
                        arrays.scales.bytes());
  };
  work.from = arrays.values.data();
  work.to = arrays.theirs.data();
  return work;
}

Array<float> largest_magnitudes(const Array<float>& values) {
  const Array<float> largest(values.size() / kBlock);
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest[i / kBlock] = std::max(largest[i / kBlock], std::abs(values[i]));
  }
  return largest;
}

Work beside_microxcaling(std::size_t count, const char* mask) {
  const Blocks arrays(count);
  const Array<float> largest = largest_magnitudes(arrays.values);
  Work work = mxfp8_work(arrays);
  work.aside = largest.data();
  // Holds `largest` as well.
  work.difference = [arrays, largest, values = values_of(formats::e4m3fn)] {
    return first_difference(arrays.count, [&](std::size_t i) {
      const float ours = values[arrays.codes[i]] * scale_value(arrays.scales[i / kBlock]);
      const float theirs = reinterpret_cast<const float*>(arrays.theirs.data())[i];
      return Pair{ours, theirs, is_same(ours, theirs, true)};
    });
  };
  work.mask = std::string("signs of zeros (it drops them); it writes fp32; ") + mask;
  return work;
}

/// Codes of a tile, then packed: as many bytes out as the peer writes.
class PackedQuantizer {
 public:
  explicit PackedQuantizer(const Blocks& arrays) : arrays_(arrays), packed_(arrays.count / 2) {}

  void run() const {
    for (std::size_t i = 0; i < arrays_.count; i += kTile) {
      const std::size_t size = std::min(kTile, arrays_.count - i);
      const std::span<std::byte> tile = tile_.bytes().first(size);
      (void)plan_.quantize({1, size, 1}, arrays_.values.bytes().subspan(4 * i, 4 * size), tile,
                           arrays_.scales.bytes().subspan(i / kBlock, size / kBlock));
      (void)fast::pack_codes(fast::CodePacking::kNibbleLowFirst, tile,
                             packed_.bytes().subspan(i / 2, size / 2));
    }
  }

  [[nodiscard]] std::string difference() const {
    return first_difference(arrays_.count, [&](std::size_t i) {
      const std::size_t block = i / kBlock;
      const std::size_t lane = i % kBlock;
      const std::uint8_t* const theirs = arrays_.theirs.data() + 17 * block;
      const unsigned their_code = theirs[1 + lane % 16] >> (lane < 16 ? 0 : 4) & 15;
      const unsigned our_code = packed_[i / 2] >> (i % 2 == 0 ? 0 : 4) & 15;
      const double x = arrays_.values[i];
      const double ours = values_[our_code] * scale_value(arrays_.scales[block]);
      const double their = values_[their_code] * scale_value(theirs[0]);
      const bool is_equal = theirs[0] == arrays_.scales[block] && ours == their;
      const bool is_tie = std::abs(x - ours) == std::abs(x - their);
      return Pair{ours, their, is_equal || is_tie || !is_in_its_range(block)};
    });
  }

 private:
  static constexpr std::size_t kTile = 1U << 13;

  /// Below 2^-125 its scale code wraps round.
  [[nodiscard]] bool is_in_its_range(std::size_t block) const {
    const float* const values = arrays_.values.data() + block * kBlock;
    return std::any_of(values, values + kBlock, [](float x) { return std::abs(x) >= 0x1p-125F; });
  }

  Blocks arrays_;
  Array<std::uint8_t> packed_;
  Array<std::uint8_t> tile_{kTile};
  fast::BlockPlan plan_ = plan_of(formats::e2m1fn);
  std::array<float, 256> values_ = values_of(formats::e2m1fn);
};

Work beside_ggml(std::size_t count) {
  const Blocks arrays(count);
  const auto quantizer = std::make_shared<const PackedQuantizer>(arrays);
  Work work = mxfp8_work(arrays);
  work.ours = [quantizer] { quantizer->run(); };
  work.difference = [quantizer] { return quantizer->difference(); };
  work.mask =
      "ties (it takes the lower magnitude), signs of zeros, blocks below 2^-125 (its scale code "
      "wraps); codes packed on both sides";
  return work;
}

Work beside_copy(std::size_t count) {
  const Blocks arrays(count);
  Work work = mxfp8_work(arrays);
  work.difference = [arrays] {
    return narrowed_difference(arrays.values.span(), arrays.theirs.span());
  };
  work.mask = "the copy's bytes are checked";
  return work;
}

/// C12: one call of ours by two threads, and by one.
Row two_threads(const Setting& setting) {
  const std::size_t count = 2 * setting.small;
  const Blocks arrays(count);
  const Array<std::uint8_t> codes(count);
  const fast::BlockPlan plan = plan_of(formats::e4m3fn);
  const auto quantize = [arrays, plan](const Array<std::uint8_t>& to, int threads) {
    (void)plan.quantize({1, arrays.count, 1}, arrays.values.bytes(), to.bytes(),
                        arrays.scales.bytes(), {}, threads);
  };
  Row row{.id = "C12",
          .what = "fp32 to blocks of e4m3fn by two threads / by one, " +
                  std::to_string(setting.small) + " elements each",
          .goal = 1.9};
  row.clock = Clock::kWall;
  row.items = static_cast<double>(count);
  row.ours = {"two threads", [=] { quantize(arrays.codes, 2); }};
  row.theirs = {{"one thread", [=] { quantize(codes, 1); }}};
  row.difference = [=] {
    return first_difference(count, [&](std::size_t i) {
      return Pair{static_cast<double>(arrays.codes[i]), static_cast<double>(codes[i]),
                  arrays.codes[i] == codes[i]};
    });
  };
  row.mask = "wall time";
  return row;
}

}  // namespace

std::vector<RowPlan> block_rows(const Setting& setting) {
  const std::string mxfp8 = "fp32 to mxfp8_e4m3";
  const std::string mxfp4 = "fp32 to mxfp4, packed";
  const auto handed = [](std::size_t count) {
    return beside_microxcaling(count, "it is handed the maxima, which we search");
  };
  const auto whole = [](std::size_t count) {
    return beside_microxcaling(count, "the maxima are found in its time, by a loop of ours");
  };
  return {
      {"C1", mxfp8, 10, setting.small, "microxcaling", "mxfp8", handed},
      {"C1", mxfp8, 0, setting.large, "microxcaling", "mxfp8", handed},
      {"C1", mxfp8 + ", maxima in both times", 0, setting.small, "microxcaling", "mxfp8_whole",
       whole},
      {"C5", mxfp4, 15, setting.small, "ggml", "to_mxfp4", beside_ggml},
      {"C5", mxfp4, 0, setting.large, "ggml", "to_mxfp4", beside_ggml},
      {"C7", mxfp8 + " / narrowing copy", 0.8, setting.large, "limits", "narrow_copy", beside_copy},
      {.id = "C12", .make = two_threads}};
}

}  // namespace mx::goals

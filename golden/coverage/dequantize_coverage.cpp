#include <algorithm>
#include <array>
#include <utility>

#include "golden/coverage/collectors.hpp"
#include "golden/coverpoints/result_points.hpp"
#include "golden/coverpoints/source_points.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::golden {
namespace {

/// Scales and codes of at most so many bits in all are witnessed by all their pairs.
constexpr int kExhaustiveBits = 18;
/// Codes of at most so many bits have a bin in each lane.
constexpr int kLaneCodeBits = 8;
/// Lanes from this one on share a bin.
constexpr std::size_t kLanesApart = 1024;

/// What became of an element, without the sign.
constexpr std::array<std::string_view, 12> kOutcomes = {
    "zero_of_zero", "zero_of_number",   "subnormal",          "min_normal",         "normal",
    "max_normal",   "infinity_of_zero", "infinity_of_number", "infinity_of_itself", "nan_of_itself",
    "nan_of_scale", "nan_of_overflow"};
enum Outcome : std::size_t {
  kZeroOfZero,
  kZeroOfNumber,
  kSubnormal,
  kMinNormal,
  kNormal,
  kMaxNormal,
  kInfinityOfZero,
  kInfinityOfNumber,
  kInfinityOfItself,
  kNanOfItself,
  kNanOfScale,
  kNanOfOverflow
};

class DequantizeCollector final : public Collector {
 public:
  using Collector::sample;
  DequantizeCollector(const DequantizeCase& what, std::size_t lanes)
      : what_(what),
        scale_classes_(what.format.scale),
        element_classes_(what.format.element),
        result_classes_(what.result),
        element_(what.format.element) {
    const int scale_bits = what.format.scale_bits();
    if (scale_bits <= 10) {
      for (std::uint64_t code = 0; code >> scale_bits == 0; ++code) {
        scale_.bins.push_back({code_name(code), 0, Reach::kOpen});
      }
    }
    make_pairs();
    make_lanes(std::min(lanes, kLanesApart + 1));
    // Bits of sublevels act by lane; their scales are too wide to walk through anyway.
    if (scale_bits + what.format.element.bits <= kExhaustiveBits) make_outcomes();
  }

  void sample(const RecordBatch& batch, std::size_t i, const NotCompared& open) override {
    const std::uint64_t scale = batch.word(Field::kAScale, i);
    if (!scale_.bins.empty()) scale_.hit(static_cast<std::size_t>(scale));
    const std::size_t n = batch.elements(Field::kA, i);
    for (std::size_t lane = 0; lane < n; ++lane) {
      const std::uint64_t code = batch.of(Field::kA, i)[lane];
      sample_element(scale, code, lane);
      if (outcome_.bins.empty() || open.code(lane)) continue;
      outcome_.hit(outcome_of(scale, code, batch.of(Field::kCode, i)[lane]));
    }
  }

  [[nodiscard]] std::vector<Coverpoint> points() const override {
    std::vector<Coverpoint> points;
    for (const Coverpoint* point : {&scale_, &pair_, &lane_code_, &lane_bit_, &outcome_}) {
      if (!point->bins.empty()) points.push_back(*point);
    }
    element_.append_to(points);
    return points;
  }

 private:
  static std::string code_name(std::uint64_t code) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string name;
    for (int shift = code > 0xFF ? 8 : 4; shift >= 0; shift -= 4) {
      name += kDigits[code >> shift & 15];
    }
    return name;
  }

  void make_pairs() {
    for (std::size_t s = 0; s < SourceClasses::kCount; ++s) {
      if (scale_classes_.is_empty(s)) continue;
      scale_index_[s] = pair_.bins.size();
      for (std::size_t e = 0; e < SourceClasses::kCount; ++e) {
        const bool is_empty = element_classes_.is_empty(e);
        pair_.bins.push_back({SourceClasses::name(s) + " " + SourceClasses::name(e), 0,
                              is_empty ? Reach::kUnreachable : Reach::kOpen});
      }
    }
  }

  void make_lanes(std::size_t lanes) {
    const int bits = what_.format.element.bits;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::string name = std::to_string(lane) + (lane == kLanesApart ? "+." : ".");
      if (bits <= kLaneCodeBits) {
        for (std::uint64_t code = 0; code >> bits == 0; ++code) {
          lane_code_.bins.push_back({name + code_name(code), 0, Reach::kOpen});
        }
        continue;
      }
      for (int bit = 0; bit < bits; ++bit) {
        for (const char* value : {"=0", "=1"}) {
          lane_bit_.bins.push_back({name + std::to_string(bit) + value, 0, Reach::kOpen});
        }
      }
    }
  }

  /// Every pair of a scale and a code stands for every input: lanes are alike without sublevels.
  void make_outcomes() {
    for (const char* sign : {"+", "-"}) {
      for (const std::string_view name : kOutcomes) {
        outcome_.bins.push_back({sign + std::string(name), 0, Reach::kOpen});
      }
    }
    Coverpoint witnesses = outcome_;
    const Quantizer blocks = Quantizer::make(what_.blocks()).value();
    for (std::uint64_t scale = 0; scale >> what_.format.scale_bits() == 0; ++scale) {
      for (std::uint64_t code = 0; code <= what_.format.element.code_mask(); ++code) {
        std::uint64_t value = 0;
        blocks.dequantize_block(scale, std::span(&code, 1), what_.result, std::span(&value, 1),
                                what_.how);
        witnesses.hit(outcome_of(scale, code, value));
      }
    }
    outcome_.exclude_what(witnesses);
  }

  void sample_element(std::uint64_t scale, std::uint64_t code, std::size_t lane) {
    const ElementFormat& format = what_.format.element;
    const ScaleFormat& of_scale = what_.format.scale;
    const std::size_t s = scale_classes_.index(decode(of_scale, scale & of_scale.code_mask()));
    pair_.hit(scale_index_[s] + element_classes_.index(decode(format, code)));
    element_.sample(code);
    const std::size_t at = std::min(lane, kLanesApart);
    const auto bits = static_cast<std::size_t>(format.bits);
    if (!lane_code_.bins.empty()) lane_code_.hit((at << bits) + static_cast<std::size_t>(code));
    for (std::size_t bit = 0; bit < bits && !lane_bit_.bins.empty(); ++bit) {
      lane_bit_.hit(2 * (at * bits + bit) + (code >> bit & 1));
    }
  }

  [[nodiscard]] std::size_t outcome_of(std::uint64_t scale, std::uint64_t code,
                                       std::uint64_t value) const {
    const Unpacked from = decode(what_.format.element, code);
    const Unpacked to = decode(what_.result, value);
    const ScaleFormat& of_scale = what_.format.scale;
    const bool has_nan_scale =
        decode(of_scale, scale & of_scale.code_mask()).cls == ValueClass::kNan;
    return (to.negative ? kOutcomes.size() : 0) + kind_of(from, to, has_nan_scale);
  }
  [[nodiscard]] std::size_t kind_of(const Unpacked& from, const Unpacked& to,
                                    bool has_nan_scale) const {
    switch (to.cls) {
      case ValueClass::kZero:
        return from.cls == ValueClass::kZero ? kZeroOfZero : kZeroOfNumber;
      case ValueClass::kInf:
        return from.cls == ValueClass::kZero  ? kInfinityOfZero
               : from.cls == ValueClass::kInf ? kInfinityOfItself
                                              : kInfinityOfNumber;
      case ValueClass::kNan:
        return has_nan_scale                  ? kNanOfScale
               : from.cls == ValueClass::kNan ? kNanOfItself
                                              : kNanOfOverflow;
      case ValueClass::kFinite:
        break;
    }
    const std::string name = SourceClasses::name(result_classes_.index(to)).substr(1);
    if (name.ends_with("subnormal")) return kSubnormal;
    return name == "min_normal" ? kMinNormal : name == "max_normal" ? kMaxNormal : kNormal;
  }

  DequantizeCase what_;
  SourceClasses scale_classes_, element_classes_, result_classes_;
  Coverpoint scale_{"scale", "every scale code"};
  Coverpoint pair_{"scale_x_element", "sign and kind of the scale and of an element"};
  Coverpoint lane_code_{"lane_code", "every code in each lane"};
  Coverpoint lane_bit_{"lane_bit", "each bit of each lane, set and clear"};
  Coverpoint outcome_{"outcome", "sign and kind of a value, and what it comes from"};
  CodePoint element_;
  std::array<std::size_t, SourceClasses::kCount> scale_index_{};
};

}  // namespace

std::unique_ptr<Collector> make_dequantize_collector(const DequantizeCase& what,
                                                     std::size_t lanes) {
  return std::make_unique<DequantizeCollector>(what, lanes);
}

}  // namespace mx::golden

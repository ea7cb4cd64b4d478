#include "golden/coverpoints/block_shape_points.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "golden/points/gaps.hpp"

namespace mx::golden {
namespace {

constexpr std::array<std::string_view, 4> kTies = {"1", "2", "some", "all"};

/// Lanes from this one on share a bin, so that a block of millions has bins by the thousand.
constexpr std::size_t kLanesApart = 1024;

std::size_t bin_of(std::size_t lane) { return std::min(lane, kLanesApart); }

std::string lane_name(std::size_t bin, std::size_t first) {
  return std::to_string(first + bin) + (bin == kLanesApart ? "+" : "");
}

void number_bins(Coverpoint& point, std::size_t first, std::size_t lanes, Reach reach) {
  for (std::size_t bin = 0; bin <= bin_of(lanes - 1); ++bin) {
    point.bins.push_back({lane_name(bin, first), 0, reach});
  }
}

bool is_number(const Unpacked& value) {
  return value.cls == ValueClass::kZero || value.cls == ValueClass::kFinite;
}

/// The largest magnitude of the numbers; zero where there is none.
Unpacked largest(std::span<const Unpacked> values) {
  Unpacked most;
  for (const Unpacked& value : values) {
    if (is_number(value) && compare_magnitude(value, most) > 0) most = value;
  }
  return most;
}

}  // namespace

std::optional<BlockShape> shape_of(const ElementFormat& source, std::span<const Unpacked> values) {
  if (!std::ranges::all_of(values, is_number)) return {};
  const Unpacked most = largest(values);
  if (most.cls == ValueClass::kZero) return BlockShape::kAllZero;
  if (source.kind == FormatKind::kFloat && most.exponent < source.emin()) {
    return BlockShape::kAllSubnormal;
  }
  const auto lanes_that_count = std::ranges::count_if(
      values, [](const Unpacked& value) { return value.cls == ValueClass::kFinite; });
  return lanes_that_count == 1 ? BlockShape::kOneLane : BlockShape::kOrdinary;
}

BlockShapePoints::BlockShapePoints(const ElementFormat& source, std::size_t lanes, Lengths lengths,
                                   int widest_spread)
    : source_(source),
      argmax_("argmax", "the first lane that holds the largest magnitude"),
      ties_("ties", "how many lanes hold the largest magnitude"),
      spread_("spread", "binades from the largest magnitude down to each other lane"),
      nan_lane_("nan_lane", "each lane with a NaN"),
      infinity_lane_("infinity_lane", "each lane with an infinity"),
      kind_("kind", "what the block is made of"),
      length_("length", "how many lanes take part"),
      lane_bit_("lane_bit", "each bit of each lane, set and clear") {
  const auto reach = [](bool is_possible) {
    return is_possible ? Reach::kOpen : Reach::kUnreachable;
  };
  number_bins(argmax_, 0, lanes, Reach::kOpen);
  number_bins(nan_lane_, 0, lanes, reach(source.has_nan()));
  number_bins(infinity_lane_, 0, lanes, reach(source.has_inf()));
  for (const std::string_view name : kTies) {
    const bool is_possible = name == "1" || (name == "some" ? lanes > 3 : lanes > 1);
    ties_.bins.push_back({std::string(name), 0, reach(is_possible && (name != "2" || lanes > 2))});
  }
  const bool has_subnormals = source.kind == FormatKind::kFloat && source.has_subnormal;
  for (const Token<BlockShape>& shape : tokens<BlockShape>()) {
    const bool is_possible = shape.value != BlockShape::kAllSubnormal || has_subnormals;
    kind_.bins.push_back({std::string(shape.text), 0, reach(is_possible)});
  }
  const SourceGrid grid(source);
  const int range = decode(source, grid.code(false, grid.max())).exponent -
                    decode(source, grid.code(false, 1)).exponent;
  for (int d = 0; d <= widest_spread; ++d) {
    spread_.bins.push_back({std::to_string(d), 0, reach(d <= range)});
  }
  spread_.bins.push_back({"more", 0, reach(widest_spread < range)});
  spread_.bins.push_back({"zero", 0, Reach::kOpen});
  if (lengths == Lengths::kVary) number_bins(length_, 1, lanes, Reach::kOpen);
  for (std::size_t lane = 0; lane <= bin_of(lanes - 1); ++lane) {
    for (int bit = 0; bit < source.bits; ++bit) {
      const std::string name = lane_name(lane, 0) + "." + std::to_string(bit);
      for (const char* value : {"=0", "=1"}) {
        lane_bit_.bins.push_back({name + value, 0, Reach::kOpen});
      }
    }
  }
}

void BlockShapePoints::sample(std::span<const std::uint64_t> codes,
                              std::span<const Unpacked> values) {
  sample_bits(codes);
  if (!length_.bins.empty() && !values.empty()) length_.hit(bin_of(values.size() - 1));
  for (std::size_t lane = 0; lane < values.size(); ++lane) {
    if (values[lane].cls == ValueClass::kNan) nan_lane_.hit(bin_of(lane));
    if (values[lane].cls == ValueClass::kInf) infinity_lane_.hit(bin_of(lane));
  }
  const std::optional<BlockShape> shape = shape_of(source_, values);
  if (!shape) return;
  kind_.hit(static_cast<std::size_t>(*shape));
  if (*shape != BlockShape::kAllZero) sample_maximum(values, largest(values));
}

void BlockShapePoints::sample_maximum(std::span<const Unpacked> values, const Unpacked& most) {
  std::size_t first = values.size(), count = 0;
  const std::size_t more = spread_.bins.size() - 2, zero = spread_.bins.size() - 1;
  for (std::size_t lane = 0; lane < values.size(); ++lane) {
    if (values[lane].cls == ValueClass::kZero) {
      spread_.hit(zero);
      continue;
    }
    const auto distance = static_cast<std::size_t>(most.exponent - values[lane].exponent);
    spread_.hit(std::min(distance, more));
    if (compare_magnitude(values[lane], most) != 0) continue;
    first = std::min(first, lane);
    ++count;
  }
  argmax_.hit(bin_of(first));
  ties_.hit(count == 1 ? 0 : count == values.size() ? 3 : count == 2 ? 1 : 2);
}

void BlockShapePoints::sample_bits(std::span<const std::uint64_t> codes) {
  const auto bits = static_cast<std::size_t>(source_.bits);
  for (std::size_t lane = 0; lane < codes.size(); ++lane) {
    for (std::size_t bit = 0; bit < bits; ++bit) {
      lane_bit_.hit(2 * (bin_of(lane) * bits + bit) + (codes[lane] >> bit & 1));
    }
  }
}

void BlockShapePoints::append_to(std::vector<Coverpoint>& points) const {
  for (const Coverpoint* point :
       {&argmax_, &ties_, &spread_, &nan_lane_, &infinity_lane_, &kind_, &length_, &lane_bit_}) {
    if (!point->bins.empty()) points.push_back(*point);
  }
}

}  // namespace mx::golden

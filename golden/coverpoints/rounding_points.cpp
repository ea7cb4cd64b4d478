#include "golden/coverpoints/rounding_points.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "golden/points/sort_unique.hpp"

namespace mx::golden {
namespace {

constexpr std::array<std::string_view, 2> kSigns = {"+", "-"};
constexpr std::array<std::string_view, 4> kPositions = {"exact", "below_middle", "middle",
                                                        "above_middle"};
constexpr std::array<std::string_view, 3> kOffsets = {"-1", "0", "+1"};

std::string text_of(const Gap& gap, std::string_view end) {
  return std::to_string(gap.units) + std::string(end) + "*2^" + std::to_string(gap.exponent);
}

std::string join(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(text.empty() ? "" : " ").append(part);
  return text;
}

}  // namespace

Placed placed(const SourceGrid& grid, std::uint64_t magnitude, int shift) {
  const auto value = [&](std::uint64_t m) {
    return scaled(decode(grid.format(), grid.code(false, m)), shift);
  };
  const std::uint64_t below = magnitude - std::min<std::uint64_t>(magnitude, 1);
  return {value(magnitude), value(below), value(std::min(magnitude + 1, grid.max()))};
}

void RoundingPoints::add_step(Step step, const std::string& name) {
  step.bins = threshold_.bins.size();
  steps_.push_back(step);
  for (const std::string_view sign : kSigns) {
    for (const std::string_view offset : kOffsets) {
      threshold_.bins.push_back({join({sign, name, offset}), 0, Reach::kOpen});
    }
  }
}

RoundingPoints::RoundingPoints(const ElementFormat& destination)
    : ladder_(destination),
      position_("position", "sign x gap between results x place in the gap"),
      threshold_("threshold", "sign x result or middle x source ulps from it"),
      decision_("decision", "sign x lsb x guard x sticky x kind of the value below"),
      lone_bit_("lone_bit", "guard x distance of a single bit below it") {
  const std::span<const Gap> gaps = ladder_.gaps();
  const Unpacked normal = start_of(ladder_.normal());
  for (std::size_t g = 0; g < gaps.size(); ++g) {
    is_subnormal_.push_back(compare_magnitude(start_of(gaps[g]), normal) < 0);
    add_step({start_of(gaps[g]), g, 0}, text_of(gaps[g], ""));
    add_step({midpoint(gaps[g]), g, 1}, text_of(gaps[g], ".5"));
    for (const std::string_view sign : kSigns) {
      for (const std::string_view position : kPositions) {
        position_.bins.push_back({join({sign, text_of(gaps[g], ""), position}), 0, Reach::kOpen});
      }
    }
    if (g + 1 == gaps.size()) {
      add_step({end_of(gaps[g])}, text_of({gaps[g].units + 1, gaps[g].exponent}, ""));
    } else if (compare_magnitude(end_of(gaps[g]), start_of(gaps[g + 1])) != 0) {
      steps_.push_back({end_of(gaps[g])});  // gaps that are not listed follow
    }
  }
  for (const std::string_view kind : {"normal", "subnormal"}) {
    for (const std::string_view sign : kSigns) {
      for (const std::string_view lsb : {"lsb0", "lsb1"}) {
        for (const std::string_view guard : {"guard0", "guard1"}) {
          for (const std::string_view sticky : {"sticky0", "sticky1"}) {
            decision_.bins.push_back({join({kind, sign, lsb, guard, sticky}), 0, Reach::kOpen});
          }
        }
      }
    }
  }
  for (const std::string_view guard : {"guard0", "guard1"}) {
    for (int d = 1; d <= kDistances; ++d) {
      lone_bit_.bins.push_back({join({guard, std::to_string(d)}), 0, Reach::kOpen});
    }
  }
}

std::optional<std::size_t> RoundingPoints::step_of(const Unpacked& value) const {
  const auto above = std::ranges::partition_point(
      steps_, [&](const Step& step) { return compare_magnitude(step.at, value) <= 0; });
  if (above == steps_.begin()) return {};
  return static_cast<std::size_t>(above - steps_.begin()) - 1;
}

std::optional<Gap> RoundingPoints::gap_of(const Unpacked& value) const {
  const std::optional<std::size_t> step = step_of(value);
  if (!step || !steps_[*step].gap) return {};
  return ladder_.gaps()[*steps_[*step].gap];
}

void RoundingPoints::sample(const Placed& placed, bool negative) {
  const std::optional<std::size_t> at = step_of(placed.value);
  if (!at) return;
  sample_thresholds(placed, *at, negative);
  const Step& step = steps_[*at];
  if (!step.gap) return;
  const std::size_t sign = negative ? 1 : 0;
  const auto guard = static_cast<std::size_t>(step.half);
  const std::size_t sticky = compare_magnitude(placed.value, step.at) == 0 ? 0 : 1;
  position_.hit((*step.gap * 2 + sign) * kPositions.size() + 2 * guard + sticky);
  const std::size_t lsb = ladder_.gaps()[*step.gap].units & 1;
  const std::size_t kind = is_subnormal_[*step.gap] ? 1 : 0;
  decision_.hit((((kind * 2 + sign) * 2 + lsb) * 2 + guard) * 2 + sticky);
  if (sticky != 0) sample_lone_bit(placed.value, step);
}

void RoundingPoints::sample_thresholds(const Placed& placed, std::size_t step, bool negative) {
  const auto hit = [&](std::size_t s, std::size_t offset) {
    if (!steps_[s].bins) return;
    threshold_.hit(*steps_[s].bins + (negative ? kOffsets.size() : 0) + offset);
  };
  const bool is_on = compare_magnitude(placed.value, steps_[step].at) == 0;
  if (is_on) hit(step, 1);
  // One ulp above the threshold: it lies at the neighbour below or between the two.
  const bool has_below = is_on ? step != 0 : true;
  const std::size_t below = is_on ? step - 1 : step;
  if (has_below && compare_magnitude(placed.below, steps_[below].at) <= 0 &&
      compare_magnitude(placed.below, placed.value) < 0) {
    hit(below, 2);
  }
  if (step + 1 < steps_.size() && compare_magnitude(placed.above, steps_[step + 1].at) >= 0 &&
      compare_magnitude(placed.above, placed.value) > 0) {
    hit(step + 1, 0);
  }
}

void RoundingPoints::sample_lone_bit(const Unpacked& value, const Step& step) {
  // What the value is more than the step, in units of 2^(value.exponent - 63): the step has few
  // bits and lies at most one binade below, or is zero.
  std::uint64_t more = value.significand;
  if (step.at.cls == ValueClass::kFinite) {
    const int lower = value.exponent - step.at.exponent;
    if (lower > 1) return;
    more -= step.at.significand >> lower;
  }
  if (std::popcount(more) != 1) return;
  const int exponent = value.exponent - 63 + std::countr_zero(more);
  const int distance = ladder_.gaps()[*step.gap].exponent - 1 - exponent;
  if (distance < 1 || distance > kDistances) return;
  lone_bit_.hit(static_cast<std::size_t>(step.half * kDistances + distance - 1));
}

void RoundingPoints::exclude_what(const RoundingPoints& witnesses) {
  position_.exclude_what(witnesses.position_);
  threshold_.exclude_what(witnesses.threshold_);
  decision_.exclude_what(witnesses.decision_);
  lone_bit_.exclude_what(witnesses.lone_bit_);
}

void RoundingPoints::append_to(std::vector<Coverpoint>& points) const {
  for (const Coverpoint* point : {&decision_, &position_, &threshold_, &lone_bit_}) {
    points.push_back(*point);
  }
}

std::vector<std::uint64_t> rounding_witnesses(const SourceGrid& grid, const FormatGaps& ladder,
                                              int shift, std::uint64_t limit) {
  std::vector<std::uint64_t> magnitudes = {0, 1, limit};
  const auto near = [&](const Unpacked& at) {
    const std::uint64_t floor = grid.floor(scaled(at, -shift));
    for (std::uint64_t m = floor - std::min<std::uint64_t>(floor, 2); m <= floor + 2; ++m) {
      magnitudes.push_back(m);
    }
  };
  for (const Gap& gap : ladder.gaps()) {
    for (const Unpacked& at : {start_of(gap), midpoint(gap), end_of(gap)}) near(at);
    for (int d = 1; d <= RoundingPoints::kDistances; ++d) {
      for (const std::uint64_t half : {0U, 1U}) {
        // units + half / 2 + 2^-(d + 1)
        const std::uint64_t units = ((2 * gap.units + half) << d) + 1;
        const Unpacked at = unpack_integer(false, units, gap.exponent - d - 1 - shift);
        if (grid.holds(at)) magnitudes.push_back(grid.floor(at));
      }
    }
  }
  sort_unique(magnitudes);
  const std::uint64_t most = std::min(limit, grid.max());
  magnitudes.erase(std::ranges::upper_bound(magnitudes, most), magnitudes.end());
  return magnitudes;
}

}  // namespace mx::golden

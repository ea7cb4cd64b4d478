// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cli/picture/svg.hpp"
#include "cli/plot/kinds.hpp"

namespace mx::cli {
namespace {

struct PipelineStage {
  std::string_view name;
  std::string_view what;
  std::string_view modules;
};

/// rtl/README.md, "Path of a block": with the default parameters a register follows each.
constexpr std::array kStages = {
    PipelineStage{"S1", "unpack, order lanes", "mx_unpack mx_rule mx_key"},
    PipelineStage{"S2", "largest, normalize", "mx_block_max mx_normalize"},
    PipelineStage{"S3", "largest exponent", "mx_block_max"},
    PipelineStage{"S4", "decide shared scale", "mx_shared_scale mx_lane_control"},
    PipelineStage{"S5", "exponent + base", "mx_lane_align"},
    PipelineStage{"S6", "shift, keep sticky", "mx_lane_shift mx_pack_control"},
    PipelineStage{"S7", "round, saturate, pack", "mx_round mx_lane_pack"},
};

/// rtl/mx_stage.sv and rtl/mx_skid.sv in cycles: a register moves where it is empty or the one
/// behind it moves; the last one, while the spare one is empty.
class PipelineModel {
 public:
  struct Pins {
    bool s_ready = false;
    std::optional<int> m_block;
  };
  [[nodiscard]] Pins pins() const {
    const bool has_gap = std::ranges::any_of(stages_, [](const auto& beat) { return !beat; });
    return {!spare_.has_value() || has_gap, spare_.has_value() ? spare_ : stages_.back()};
  }
  void clock(std::optional<int> s_block, bool m_ready) {
    bool moves = !spare_.has_value();
    if (m_ready) {
      spare_.reset();
    } else if (moves) {
      spare_ = stages_.back();
    }
    for (std::size_t s = stages_.size(); s-- > 0;) {
      moves = moves || !stages_[s].has_value();
      if (moves) stages_[s] = s == 0 ? s_block : stages_[s - 1];
    }
  }

 private:
  std::array<std::optional<int>, kStages.size()> stages_;
  std::optional<int> spare_;
};

struct PlottedCycle {
  std::optional<int> s_block;
  bool s_ready = false;
  std::optional<int> m_block;
  bool m_ready = false;
};

constexpr int kCycles = 17;
constexpr int kBlocks = 12;
constexpr int kStallFrom = 9;
constexpr int kStallTo = 12;

std::array<PlottedCycle, kCycles> cycles() {
  std::array<PlottedCycle, kCycles> all;
  PipelineModel pipeline;
  int next = 0;
  for (int t = 0; t < kCycles; ++t) {
    const PipelineModel::Pins pins = pipeline.pins();
    PlottedCycle& now = all[static_cast<std::size_t>(t)];
    now.s_block = t >= 1 && next < kBlocks ? std::optional(next) : std::nullopt;
    now.s_ready = pins.s_ready;
    now.m_block = pins.m_block;
    now.m_ready = t < kStallFrom || t >= kStallTo;
    pipeline.clock(now.s_block, now.m_ready);
    if (now.s_block && now.s_ready) ++next;
  }
  return all;
}

void draw_stages(Svg& svg) {
  const double top = svg.bottom() + 20;
  const double left = Svg::kMargin;
  const double height = 26;
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    const double y = top + static_cast<double>(i) * (height + 6);
    svg.box({left, y}, 44, height, "soft");
    svg.text({left + 22, y + 18}, kStages[i].name, {13, Anchor::kMiddle, "fa bold"});
    svg.text({left + 58, y + 18}, kStages[i].what);
    svg.text({left + 250, y + 18}, kStages[i].modules, {12, Anchor::kStart, "dim mono"});
    if (i + 1 < kStages.size())
      svg.line({left + 22, y + height}, {left + 22, y + height + 6}, "axis");
  }
}

/// Rows of waveforms over the cycles.
class Waves {
 public:
  explicit Waves(Svg& svg) : svg_(svg), top_(svg.bottom() + 52) {}

  void shade(int from, int to, double height) {
    svg_.box({x(from), top_ - 16}, x(to) - x(from), height, "warn");
  }
  void clock(std::string_view name) {
    std::vector<Point> points;
    for (int t = 0; t < kCycles; ++t) {
      points.insert(
          points.end(),
          {{x(t), y(true)}, {x(t + 0.5), y(true)}, {x(t + 0.5), y(false)}, {x(t + 1), y(false)}});
    }
    finish(name, points, "axis dim-line");
  }
  template <typename High>
  void bit(std::string_view name, std::string_view look, const High& high) {
    std::vector<Point> points;
    for (int t = 0; t < kCycles; ++t)
      points.insert(points.end(), {{x(t), y(high(t))}, {x(t + 1), y(high(t))}});
    finish(name, points, look);
  }
  template <typename Block>
  void data(std::string_view name, std::string_view color, const Block& block) {
    for (int t = 0; t < kCycles;) {
      int end = t + 1;
      const std::optional<int> now = block(t);
      while (end < kCycles && block(end) == now) ++end;
      if (now) {
        svg_.box({x(t) + 1, y(true)}, x(end) - x(t) - 2, kHeight, "soft");
        svg_.text({(x(t) + x(end)) / 2, y(false) - 3}, fmt::format("B{}", *now),
                  {11, Anchor::kMiddle, color});
      } else {
        svg_.line({x(t), y(false) - kHeight / 2}, {x(end), y(false) - kHeight / 2}, "grid");
      }
      t = end;
    }
    finish(name, {}, "");
  }
  void numbers() {
    for (int t = 0; t < kCycles; t += 2)
      svg_.text({x(t + 0.5), top_ - 22}, std::to_string(t), {11, Anchor::kMiddle, "dim"});
    svg_.text({Svg::kMargin, top_ - 22}, "cycle", {12, Anchor::kStart, "dim"});
  }

 private:
  static constexpr double kHeight = 16;
  [[nodiscard]] static double x(double t) {
    return 130 + t * (Svg::kWidth - Svg::kMargin - 130) / kCycles;
  }
  [[nodiscard]] double y(bool is_high) const { return top_ + 30 * row_ + (is_high ? 0 : kHeight); }
  void finish(std::string_view name, const std::vector<Point>& points, std::string_view look) {
    svg_.text({Svg::kMargin, y(false) - 3}, name, {12, Anchor::kStart, "ink mono"});
    if (!points.empty()) svg_.curve(points, look);
    ++row_;
  }

  Svg& svg_;
  double top_;
  int row_ = 0;
};

}  // namespace

std::string plot_pipeline(const PlotRequest&) {
  Svg svg("The quantizer's pipeline, and a stalled handshake",
          fmt::format("rtl/mx_quantizer.sv with its default parameters: one block a cycle, {} "
                      "cycles from input to result.",
                      kStages.size()));
  draw_stages(svg);
  const auto all = cycles();
  const auto at = [&](int t) -> const PlottedCycle& { return all[static_cast<std::size_t>(t)]; };
  Waves waves(svg);
  waves.shade(kStallFrom, kStallTo, 30 * 7 + 8);
  waves.numbers();
  waves.clock("clk_i");
  waves.bit("s_axis_tvalid", "la", [&](int t) { return at(t).s_block.has_value(); });
  waves.bit("s_axis_tready", "la", [&](int t) { return at(t).s_ready; });
  waves.data("s_axis_tdata", "fa", [&](int t) { return at(t).s_block; });
  waves.bit("m_axis_tvalid", "lb", [&](int t) { return at(t).m_block.has_value(); });
  waves.bit("m_axis_tready", "lb", [&](int t) { return at(t).m_ready; });
  waves.data("m_axis_tdata", "fb", [&](int t) { return at(t).m_block; });
  svg.paragraph(
      {Svg::kMargin, svg.bottom() + 28}, Svg::kWidth - 2 * Svg::kMargin,
      "The receiver stalls in the shaded cycles. A spare register (mx_skid) takes one block; a "
      "cycle later s_axis_tready falls. "
      "No block is lost, none comes twice, and a result waits unchanged until it is taken.",
      {13, Anchor::kStart, "dim"});
  return svg.str();
}

}  // namespace mx::cli

#include "sim/stimulus/suite_extras.hpp"

#include <algorithm>

#include "golden/config_word/table.hpp"

namespace mx::sim {
namespace {

// Collects corners; roundings and rules of the selection take turns.
class Corners {
 public:
  Corners(const QuantizerConfig& base, const Selection& selection)
      : base_(base), selection_(selection) {}

  template <typename Change>
  void add(Change change) {
    QuantizerConfig config = base_;
    config.element.rounding = selection_.roundings[turn_ % selection_.roundings.size()];
    config.block.rule = selection_.rules[turn_ % selection_.rules.size()];
    ++turn_;
    change(config);
    configs_.push_back(config);
  }
  // The same under one rule, where the selection has it.
  template <typename Change>
  void add_under(ScaleRule rule, Change change) {
    if (std::ranges::find(selection_.rules, rule) == selection_.rules.end()) return;
    add([&](QuantizerConfig& config) {
      config.block.rule = rule;
      change(config);
    });
  }

  [[nodiscard]] std::vector<QuantizerConfig> take() { return std::move(configs_); }

 private:
  const QuantizerConfig& base_;
  const Selection& selection_;
  std::vector<QuantizerConfig> configs_;
  std::size_t turn_ = 0;
};

void add_overflows(Corners& corners, const ElementFormat& element, const Selection& selection) {
  // Formats without Inf and NaN saturate under every policy: one rounding shows that.
  const bool differs = element.has_inf() || element.has_nan();
  const std::size_t count = differs ? selection.roundings.size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    corners.add([&](QuantizerConfig& c) {
      c.element.rounding = selection.roundings[i];
      c.element.overflow = Overflow::kNoneInfOrNan;
      c.block.rule = ScaleRule::kFloor;  // the rule that leaves elements above the largest value
      // Half of them let an infinity reach the elements.
      c.block.amax_over = i % 2 == 0 ? AmaxOver::kAll : AmaxOver::kFiniteOnly;
    });
  }
  corners.add([](QuantizerConfig& c) {
    c.element.overflow = Overflow::kSatFiniteKeepInf;
    c.block.amax_over = AmaxOver::kFiniteOnly;
  });
}

void add_blocks(Corners& corners) {
  corners.add([](QuantizerConfig& c) { c.block.amax_over = AmaxOver::kIgnoreNan; });
  corners.add([](QuantizerConfig& c) { c.block.amax_over = AmaxOver::kFiniteOnly; });
  corners.add([](QuantizerConfig& c) { c.block.inf_block = InfBlock::kScaleMax; });
  corners.add([](QuantizerConfig& c) {
    c.block.inf_block = InfBlock::kScaleMax;
    c.block.amax_over = AmaxOver::kIgnoreNan;
  });
  corners.add([](QuantizerConfig& c) { c.block.nan_scale_codes = NanScaleCodes::kNan; });
  corners.add([](QuantizerConfig& c) { c.block.zero_block_scale = ZeroBlockScale::kOne; });
  for (const ScaleRule rule : {ScaleRule::kEvenUp, ScaleRule::kEvenDown}) {
    corners.add_under(rule, [](QuantizerConfig& c) { c.block.even_carry = EvenCarry::kToNan; });
    // An infinity that asks for the largest scale beside a maximum whose scale would be NaN.
    corners.add_under(rule, [](QuantizerConfig& c) {
      c.block.even_carry = EvenCarry::kToNan;
      c.block.inf_block = InfBlock::kScaleMax;
    });
  }
  for (const ScaleRule rule : {ScaleRule::kCeil, ScaleRule::kRceil}) {
    corners.add_under(rule, [](QuantizerConfig& c) { c.block.scale_sat = ScaleSat::kToNan; });
    corners.add_under(rule, [](QuantizerConfig& c) {
      c.block.scale_sat = ScaleSat::kToNan;
      c.block.inf_block = InfBlock::kScaleMax;
    });
  }
}

void add_elements(Corners& corners, const ElementFormat& element) {
  for (const NanPolicy nan : golden::kNanCodes) {
    corners.add([&](QuantizerConfig& c) {
      c.element.nan = nan;
      c.block.amax_over = AmaxOver::kIgnoreNan;  // so that NaN lanes reach the elements
    });
  }
  if (element.kind == FormatKind::kTwosComplement) {
    corners.add([](QuantizerConfig& c) { c.element.int_min = IntMin::kAllow; });
    corners.add([](QuantizerConfig& c) {
      c.element.int_min = IntMin::kAllow;
      c.block.rule = ScaleRule::kFloor;
      c.block.amax_over = AmaxOver::kFiniteOnly;
    });
  }
  corners.add([](QuantizerConfig& c) { c.element.zero_sign = ZeroSign::kFlushPositive; });
  corners.add([](QuantizerConfig& c) { c.element.src_ftz = SourceSubnormals::kFlush; });
}

}  // namespace

std::vector<QuantizerConfig> policy_corners(const QuantizerConfig& base,
                                            const Selection& selection) {
  Corners corners(base, selection);
  add_overflows(corners, base.format.element, selection);
  add_blocks(corners);
  add_elements(corners, base.format.element);
  return corners.take();
}

}  // namespace mx::sim

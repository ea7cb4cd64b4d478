// Operands of dot products: cancellation inside and across blocks, scales near each other and far
// apart, one product alone, specials in codes and scales.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/points/operand_kit.hpp"
#include "golden/stimulus/suites.hpp"

namespace mx::golden {
namespace {

constexpr std::array<std::string_view, 7> kClasses{"near",    "uniform", "cancel", "spread",
                                                   "special", "single",  "zero"};
enum Class : std::size_t { kNear, kUniform, kCancel, kSpread, kSpecial, kSingle, kZero };
constexpr std::uint64_t kSmokeDrawn = 700;
constexpr std::uint64_t kDirectedDrawn = 7000;

/// The codes and scales of one side.
struct Side {
  std::span<std::uint64_t> scales;
  std::span<std::uint64_t> codes;
};

class DotSuite final : public Suite {
 public:
  DotSuite(const DotCase& what, const SuiteOptions& options)
      : what_(what),
        a_(what.dot.a.element),
        b_(what.dot.b.element),
        c_(what.dot.addend),
        seed_(options.seed),
        tag_(suite_tag(fmt::format("dot.{}-{}", what.dot.a.name, what.dot.b.name))) {
    size_ = options.kind == SuiteKind::kSmoke      ? kSmokeDrawn
            : options.kind == SuiteKind::kDirected ? kDirectedDrawn
                                                   : options.drawn;
    classes_ = taking_turns(kClasses, size_);
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] std::span<const StimulusClass> classes() const override { return classes_; }

  void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const override {
    Draw draw(seed_, tag_, i);
    std::size_t n = batch.lanes(Field::kA);
    if (batch.has(Field::kElements)) {
      const auto all = static_cast<std::uint32_t>(n);
      if (all > 1 && draw.small(8) == 0) n = 1 + draw.small(all - 1);
      batch.word(Field::kElements, at) = n;
    }
    const Side a = side(batch, Field::kAScale, Field::kA, at, n, what_.dot.a);
    const Side b = side(batch, Field::kBScale, Field::kB, at, n, what_.dot.b);
    const std::size_t kind = i % kClasses.size();
    fill_scales(draw, kind, what_.dot.a, a.scales);
    fill_scales(draw, kind, what_.dot.b, b.scales);
    for (std::size_t lane = 0; lane < n; ++lane) {
      a.codes[lane] = code(draw, kind, a_);
      b.codes[lane] = code(draw, kind, b_);
    }
    shape(draw, kind, a, b);
    if (what_.addend == Addend::kPresent) {
      batch.word(Field::kC, at) = draw.small(4) == 0 ? c_.special(draw) : c_.middle(draw);
    }
  }

 private:
  static Side side(RecordBatch& batch, Field scale, Field codes, std::size_t at, std::size_t n,
                   const BlockFormat& format) {
    const auto scales = batch.of(scale, at);
    const auto all = batch.of(codes, at);
    const bool is_cut = format.extent == BlockExtent::kElements;
    const auto k = is_cut ? static_cast<std::size_t>(format.elements()) : n;
    const std::size_t blocks = (n + k - 1) / k;
    std::ranges::fill(scales.subspan(blocks), 0);
    std::ranges::fill(all.subspan(n), 0);
    return {scales.first(blocks), all.first(n)};
  }

  /// Scale codes around 1.0, or anywhere; the bits of sublevels are any.
  static void fill_scales(Draw& draw, std::size_t kind, const BlockFormat& format,
                          std::span<std::uint64_t> scales) {
    const SourceGrid grid(format.scale);
    const std::uint64_t one = grid.floor(unpack_integer(false, 1, 0));
    const std::uint64_t mask = (std::uint64_t{1} << format.scale_bits()) - 1;
    const std::uint64_t reach = kind == kSpread || kind == kCancel ? 40 : 4;
    for (std::uint64_t& scale : scales) {
      const std::uint64_t levels = draw.word64() & mask & ~format.scale.code_mask();
      std::uint64_t code = draw.word64() & format.scale.code_mask();
      if (kind != kUniform && !(kind == kSpecial && draw.small(4) == 0)) {
        const std::uint64_t low = one - std::min(one, reach);
        code = grid.code(false, draw.between(low, std::min(one + reach, grid.max())));
      }
      scale = code | levels;
    }
  }

  /// One NaN or infinity hides all other products, so few records have one.
  static std::uint64_t code(Draw& draw, std::size_t kind, const OperandKit& kit) {
    switch (kind) {
      case kNear:
        return kit.middle(draw);
      case kUniform:
        return kit.any(draw);
      case kSpecial:
        return draw.small(32) == 0 ? kit.special(draw) : kit.number(draw);
      case kSpread:
        return draw.small(2) == 0 ? kit.extreme(draw) : kit.number(draw);
      default:
        return kit.number(draw);
    }
  }

  void shape(Draw& draw, std::size_t kind, const Side& a, const Side& b) const {
    const std::size_t n = a.codes.size();
    if (kind == kCancel) {
      // Neighbours cancel, but for a few ulp.
      for (std::size_t lane = 1; lane < n; lane += 2) {
        a.codes[lane] = a_.opposite(draw, a.codes[lane - 1]);
        b.codes[lane] = b.codes[lane - 1];
      }
      for (std::uint64_t& scale : a.scales) scale = a.scales[0];
      for (std::uint64_t& scale : b.scales) scale = b.scales[0];
    }
    if (kind != kSingle && kind != kZero) return;
    const std::size_t one = draw.below(n);
    for (std::size_t lane = 0; lane < n; ++lane) {
      if (kind == kSingle && lane == one) continue;
      (draw.small(2) == 0 ? a : b).codes[lane] = 0;
    }
  }

  DotCase what_;
  OperandKit a_;
  OperandKit b_;
  OperandKit c_;
  std::uint64_t seed_;
  std::uint32_t tag_;
  std::uint64_t size_ = 0;
  std::vector<StimulusClass> classes_;
};

}  // namespace

std::unique_ptr<const Suite> make_dot_suite(const DotCase& what, const SuiteOptions& options) {
  return std::make_unique<const DotSuite>(what, options);
}

}  // namespace mx::golden

// Rows for the casts of emulated systems: what their block maxima, roundings and special cases
// hang on (spec S3, S9).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/points/operand_kit.hpp"
#include "golden/stimulus/suites.hpp"

namespace mx::golden {
namespace {

/// In `ordinary`, lanes lie within few binades of each other; `spread` covers the whole range;
/// `sparse` has the ties; `below_power` has maxima next to powers of two, where binary logarithms
/// slip; `same` repeats one value; `special` has zeros, infinities and NaN among ordinary lanes;
/// `extreme` has the ends of the range; `uniform` is any word; `zero` has signed zeros alone.
constexpr std::array<std::string_view, 9> kClasses{
    "ordinary", "spread", "sparse", "below_power", "same", "special", "extreme", "uniform", "zero"};
constexpr std::uint64_t kSmokeTurns = 8;
constexpr std::uint64_t kDirectedTurns = 256;

class CastSuite final : public Suite {
 public:
  CastSuite(const CastCase& what, const SuiteOptions& options)
      : kit_(systems::format_of(what.source)),
        seed_(options.seed),
        tag_(suite_tag(fmt::format("cast.{}.{}", what.text, token_of(what.source)))) {
    const bool is_drawn = options.kind == SuiteKind::kRandom || options.kind == SuiteKind::kPolicy;
    const std::uint64_t turns = options.kind == SuiteKind::kSmoke ? kSmokeTurns : kDirectedTurns;
    size_ = is_drawn ? options.drawn : kClasses.size() * turns;
    classes_ = taking_turns(kClasses, size_);
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] std::span<const StimulusClass> classes() const override { return classes_; }

  void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const override {
    Draw draw(seed_, tag_, i);
    const std::size_t kind = i % kClasses.size();
    const std::uint64_t centre = kit_.middle(draw);
    const std::uint64_t far = kit_.number(draw);
    for (std::uint64_t& word : batch.of(Field::kSource, at)) word = one(draw, kind, centre, far);
    if (batch.has(Field::kRandom)) {
      for (std::uint64_t& word : batch.of(Field::kRandom, at)) word = draw.word();
    }
    if (batch.has(Field::kAScale)) batch.word(Field::kAScale, at) = scale(draw);
  }

 private:
  [[nodiscard]] std::uint64_t one(Draw& draw, std::size_t kind, std::uint64_t centre,
                                  std::uint64_t far) const {
    constexpr int kBinades = 6;
    switch (kind) {
      case 0:
        return kit_.near(draw, centre, kBinades);
      case 1:
        return kit_.number(draw);
      case 2:
        return kit_.sparse(draw);
      case 3:
        return draw.small(4) == 0 ? kit_.opposite(draw, power_of(far)) : kit_.near(draw, far, 2);
      case 4:
        return draw.small(2) == 0 ? far : kit_.opposite(draw, far);
      case 5:
        return draw.small(4) == 0 ? kit_.special(draw) : kit_.near(draw, centre, kBinades);
      case 6:
        return kit_.extreme(draw);
      case 7:
        return kit_.any(draw);
      default:
        return draw.small(2) == 0 ? 0 : std::uint64_t{1} << (kit_.format().bits - 1);
    }
  }

  /// The power of two at or below a magnitude.
  [[nodiscard]] std::uint64_t power_of(std::uint64_t code) const {
    return code >> kit_.format().man_bits << kit_.format().man_bits;
  }

  /// A scale as calibrations find them: any significand, a middle exponent.
  static std::uint32_t scale(Draw& draw) {
    const std::uint32_t exponent = 127 - 12 + draw.small(25);
    const std::uint32_t significand = draw.small(3) == 0 ? 0 : draw.word() & 0x7FFFFF;
    return exponent << 23 | significand;
  }

  OperandKit kit_;
  std::uint64_t seed_;
  std::uint32_t tag_;
  std::uint64_t size_ = 0;
  std::vector<StimulusClass> classes_;
};

}  // namespace

std::unique_ptr<const Suite> make_cast_suite(const CastCase& what, const SuiteOptions& options) {
  return std::make_unique<const CastSuite>(what, options);
}

}  // namespace mx::golden

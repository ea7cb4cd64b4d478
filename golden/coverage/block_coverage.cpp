#include <algorithm>
#include <array>

#include "golden/config_word/config_word.hpp"
#include "golden/config_word/table.hpp"
#include "golden/coverage/collectors.hpp"
#include "golden/coverpoints/block_shape_points.hpp"
#include "golden/coverpoints/result_points.hpp"
#include "golden/coverpoints/rounding_points.hpp"
#include "golden/points/block_kit.hpp"
#include "golden/points/sort_unique.hpp"

namespace mx::golden {
namespace {

constexpr int kLowest = -127, kHighest = 127;

/// The names of the status bits of a block (spec R6) from bit 0 up.
constexpr auto kStatusNames = [] {
  std::array<std::string_view, kStatusBits.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kStatusBits[i].name;
  return names;
}();

/// Are scales powers of two by one of the rules that the exact stimulus knows, and are maxima and
/// elements looked at as they are: no first rounding, no arithmetic of a narrower type?
bool is_exact(const QuantizerConfig& config) {
  return has_exact_stimulus(config) && config.element.staging == Staging::kNone &&
         config.block.elem_scaling == ElemScaling::kExact &&
         config.block.ratio_op == RatioOp::kExact &&
         config.block.src_daz_block == BlockFlush::kKeep;
}

/// The coverpoints of blocks that are exact: elements are placed between results times their scale.
class ScaledPoints {
 public:
  explicit ScaledPoints(const QuantizerConfig& config)
      : kit_(config.source, config.format.element),
        policy_(config.element),
        rule_(config.block.rule),
        rounding_(config.format.element),
        code_(config.format.element) {}

  void sample(const Unpacked& value, std::uint64_t code, int scale) {
    if (!is_rounded(kit_.grid().format(), policy_, value)) return;
    rounding_.sample(placed(kit_.grid(), kit_.grid().floor(value), -scale), value.negative);
    code_.sample(code);
  }

  /// Under every scale that stands for others, the elements that stand for all.
  void witness_all(const QuantizerConfig& config) {
    const Quantizer quantizer = Quantizer::make(config).value();
    const SourceGrid& grid = kit_.grid();
    for (const int t : scales_beside_specials(quantizer)) {
      witness_under(quantizer, t, grid.max());
    }
    for (int t = kLowest; t <= kHighest; ++t) {
      const std::optional<std::uint64_t> pin = kit_.pin(rule_, t);
      if (!pin || has_like_below(t)) continue;
      // Maxima beyond the last scale are clamped to it.
      const bool takes_all = t == kHighest && config.block.scale_sat == ScaleSat::kClamp;
      const std::uint64_t limit = takes_all ? grid.max() : *pin;
      witness_under(quantizer, t, limit);
    }
  }

  void exclude_what(const ScaledPoints& witnesses) {
    rounding_.exclude_what(witnesses.rounding_);
    code_.exclude_what(witnesses.code_);
  }
  /// The flags that some witness has.
  [[nodiscard]] std::uint16_t flags() const { return flags_; }
  void append_to(std::vector<Coverpoint>& points) const {
    rounding_.append_to(points);
    code_.append_to(points);
  }

 private:
  /// Is a scale like the one below it, every value a binade higher: are the farthest bits below an
  /// element normal numbers of the source, and is the end of the source far?
  [[nodiscard]] bool has_like_below(int t) const {
    const int farthest = kit_.ladder().first().exponent - 2 - RoundingPoints::kDistances;
    const bool is_normal = t - 1 + farthest >= kit_.grid().format().emin();
    return is_normal && t + 2 <= kHighest && kit_.pin(rule_, t + 1) && kit_.pin(rule_, t + 2);
  }

  /// The scales that a NaN or an infinity gives whatever number stands beside it.
  [[nodiscard]] std::vector<int> scales_beside_specials(const Quantizer& quantizer) const {
    const SourceGrid& grid = kit_.grid();
    std::vector<std::uint64_t> specials = grid.nans();
    for (const std::uint64_t code : grid.infinities()) specials.push_back(code);
    std::vector<int> scales;
    if (quantizer.config().format.elements() < 2) return scales;
    for (const std::uint64_t special : specials) {
      const auto scale_beside = [&](std::uint64_t number) {
        const std::array<std::uint64_t, 2> block{special, number};
        std::array<std::uint64_t, 2> codes{};
        constexpr std::array<std::uint32_t, 2> kRandom{};
        return quantizer.quantize_block(block, kRandom, codes).scale_code;
      };
      const std::uint64_t code = scale_beside(0);
      const bool is_fixed =
          code == scale_beside(grid.max()) && code == scale_beside(grid.format().man_mask() + 1);
      const int t = static_cast<int>(code) + kLowest;
      if (is_fixed && t <= kHighest) scales.push_back(t);
    }
    sort_unique(scales);
    return scales;
  }

  void witness_under(const Quantizer& quantizer, int t, std::uint64_t limit) {
    const SourceGrid& grid = kit_.grid();
    const auto scale_code = static_cast<std::uint64_t>(t - kLowest);
    for (const std::uint64_t m : rounding_witnesses(grid, rounding_.ladder(), -t, limit)) {
      for (const bool negative : {false, true}) {
        witness(quantizer, grid.code(negative, m), scale_code, t);
      }
    }
  }

  void witness(const Quantizer& quantizer, std::uint64_t source, std::uint64_t scale_code, int t) {
    const ElementPolicy& policy = quantizer.config().element;
    const Unpacked value = decode(kit_.grid().format(), source);
    const auto last = static_cast<std::uint32_t>((std::uint64_t{1} << policy.random_bits) - 1);
    for (const std::uint32_t random : {std::uint32_t{0}, last}) {
      Trace trace;
      const Encoded result = quantizer.explain_element(source, scale_code, random, trace);
      sample(value, result.code, t);
      flags_ |= result.flags;
      if (!is_stochastic(policy.rounding)) return;
    }
  }

  BlockKit kit_;
  ElementPolicy policy_;
  ScaleRule rule_;
  RoundingPoints rounding_;
  CodePoint code_;
  std::uint16_t flags_ = 0;
};

/// Blocks without an ordinary maximum, or with one that is clamped: zeros, NaN and infinities of
/// every kind alone and beside a number, the ends of the source. Visits the result of each.
template <typename Visit>
void for_special_blocks(const QuantizerConfig& config, Visit visit) {
  const Quantizer quantizer = Quantizer::make(config).value();
  const SourceGrid grid(config.source);
  std::vector<std::uint64_t> specials = grid.nans(), numbers;
  for (const std::uint64_t code : grid.infinities()) specials.push_back(code);
  const std::uint64_t normal = config.source.man_mask() + 1;
  for (const std::uint64_t m : {std::uint64_t{0}, std::uint64_t{1}, normal, grid.max()}) {
    for (const bool negative : {false, true}) numbers.push_back(grid.code(negative, m));
  }
  specials.insert(specials.end(), numbers.begin(), numbers.end());
  if (config.format.elements() < 2) numbers.clear();
  const auto quantize = [&](std::span<const std::uint64_t> block) {
    std::vector<std::uint64_t> codes(block.size());
    const std::vector<std::uint32_t> random(block.size());
    visit(quantizer.quantize_block(block, random, codes));
  };
  for (const std::uint64_t special : specials) {
    quantize(std::array{special});
    for (const std::uint64_t number : numbers) quantize(std::array{special, number});
  }
}

class BlockCollector final : public Collector {
 public:
  using Collector::sample;
  BlockCollector(const QuantizerConfig& config, std::size_t lanes, Lengths lengths)
      : config_(config),
        source_(config.source),
        shape_(config.source, lanes, lengths,
               BlockKit(config.source, config.format.element).widest_spread()),
        scale_("scale", "every code of the scale"),
        status_(kStatusNames) {
    make_scale_bins();
    if (!is_exact(config)) return;
    scaled_.emplace(config);
    ScaledPoints witnesses(config);
    witnesses.witness_all(config);
    scaled_->exclude_what(witnesses);
    exclude_special(witnesses.flags());
  }

  void sample(const RecordBatch& batch, std::size_t i, const NotCompared& open) override {
    const std::size_t n = batch.elements(Field::kSource, i);
    const auto codes = batch.of(Field::kSource, i).first(n);
    values_.resize(n);
    for (std::size_t lane = 0; lane < n; ++lane) {
      values_[lane] = decode(config_.source, codes[lane]);
      source_.sample(values_[lane]);
    }
    shape_.sample(codes, values_);
    if (!open.flags()) status_.sample(batch.word(Field::kFlags, i));
    if (open.scale()) return;
    const std::uint64_t scale = batch.word(Field::kScale, i);
    // The bits of sublevels stand above the scale's own.
    const std::uint64_t own = scale & config_.format.scale.code_mask();
    if (!scale_.bins.empty()) scale_.hit(static_cast<std::size_t>(own));
    const bool is_power = scaled_ && scale != config_.format.scale.canonical_nan;
    for (std::size_t lane = 0; is_power && lane < n; ++lane) {
      if (open.code(lane)) continue;
      scaled_->sample(values_[lane], batch.of(Field::kCode, i)[lane],
                      static_cast<int>(scale) + kLowest);
    }
  }

  [[nodiscard]] std::vector<Coverpoint> points() const override {
    std::vector<Coverpoint> points;
    source_.append_to(points);
    shape_.append_to(points);
    if (!scale_.bins.empty()) points.push_back(scale_);
    status_.append_to(points);
    if (scaled_) scaled_->append_to(points);
    return points;
  }

 private:
  void make_scale_bins() {
    const ScaleFormat& scale = config_.format.scale;
    if (scale.bits > 8) return;
    for (std::uint64_t code = 0; code <= scale.code_mask(); ++code) {
      scale_.bins.push_back({std::to_string(code), 0, Reach::kOpen});
    }
  }

  /// Scales that no maximum and no special block gives, and status bits that neither they nor an
  /// element sets, are unreachable.
  void exclude_special(std::uint16_t element_flags) {
    const BlockKit kit(config_.source, config_.format.element);
    Coverpoint witnesses = scale_;
    std::uint64_t bits = status_bits_of({0, element_flags});
    for_special_blocks(config_, [&](const BlockResult& result) {
      witnesses.hit(static_cast<std::size_t>(result.scale_code));
      bits |= status_bits_of(result);
    });
    for (int t = kLowest; t <= kHighest; ++t) {
      if (kit.pin(config_.block.rule, t)) witnesses.hit(static_cast<std::size_t>(t - kLowest));
    }
    scale_.exclude_what(witnesses);
    status_.exclude([&](std::string_view name) {
      const auto bit = std::ranges::find(kStatusNames, name) - kStatusNames.begin();
      return (bits >> bit & 1) == 0;
    });
  }

  QuantizerConfig config_;
  SourcePoints source_;
  BlockShapePoints shape_;
  Coverpoint scale_;
  FlagsPoint status_;
  std::optional<ScaledPoints> scaled_;
  std::vector<Unpacked> values_;
};

}  // namespace

std::unique_ptr<Collector> make_block_collector(const QuantizerConfig& config, std::size_t lanes,
                                                Lengths lengths) {
  return std::make_unique<BlockCollector>(config, lanes, lengths);
}

}  // namespace mx::golden

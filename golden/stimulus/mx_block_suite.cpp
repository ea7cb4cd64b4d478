// MX blocks: directed and random ones, exact about where scales and codes change.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "golden/points/block_kit.hpp"
#include "golden/points/draw.hpp"
#include "golden/stimulus/block_directed.hpp"
#include "golden/stimulus/suites.hpp"

namespace mx::golden {
namespace {

constexpr std::array<std::string_view, 7> kBlockClasses{"uniform",  "near", "spread", "threshold",
                                                        "specials", "low",  "high"};
/// Random blocks that a smoke suite has besides its directed ones.
constexpr std::uint64_t kBlockSmokeDrawn = 8;

class MxBlockSuite final : public Suite {
 public:
  MxBlockSuite(const QuantizerConfig& config, const SuiteOptions& options);

  [[nodiscard]] std::uint64_t size() const override { return directed_->blocks.size() + drawn_; }
  [[nodiscard]] std::uint64_t duplicates() const override { return directed_->duplicates; }
  [[nodiscard]] std::span<const StimulusClass> classes() const override { return classes_; }
  void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const override;

 private:
  void random_block(std::uint64_t i, RecordBatch& batch, std::size_t at) const;
  void random_lanes(Draw& draw, std::size_t kind, std::span<std::uint64_t> lanes) const;
  void threshold_lanes(Draw& draw, std::span<std::uint64_t> lanes) const;

  QuantizerConfig config_;
  std::uint64_t seed_;
  BlockKit kit_;
  std::shared_ptr<const DirectedBlocks> directed_;
  std::uint64_t drawn_ = 0;
  std::vector<StimulusClass> classes_;
  std::uint32_t tag_ = 0;
};

MxBlockSuite::MxBlockSuite(const QuantizerConfig& config, const SuiteOptions& options)
    : config_(config),
      seed_(options.seed),
      kit_(config.source, config.format.element),
      tag_(suite_tag(fmt::format("block.{}-{}.{}.{}.rnd", config.source.name,
                                 config.format.element.name, token_of(config.element.rounding),
                                 token_of(config.block.rule)))) {
  const bool is_directed =
      options.kind == SuiteKind::kSmoke || options.kind == SuiteKind::kDirected;
  if (is_directed) {
    const DirectedFrom from = directed_from(config, options);
    directed_ = options.shelf != nullptr
                    ? options.shelf->of(from)
                    : std::make_shared<const DirectedBlocks>(make_directed_blocks(from));
    classes_ = directed_->classes;
    drawn_ = options.kind == SuiteKind::kSmoke ? kBlockSmokeDrawn : 0;
  } else {
    directed_ = std::make_shared<const DirectedBlocks>();
    drawn_ = options.drawn;
  }
  if (drawn_ == 0) return;
  const std::vector<StimulusClass> drawn = taking_turns(kBlockClasses, drawn_);
  classes_.insert(classes_.end(), drawn.begin(), drawn.end());
}

/// Element thresholds under a random scale, with the lane that makes that scale.
void MxBlockSuite::threshold_lanes(Draw& draw, std::span<std::uint64_t> lanes) const {
  const SourceGrid& grid = kit_.grid();
  const int span = grid.format().emax() - grid.format().emin();
  int t = grid.format().emin() - kit_.element().emax() +
          static_cast<int>(draw.small(static_cast<std::uint32_t>(span) + 1));
  t = std::max(t, -127);
  const std::uint64_t pin = kit_.pin(config_.block.rule, t).value_or(grid.max());
  const std::span<const Gap> gaps = kit_.ladder().gaps();
  for (std::uint64_t& lane : lanes) {
    const std::uint32_t bits = draw.word();
    const Gap& gap = gaps[(bits & 0xFFFFFFU) * gaps.size() >> 24];
    const std::uint64_t at = grid.floor(scaled(point(gap, bits >> 30 & 1U, 1), t));
    const std::uint64_t magnitude = at + (bits >> 28 & 3U) - std::min<std::uint64_t>(at, 1);
    lane = grid.code(bits >> 31 != 0, std::min(magnitude, pin));
  }
  lanes[draw.small(static_cast<std::uint32_t>(lanes.size()))] = grid.code(draw.small(2) != 0, pin);
}

void MxBlockSuite::random_lanes(Draw& draw, std::size_t kind,
                                std::span<std::uint64_t> lanes) const {
  const SourceGrid& grid = kit_.grid();
  const ElementFormat& source = grid.format();
  if (kind == 0) {
    for (std::uint64_t& lane : lanes) lane = draw.word() & source.code_mask();
    return;
  }
  if (kind == 3) {
    threshold_lanes(draw, lanes);
    return;
  }
  // A maximum somewhere in the range, at its lower end or at its upper end, and lanes under it.
  const std::uint64_t normal = source.man_mask() + 1;
  const std::uint64_t low_binades =
      std::uint64_t{4} + static_cast<std::uint32_t>(kit_.element().emax());
  std::uint64_t maximum = draw.between(1, grid.max());
  if (kind == 5) maximum = draw.between(1, std::min((low_binades + 1) * normal, grid.max()));
  if (kind == 6) maximum = draw.between(grid.max() - 2 * normal, grid.max());
  const auto spread = static_cast<std::uint32_t>(kit_.widest_spread()) + 1;
  for (std::uint64_t& lane : lanes) {
    const std::uint32_t bits = draw.word();
    const int distance = kind == 2 ? static_cast<int>((bits >> 23 & 0xFFU) * spread >> 8)
                                   : BlockKit::near_distance(bits);
    lane = grid.code(bits >> 31 != 0, std::min(kit_.below(bits, maximum, distance), maximum));
  }
  lanes[draw.small(static_cast<std::uint32_t>(lanes.size()))] =
      grid.code(draw.small(2) != 0, maximum);
  if (kind != 4) return;
  const std::array specials{std::uint64_t{0},
                            source.sign_bit(),
                            std::uint64_t{1},
                            source.inf_code(),
                            grid.code(true, source.inf_code()),
                            source.canonical_nan,
                            grid.code(true, source.inf_code() | 1)};
  // One NaN hides what the rest of a block does under the default policies, so not always all.
  const std::size_t some = draw.small(2) == 0 ? 3 : specials.size();
  const std::uint32_t count = 1 + draw.small(4);
  for (std::uint32_t k = 0; k < count; ++k) {
    lanes[draw.small(static_cast<std::uint32_t>(lanes.size()))] =
        specials[draw.small(static_cast<std::uint32_t>(some))];
  }
}

void MxBlockSuite::random_block(std::uint64_t i, RecordBatch& batch, std::size_t at) const {
  Draw draw(seed_, tag_, i);
  std::span<std::uint64_t> lanes = batch.of(Field::kSource, at);
  // One block in eight ends before its last lane.
  if (batch.has(Field::kElements)) {
    const bool is_short = i % 8 == 7 && lanes.size() > 1;
    const std::size_t n =
        is_short ? 1 + draw.small(static_cast<std::uint32_t>(lanes.size()) - 1) : lanes.size();
    batch.word(Field::kElements, at) = n;
    std::ranges::fill(lanes.subspan(n), 0);
    lanes = lanes.first(n);
  }
  random_lanes(draw, i % kBlockClasses.size(), lanes);
  if (!is_stochastic(config_.element.rounding)) return;
  const std::uint32_t mask = ~std::uint32_t{0} >> (32 - config_.element.random_bits);
  for (std::uint64_t& word : batch.of(Field::kRandom, at).first(lanes.size())) {
    word = draw.word() & mask;
  }
}

void MxBlockSuite::fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const {
  if (i >= directed_->blocks.size()) {
    random_block(i - directed_->blocks.size(), batch, at);
    return;
  }
  const std::vector<Lane>& block = directed_->blocks[i];
  const auto source = batch.of(Field::kSource, at);
  std::ranges::transform(block, source.begin(), &Lane::code);
  std::ranges::fill(source.subspan(block.size()), 0);
  if (batch.has(Field::kElements)) batch.word(Field::kElements, at) = block.size();
  if (is_stochastic(config_.element.rounding)) {
    std::ranges::transform(block, batch.of(Field::kRandom, at).begin(), &Lane::random);
  }
}

}  // namespace

std::unique_ptr<const Suite> make_mx_block_suite(const QuantizerConfig& config,
                                                 const SuiteOptions& options) {
  return std::make_unique<const MxBlockSuite>(config, options);
}

}  // namespace mx::golden

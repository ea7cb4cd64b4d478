#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "golden/config_word/table.hpp"
#include "golden/stimulus/block_directed.hpp"
#include "golden/stimulus/block_kit.hpp"
#include "golden/stimulus/draw.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "reference/format/table.hpp"

namespace mx::golden {
namespace {

constexpr std::array<std::string_view, 7> kRandomClasses{"uniform",  "near", "spread", "threshold",
                                                         "specials", "low",  "high"};

/// What the RTL elaborates by default: spec R5.4 and R13.
const std::array kRtlRoundings{Rounding::kTiesToEven,     Rounding::kTiesToAway,
                               Rounding::kTowardZero,     Rounding::kTowardNegative,
                               Rounding::kTowardPositive, Rounding::kAwayFromZero,
                               Rounding::kToOdd,          Rounding::kStochasticA};
const std::array kRtlRules{ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil,
                           ScaleRule::kEvenUp};

template <typename List>
auto pick(Draw& draw, const List& list) {
  return list[draw.small(static_cast<std::uint32_t>(list.size()))];
}

}  // namespace

struct BlockSuite::State {
  explicit State(const BlockSuiteOptions& options_in);

  void start_random();
  [[nodiscard]] QuantizerConfig random_config(Draw& draw, std::size_t& kit) const;
  void random_block(std::uint64_t i, BlockBatch& batch, std::size_t at) const;
  void random_lanes(Draw& draw, std::size_t kind, const BlockKit& kit, ScaleRule rule,
                    std::span<std::uint64_t> lanes) const;
  void threshold_lanes(Draw& draw, const BlockKit& kit, ScaleRule rule,
                       std::span<std::uint64_t> lanes) const;
  [[nodiscard]] bool directed() const {
    return options.kind == SuiteKind::kSmoke || options.kind == SuiteKind::kDirected;
  }

  BlockSuiteOptions options;
  ConfigWordContext context;
  std::uint32_t config_word = 0;
  RandomWords words = RandomWords::kAbsent;
  DirectedBlocks blocks;
  std::vector<BlockKit> kits;  ///< one a format that can be drawn
  std::vector<StimulusClass> classes;
  std::uint32_t tag = 0;
  std::uint64_t size = 0;
};

BlockSuite::State::State(const BlockSuiteOptions& options_in) : options(options_in) {
  const QuantizerConfig& config = options.config;
  const auto word = config_word_of(config);
  if (!word) {
    throw std::invalid_argument(
        "the configuration has no tuser word (docs/spec/rtl.md R5.6): choose a format, rounding, "
        "rule, "
        "source and policies that it lists");
  }
  config_word = *word;
  context.block_size = config.format.block_size;
  context.random_bits = config.element.random_bits;
  if (is_stochastic(config.element.rounding)) {
    context.stochastic = config.element.rounding;
    words = RandomWords::kPresent;
  }
  if (directed()) {
    blocks = make_directed_blocks(options, context);
    classes = blocks.classes;
    size = blocks.blocks.size();
  } else {
    start_random();
  }
}

void BlockSuite::State::start_random() {
  std::string name = "policy";
  if (options.kind == SuiteKind::kPolicy) {
    if (options.formats.empty()) {
      for (const std::string_view format : kFormatCodes) {
        options.formats.push_back(*find_format(format));
      }
    }
    if (options.roundings.empty()) {
      options.roundings.assign(kRtlRoundings.begin(), kRtlRoundings.end());
    }
    if (options.rules.empty()) options.rules.assign(kRtlRules.begin(), kRtlRules.end());
    for (const Rounding rounding : options.roundings) {
      if (is_stochastic(rounding)) {
        context.stochastic = rounding;
        words = RandomWords::kPresent;
      }
    }
  } else {
    const QuantizerConfig& config = options.config;
    options.formats = {config.format.element};
    name = fmt::format("{}.{}.{}.rnd", config.format.element.name,
                       token_of(config.element.rounding), token_of(config.block.rule));
  }
  for (const ElementFormat& format : options.formats) {
    kits.emplace_back(options.config.source, format);
  }
  tag = suite_tag(fmt::format("block.{}-{}", options.config.source.name, name));
  size = options.count;
  const std::uint64_t n = kRandomClasses.size();
  for (std::uint64_t c = 0; c < n; ++c) {
    classes.push_back({kRandomClasses[c], size / n + (c < size % n ? 1 : 0)});
  }
}

/// Every field of the word drawn from what it can say.
QuantizerConfig BlockSuite::State::random_config(Draw& draw, std::size_t& kit) const {
  QuantizerConfig config = options.config;
  kit = draw.small(static_cast<std::uint32_t>(kits.size()));
  config.format.element = kits[kit].element();
  config.element.rounding = pick(draw, options.roundings);
  config.block.rule = pick(draw, options.rules);
  config.element.overflow = pick(draw, kOverflowCodes);
  config.element.nan = pick(draw, kNanCodes);
  config.element.int_min = pick(draw, kIntMinCodes);
  config.element.zero_sign = pick(draw, kZeroSignCodes);
  config.element.src_ftz = pick(draw, kSrcFtzCodes);
  config.block.amax_over = pick(draw, kAmaxOverCodes);
  config.block.inf_block = pick(draw, kInfBlockCodes);
  config.block.nan_scale_codes = pick(draw, kNanScaleCodesCodes);
  config.block.even_carry = pick(draw, kEvenCarryCodes);
  config.block.zero_block_scale = pick(draw, kZeroBlockScaleCodes);
  config.block.scale_sat = pick(draw, kScaleSatCodes);
  return config;
}

/// Element thresholds under a random scale, with the lane that makes that scale.
void BlockSuite::State::threshold_lanes(Draw& draw, const BlockKit& kit, ScaleRule rule,
                                        std::span<std::uint64_t> lanes) const {
  const SourceGrid& grid = kit.grid();
  const int span = grid.format().emax() - grid.format().emin();
  int t = grid.format().emin() - kit.element().emax() +
          static_cast<int>(draw.small(static_cast<std::uint32_t>(span) + 1));
  t = std::max(t, -127);
  const std::uint64_t pin = kit.pin(rule, t).value_or(grid.max());
  const std::span<const Gap> gaps = kit.ladder().gaps();
  for (std::uint64_t& lane : lanes) {
    const std::uint32_t bits = draw.word();
    const Gap& gap = gaps[(bits & 0xFFFFFFU) * gaps.size() >> 24];
    const std::uint64_t at = grid.floor(scaled(point(gap, bits >> 30 & 1U, 1), t));
    const std::uint64_t magnitude = at + (bits >> 28 & 3U) - std::min<std::uint64_t>(at, 1);
    lane = grid.code(bits >> 31 != 0, std::min(magnitude, pin));
  }
  lanes[draw.small(static_cast<std::uint32_t>(lanes.size()))] = grid.code(draw.small(2) != 0, pin);
}

void BlockSuite::State::random_lanes(Draw& draw, std::size_t kind, const BlockKit& kit,
                                     ScaleRule rule, std::span<std::uint64_t> lanes) const {
  const SourceGrid& grid = kit.grid();
  const ElementFormat& source = grid.format();
  if (kind == 0) {
    for (std::uint64_t& lane : lanes) lane = draw.word() & source.code_mask();
    return;
  }
  if (kind == 3) {
    threshold_lanes(draw, kit, rule, lanes);
    return;
  }
  // A maximum somewhere in the range, at its lower end or at its upper end, and lanes under it.
  const std::uint64_t normal = source.man_mask() + 1;
  const auto low_binades = static_cast<std::uint64_t>(kit.element().emax() + 4);
  std::uint64_t maximum = draw.between(1, grid.max());
  if (kind == 5) maximum = draw.between(1, std::min((low_binades + 1) * normal, grid.max()));
  if (kind == 6) maximum = draw.between(grid.max() - 2 * normal, grid.max());
  const auto spread = static_cast<std::uint32_t>(kit.widest_spread()) + 1;
  for (std::uint64_t& lane : lanes) {
    const std::uint32_t bits = draw.word();
    const int distance = kind == 2 ? static_cast<int>((bits >> 23 & 0xFFU) * spread >> 8)
                                   : BlockKit::near_distance(bits);
    lane = grid.code(bits >> 31 != 0, std::min(kit.below(bits, maximum, distance), maximum));
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

void BlockSuite::State::random_block(std::uint64_t i, BlockBatch& batch, std::size_t at) const {
  Draw draw(options.seed, tag, i);
  std::size_t kit = 0;
  batch.config_word[at] = config_word;
  ScaleRule rule = options.config.block.rule;
  if (options.kind == SuiteKind::kPolicy) {
    const QuantizerConfig config = random_config(draw, kit);
    rule = config.block.rule;
    batch.config_word[at] = config_word_of(config).value();
  }
  random_lanes(draw, i % kRandomClasses.size(), kits[kit], rule, batch.source_of(at));
  const std::uint32_t mask = ~std::uint32_t{0} >> (32 - context.random_bits);
  for (std::uint32_t& word : batch.random_of(at)) word = draw.word() & mask;
}

BlockSuite::BlockSuite(const BlockSuiteOptions& options)
    : state_(std::make_unique<State>(options)) {}
BlockSuite::~BlockSuite() = default;
BlockSuite::BlockSuite(BlockSuite&&) noexcept = default;
BlockSuite& BlockSuite::operator=(BlockSuite&&) noexcept = default;

std::uint64_t BlockSuite::size() const { return state_->size; }
std::uint64_t BlockSuite::duplicates() const { return state_->blocks.duplicates; }
std::span<const StimulusClass> BlockSuite::classes() const { return state_->classes; }
RandomWords BlockSuite::random_words() const { return state_->words; }
const ConfigWordContext& BlockSuite::context() const { return state_->context; }
const BlockSuiteOptions& BlockSuite::options() const { return state_->options; }

void BlockSuite::fill(std::uint64_t first, std::uint64_t last, BlockBatch& batch) const {
  batch.clear();
  batch.block_size = state_->context.block_size;
  batch.random_words = state_->words;
  batch.resize(static_cast<std::size_t>(last - first));
  for (std::uint64_t i = first; i < last; ++i) {
    const auto at = static_cast<std::size_t>(i - first);
    if (!state_->directed()) {
      state_->random_block(i, batch, at);
      continue;
    }
    const std::vector<Lane>& block = state_->blocks.blocks[i];
    batch.config_word[at] = state_->config_word;
    std::ranges::transform(block, batch.source_of(at).begin(), &Lane::code);
    if (state_->words == RandomWords::kPresent) {
      std::ranges::transform(block, batch.random_of(at).begin(), &Lane::random);
    }
  }
}

}  // namespace mx::golden

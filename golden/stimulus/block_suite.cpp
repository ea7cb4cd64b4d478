// Blocks of any format under any rule. What a rule does with a maximum is not assumed: maxima stand
// next to every point where a scale code could change (its codes and midpoints, times the largest
// element and times its power of two), elements next to every threshold under the nominal scale.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "golden/points/draw.hpp"
#include "golden/points/gaps.hpp"
#include "golden/points/sort_unique.hpp"
#include "golden/stimulus/suites.hpp"
#include "reference/arithmetic/arithmetic.hpp"

namespace mx::golden {
namespace {

constexpr std::array<std::string_view, 9> kClasses{
    "scale", "element", "near", "spread", "uniform", "special", "plain", "low", "high"};
enum Class : std::size_t {
  kScale,
  kElement,
  kNear,
  kSpread,
  kUniform,
  kSpecial,
  kPlain,
  kLow,
  kHigh
};

/// Directed vectors of each class that has no list of its own.
constexpr std::uint64_t kSmokeTurns = 8;
constexpr std::uint64_t kDirectedTurns = 64;
constexpr std::size_t kSmokeMaxima = 64;
/// Lanes up to which the directed walk takes each one; of more it takes so many.
constexpr std::size_t kWalkedLanes = 256;

Unpacked product(const Unpacked& a, const Unpacked& b) {
  Unpacked x = exact_multiply(a, b).value;
  x.sticky = false;
  return x;
}

class BlockSuite final : public Suite {
 public:
  BlockSuite(const QuantizerConfig& config, const SuiteOptions& options);

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] std::span<const StimulusClass> classes() const override { return classes_; }
  void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const override;

 private:
  struct Turn {
    std::size_t kind = 0;
    std::uint64_t number = 0;  ///< within the class
  };
  void find_maxima();
  void count_classes();
  [[nodiscard]] Turn turn(std::uint64_t i) const;
  [[nodiscard]] std::uint64_t with_sign(Draw& draw, std::uint64_t magnitude) const {
    return grid_.code(draw.small(2) != 0, std::min(magnitude, grid_.max()));
  }
  [[nodiscard]] std::uint64_t lesser(Draw& draw, std::uint64_t magnitude, int binades) const;
  [[nodiscard]] std::uint64_t some_maximum(Draw& draw) const {
    return maxima_[draw.below(maxima_.size())];
  }
  [[nodiscard]] std::uint64_t exact_maximum(Draw& draw) const;
  void fill_near(Draw& draw, std::uint64_t maximum, int spread,
                 std::span<std::uint64_t> lanes) const;
  void fill_elements(Draw& draw, std::uint64_t first, std::span<std::uint64_t> lanes) const;
  void fill_special(Draw& draw, std::span<std::uint64_t> lanes) const;
  void fill_plain(Draw& draw, std::uint64_t number, std::span<std::uint64_t> lanes) const;
  void fill_lanes(Draw& draw, const Turn& turn, std::span<std::uint64_t> lanes) const;
  void find_walk();
  void fill_walk(Draw& draw, std::uint64_t number, RecordBatch& batch, std::size_t at) const;

  QuantizerConfig config_;
  SuiteOptions options_;
  SourceGrid grid_;
  FormatGaps elements_;
  Unpacked largest_;
  std::vector<std::uint64_t> maxima_;  ///< source magnitudes, ascending
  std::vector<Unpacked> thresholds_;   ///< element codes and midpoints
  std::array<std::uint64_t, kClasses.size()> counts_{};
  std::vector<StimulusClass> classes_;
  std::uint64_t size_ = 0;
  std::uint32_t tag_ = 0;
  std::vector<std::uint64_t> corners_;  ///< source codes: every exponent, the ends of the classes
  std::uint64_t walk_ = 0;              ///< blocks at the end that walk through lanes and corners
};

BlockSuite::BlockSuite(const QuantizerConfig& config, const SuiteOptions& options)
    : config_(config),
      options_(options),
      grid_(config.source),
      elements_(config.format.element),
      largest_(decode(config.format.element, config.format.element.max_code)),
      tag_(suite_tag(fmt::format("block.{}-{}.{}", config.source.name, config.format.name,
                                 token_of(config.block.rule)))) {
  find_maxima();
  for (const Gap& gap : elements_.gaps()) {
    if (gap.units != 0) thresholds_.push_back(start_of(gap));
    thresholds_.push_back(midpoint(gap));
  }
  thresholds_.push_back(end_of(elements_.last()));
  count_classes();
  if (options.kind == SuiteKind::kDirected) find_walk();
}

void BlockSuite::find_maxima() {
  const FormatGaps scales(config_.format.scale);
  const int emax = config_.format.rule_emax.value_or(config_.format.element.emax());
  const std::array factors{largest_, unpack_integer(false, 1, emax),
                           unpack_integer(false, 3, emax - 1)};
  const Unpacked tensor = decode(formats::fp32, config_.tensor.scale);
  for (const Gap& gap : scales.gaps()) {
    for (const Unpacked& at : {start_of(gap), midpoint(gap)}) {
      if (at.cls != ValueClass::kFinite) continue;
      for (const Unpacked& factor : factors) {
        const std::uint64_t m = grid_.floor(product(product(at, factor), tensor));
        for (std::uint64_t k = m - std::min<std::uint64_t>(m, 1); k <= m + 2; ++k) {
          if (k != 0 && k <= grid_.max()) maxima_.push_back(k);
        }
      }
    }
  }
  maxima_.push_back(1);
  maxima_.push_back(grid_.max());
  sort_unique(maxima_);
}

void BlockSuite::count_classes() {
  const std::uint64_t n = kClasses.size();
  if (options_.kind == SuiteKind::kRandom || options_.kind == SuiteKind::kPolicy) {
    for (std::uint64_t c = 0; c < n; ++c) {
      counts_[c] = turns_of(options_.drawn, n, c);
    }
  } else {
    const bool is_smoke = options_.kind == SuiteKind::kSmoke;
    counts_.fill(is_smoke ? kSmokeTurns : kDirectedTurns);
    counts_[kScale] = is_smoke ? std::min(kSmokeMaxima, maxima_.size()) : maxima_.size();
    const std::uint64_t lanes = static_cast<std::uint64_t>(options_.lanes);
    const std::uint64_t room = lanes > 1 ? lanes - 1 : 1;
    const std::uint64_t blocks = (2 * thresholds_.size() + room - 1) / room;
    counts_[kElement] = (is_smoke ? 2 : 16) * blocks;
  }
  for (std::size_t c = 0; c < n; ++c) {
    classes_.push_back({kClasses[c], counts_[c]});
    size_ += counts_[c];
  }
}

BlockSuite::Turn BlockSuite::turn(std::uint64_t i) const {
  if (options_.kind == SuiteKind::kRandom || options_.kind == SuiteKind::kPolicy) {
    return {i % kClasses.size(), i / kClasses.size()};
  }
  std::size_t kind = 0;
  while (i >= counts_[kind]) i -= counts_[kind++];
  return {kind, i};
}

/// A random magnitude `binades` below one.
std::uint64_t BlockSuite::lesser(Draw& draw, std::uint64_t magnitude, int binades) const {
  const Unpacked value = decode(grid_.format(), grid_.code(false, magnitude));
  if (value.cls != ValueClass::kFinite) return 0;
  const std::uint64_t high = grid_.floor(scaled(value, -binades));
  const std::uint64_t low = grid_.floor(scaled(value, -binades - 1));
  return draw.between(std::min(low, high), high);
}

void BlockSuite::fill_near(Draw& draw, std::uint64_t maximum, int spread,
                           std::span<std::uint64_t> lanes) const {
  const auto argmax = draw.small(static_cast<std::uint32_t>(lanes.size()));
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const int binades = spread == 0
                            ? std::countl_zero(static_cast<std::uint8_t>(draw.word() >> 24))
                            : static_cast<int>(draw.small(static_cast<std::uint32_t>(spread)));
    lanes[lane] = with_sign(draw, lane == argmax ? maximum : lesser(draw, maximum, binades));
  }
}

/// A maximum whose ratio to the largest element is a power of two times the tensor scale: under a
/// real-valued scale only such blocks have ties.
std::uint64_t BlockSuite::exact_maximum(Draw& draw) const {
  const Unpacked at = product(largest_, decode(formats::fp32, config_.tensor.scale));
  const std::uint64_t m = grid_.floor(scaled(at, static_cast<int>(draw.small(15)) - 7));
  return std::clamp<std::uint64_t>(m, 1, grid_.max());
}

/// Element thresholds with their neighbours under the scale that maps a maximum to the largest
/// element, or to its power of two; the maximum in a lane of its own.
void BlockSuite::fill_elements(Draw& draw, std::uint64_t first,
                               std::span<std::uint64_t> lanes) const {
  const std::uint64_t maximum = first % 2 == 0 ? some_maximum(draw) : exact_maximum(draw);
  const Unpacked value = decode(grid_.format(), grid_.code(false, maximum));
  Unpacked scale = unpack_integer(false, 1, value.exponent - largest_.exponent);
  if (!is_power_rule(config_.block.rule)) {
    scale = exact_divide(value, largest_).value;
    scale.sticky = false;
  }
  // Sublevels move single elements by a binade or two.
  const int sublevels = config_.format.sublevels[0] != 0 ? 3 : 1;
  const std::uint64_t room = lanes.size() > 1 ? lanes.size() - 1 : 1;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const std::uint64_t item = (first / 2 * room + lane) % (2 * thresholds_.size());
    const std::uint32_t bits = draw.word();
    const int level = static_cast<int>((bits >> 8) % static_cast<std::uint32_t>(sublevels));
    const std::uint64_t m = grid_.floor(product(scaled(thresholds_[item / 2], level), scale));
    const std::uint64_t moved = m + (bits & 3U) - std::min<std::uint64_t>(m, 1);
    lanes[lane] = grid_.code(item % 2 != 0, std::min(moved, maximum));
  }
  lanes[draw.small(static_cast<std::uint32_t>(lanes.size()))] = with_sign(draw, maximum);
}

void BlockSuite::fill_special(Draw& draw, std::span<std::uint64_t> lanes) const {
  fill_near(draw, some_maximum(draw), 0, lanes);
  std::vector<std::uint64_t> specials{grid_.code(false, 0), grid_.code(true, 0),
                                      grid_.code(false, 1), grid_.code(true, grid_.max())};
  const std::size_t numbers = specials.size();
  for (const std::uint64_t code : grid_.infinities()) specials.push_back(code);
  const std::size_t infinities = specials.size();
  for (const std::uint64_t code : grid_.nans()) specials.push_back(code);
  // One NaN hides what the rest of a block does under most policies, so not always all.
  const std::array some{numbers, infinities, specials.size()};
  const std::size_t known = some[draw.small(3)];
  for (std::uint32_t k = 1 + draw.small(4); k > 0; --k) {
    lanes[draw.small(static_cast<std::uint32_t>(lanes.size()))] =
        specials[draw.small(static_cast<std::uint32_t>(known))];
  }
}

/// Zeros of both signs, one value in every lane, one lane alone, specials alone.
void BlockSuite::fill_plain(Draw& draw, std::uint64_t number,
                            std::span<std::uint64_t> lanes) const {
  const std::uint64_t maximum = some_maximum(draw);
  const auto one = draw.small(static_cast<std::uint32_t>(lanes.size()));
  std::ranges::fill(lanes, grid_.code(false, 0));
  switch (number % 6) {
    case 0:
      break;
    case 1:
      for (std::uint64_t& lane : lanes) lane = grid_.code(draw.small(2) != 0, 0);
      break;
    case 2:
      for (std::uint64_t& lane : lanes) lane = with_sign(draw, maximum);
      break;
    case 3:
      lanes[one] = with_sign(draw, maximum);
      break;
    case 4:
      if (const auto codes = grid_.infinities(); !codes.empty()) {
        lanes[one] = codes[draw.below(codes.size())];
      }
      break;
    default:
      if (const auto codes = grid_.nans(); !codes.empty()) {
        lanes[one] = codes[draw.below(codes.size())];
      }
      break;
  }
}

void BlockSuite::fill_lanes(Draw& draw, const Turn& turn, std::span<std::uint64_t> lanes) const {
  constexpr int kWidest = 40;
  const std::uint64_t binade = grid_.format().is_fixed() ? 1 : grid_.format().man_mask() + 1;
  switch (turn.kind) {
    case kScale: {
      const std::uint64_t step = std::max<std::uint64_t>(1, maxima_.size() / counts_[kScale]);
      const bool is_drawn =
          options_.kind == SuiteKind::kRandom || options_.kind == SuiteKind::kPolicy;
      const std::uint64_t maximum =
          is_drawn ? some_maximum(draw) : maxima_[turn.number * step % maxima_.size()];
      return fill_near(draw, maximum, 0, lanes);
    }
    case kElement:
      return fill_elements(draw, turn.number, lanes);
    case kNear:
      return fill_near(draw, draw.between(1, grid_.max()), 0, lanes);
    case kSpread:
      return fill_near(draw, some_maximum(draw), kWidest, lanes);
    case kUniform:
      for (std::uint64_t& lane : lanes) lane = draw.word64() & grid_.format().code_mask();
      return;
    case kSpecial:
      return fill_special(draw, lanes);
    case kPlain:
      return fill_plain(draw, turn.number, lanes);
    case kLow:
      return fill_near(draw, draw.between(1, std::min(8 * binade, grid_.max())), 0, lanes);
    default:
      return fill_near(
          draw, draw.between(grid_.max() - std::min(2 * binade, grid_.max() - 1), grid_.max()), 0,
          lanes);
  }
}

/// A block for each lane with a NaN, an infinity, the maximum and the end of the block there, and
/// the corners packed into blocks.
void BlockSuite::find_walk() {
  const ElementFormat& format = grid_.format();
  const std::uint64_t subnormals = format.kind == FormatKind::kFloat ? format.man_mask() : 0;
  std::vector<std::uint64_t> magnitudes{0, 1, subnormals, subnormals + 1, grid_.max()};
  const Unpacked least = decode(format, grid_.code(false, 1));
  const int last = decode(format, grid_.code(false, grid_.max())).exponent;
  for (int e = least.exponent; e <= last; ++e) {
    magnitudes.push_back(grid_.floor(unpack_integer(false, 1, e)));
  }
  for (const std::uint64_t m : magnitudes) {
    for (const bool negative : {false, true}) corners_.push_back(grid_.code(negative, m));
  }
  const auto lanes = static_cast<std::uint64_t>(options_.lanes);
  walk_ = 4 * std::min<std::uint64_t>(lanes, kWalkedLanes) + (corners_.size() + lanes - 1) / lanes;
  classes_.push_back({"walk", walk_});
  size_ += walk_;
}

void BlockSuite::fill_walk(Draw& draw, std::uint64_t number, RecordBatch& batch,
                           std::size_t at) const {
  std::span<std::uint64_t> lanes = batch.of(Field::kSource, at);
  const std::size_t walked = std::min(lanes.size(), kWalkedLanes);
  const std::size_t lane = static_cast<std::size_t>(number % walked) * lanes.size() / walked;
  const std::size_t kind = static_cast<std::size_t>(number) / walked;
  if (kind >= 4) {
    const std::size_t first = (static_cast<std::size_t>(number) - 4 * walked) * lanes.size();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      lanes[i] = first + i < corners_.size() ? corners_[first + i] : 0;
    }
    return;
  }
  const std::uint64_t maximum = some_maximum(draw);
  const bool is_short = kind == 3 && batch.has(Field::kElements);
  if (is_short) {
    batch.word(Field::kElements, at) = lane + 1;
    std::ranges::fill(lanes.subspan(lane + 1), 0);
    lanes = lanes.first(lane + 1);
  }
  fill_near(draw, maximum, 0, lanes);
  const std::vector<std::uint64_t> codes = kind == 0 ? grid_.nans() : grid_.infinities();
  if (kind <= 1 && !codes.empty()) lanes[lane] = codes[number % codes.size()];
  if (kind == 2) lanes[lane] = with_sign(draw, maximum);
}

void BlockSuite::fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const {
  Draw draw(options_.seed, tag_, i);
  std::span<std::uint64_t> lanes = batch.of(Field::kSource, at);
  const bool is_walk = i >= size_ - walk_;
  if (is_walk && batch.has(Field::kElements)) batch.word(Field::kElements, at) = lanes.size();
  if (is_walk) {
    fill_walk(draw, i - (size_ - walk_), batch, at);
    lanes = lanes.first(batch.elements(Field::kSource, at));
  } else if (batch.has(Field::kElements)) {
    // One block in eight ends before its last lane.
    const auto all = static_cast<std::uint32_t>(lanes.size());
    const std::size_t n = all > 1 && draw.small(8) == 0 ? 1 + draw.small(all - 1) : all;
    batch.word(Field::kElements, at) = n;
    std::ranges::fill(lanes.subspan(n), 0);
    lanes = lanes.first(n);
  }
  if (!is_walk) fill_lanes(draw, turn(i), lanes);
  if (!batch.has(Field::kRandom)) return;
  const auto words = batch.of(Field::kRandom, at);
  std::ranges::fill(words, 0);
  const Configuration configuration{config_, {}};
  if (!takes_random(configuration)) return;
  const std::uint32_t mask = ~std::uint32_t{0} >> (32 - random_bits_of(configuration));
  for (std::uint64_t& word : words.first(lanes.size())) word = draw.word() & mask;
}

}  // namespace

std::unique_ptr<const Suite> make_block_suite(const QuantizerConfig& config,
                                              const SuiteOptions& options) {
  return std::make_unique<const BlockSuite>(config, options);
}

}  // namespace mx::golden

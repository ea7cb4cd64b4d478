#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

#include "golden/points/draw.hpp"
#include "golden/points/gaps.hpp"
#include "golden/points/sort_unique.hpp"
#include "golden/stimulus/suites.hpp"

namespace mx::golden {
namespace {

struct Operand {
  std::uint64_t source = 0;
  std::uint32_t random = 0;
  auto operator<=>(const Operand&) const = default;
};

/// What the random vectors around a gap of the destination are made of.
struct NearGap {
  std::array<std::uint64_t, 2> bases{};  ///< source magnitudes at or below its start and middle
  std::uint32_t distances = 0;           ///< powers of two that fit below its width
};

constexpr std::array<std::string_view, 4> kRandomClasses{"uniform", "in_range", "threshold",
                                                         "sticky"};

class CvtSuite final : public Suite {
 public:
  CvtSuite(const ConversionConfig& conversion, const SuiteOptions& options)
      : conversion_(conversion),
        options_(options),
        grid_(conversion.source),
        ladder_(conversion.destination),
        stochastic_(is_stochastic(conversion.policy.rounding)) {
    if (is_random()) {
      start_random();
    } else {
      make_directed();
    }
  }

  [[nodiscard]] std::uint64_t size() const override {
    return is_random() ? options_.drawn : directed_.size();
  }
  [[nodiscard]] std::uint64_t duplicates() const override { return dropped_; }
  [[nodiscard]] std::span<const StimulusClass> classes() const override { return counts_; }
  void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const override {
    fill_run(i, 1, batch, at);
  }
  // Flattened: many short steps for each vector.
  [[gnu::flatten]] void fill_run(std::uint64_t first, std::size_t n, RecordBatch& batch,
                                 std::size_t at) const override {
    const auto source = batch.all(Field::kSource).subspan(at, n);
    const auto random = stochastic_ ? batch.all(Field::kRandom).subspan(at, n) : source.first(0);
    for (std::size_t k = 0; k < n; ++k) {
      const Operand vector = is_random() ? random_vector(first + k) : directed_[first + k];
      source[k] = vector.source;
      if (stochastic_) random[k] = vector.random;
    }
  }

 private:
  [[nodiscard]] bool is_random() const {
    return options_.kind == SuiteKind::kRandom || options_.kind == SuiteKind::kPolicy;
  }

  void start_random();
  void make_directed();
  void begin(std::string_view name) { counts_.push_back({name, 0}); }
  void add(std::uint64_t source, std::uint64_t random);
  void add_both_signs(std::uint64_t magnitude);
  void add_near(std::uint64_t magnitude, std::uint64_t distance);
  void add_thresholds(Unpacked (*at)(const Gap&));
  void add_sticky(std::uint64_t base, std::uint64_t width);
  void add_exponents();
  void add_edges(std::span<const Unpacked> edges);
  void add_specials();
  void add_stochastic();
  [[nodiscard]] Operand random_vector(std::uint64_t i) const;
  [[nodiscard]] NearGap near_gap(const Gap& gap) const;
  [[nodiscard]] std::uint64_t near_threshold(Draw& draw, bool sticky) const;
  [[nodiscard]] std::uint64_t last_random() const {
    return (std::uint64_t{1} << conversion_.policy.random_bits) - 1;
  }

  ConversionConfig conversion_;
  SuiteOptions options_;
  SourceGrid grid_;
  FormatGaps ladder_;
  bool stochastic_;
  std::vector<Operand> directed_;
  std::vector<NearGap> near_gaps_;  ///< of ladder_, for random vectors
  std::vector<StimulusClass> counts_;
  std::uint64_t dropped_ = 0;
  std::uint32_t tag_ = 0;
  std::uint64_t low_ = 0;  ///< magnitudes that matter to the destination, class in_range
  std::uint64_t high_ = 0;
};

void CvtSuite::start_random() {
  tag_ =
      suite_tag(fmt::format("cvt.{}-{}.{}.rnd", conversion_.source.name,
                            conversion_.destination.name, token_of(conversion_.policy.rounding)));
  low_ = grid_.floor(scaled(end_of(ladder_.first()), -4));
  high_ = grid_.floor(scaled(end_of(ladder_.last()), 2));
  for (const Gap& gap : ladder_.gaps()) near_gaps_.push_back(near_gap(gap));
  counts_ = taking_turns(kRandomClasses, options_.drawn);
}

void CvtSuite::add(std::uint64_t source, std::uint64_t random) {
  directed_.push_back({source, static_cast<std::uint32_t>(random)});
  ++counts_.back().count;
}

/// A magnitude with both signs and, where the rounding takes random words, both their ends.
void CvtSuite::add_both_signs(std::uint64_t magnitude) {
  for (const bool negative : {false, true}) {
    if (negative && !grid_.format().is_signed) continue;
    add(grid_.code(negative, magnitude), 0);
    if (stochastic_) add(grid_.code(negative, magnitude), last_random());
  }
}

void CvtSuite::add_near(std::uint64_t magnitude, std::uint64_t distance) {
  const std::uint64_t first = magnitude - std::min(magnitude, distance);
  const std::uint64_t last = std::min(magnitude + distance, grid_.max());
  for (std::uint64_t m = first; m <= last; ++m) add_both_signs(m);
}

/// A point of every gap with its source neighbours: the floor code, one below, two above, so that
/// "exact, one ulp less, one ulp more" is there whether or not the source holds the point.
void CvtSuite::add_thresholds(Unpacked (*at)(const Gap&)) {
  for (const Gap& gap : ladder_.gaps()) {
    const std::uint64_t floor = grid_.floor(at(gap));
    const std::uint64_t last = std::min(floor + 2, grid_.max());
    for (std::uint64_t m = floor - std::min<std::uint64_t>(floor, 1); m <= last; ++m) {
      add_both_signs(m);
    }
  }
}

/// A single bit walking below a threshold's last place, added and subtracted.
void CvtSuite::add_sticky(std::uint64_t base, std::uint64_t width) {
  for (std::uint64_t bit = 1; bit != 0 && bit <= width; bit <<= 1) {
    if (base + bit <= grid_.max()) add_both_signs(base + bit);
    if (base >= bit) add_both_signs(base - bit);
  }
}

/// Every exponent of the source with the ends and the middle of its binade.
void CvtSuite::add_exponents() {
  const ElementFormat& format = grid_.format();
  if (format.kind == FormatKind::kTwosComplement) {
    for (std::uint64_t m = 1; m <= grid_.max(); m <<= 1) add_near(m, 1);
    add_near(grid_.max(), 1);
    return;
  }
  const std::uint64_t ones = format.man_mask();
  const std::uint64_t half = (ones + 1) / 2;
  for (std::uint64_t field = 0; field <= grid_.max() >> format.man_bits; ++field) {
    for (const std::uint64_t man : {std::uint64_t{0}, std::uint64_t{1}, half - (half != 0 ? 1 : 0),
                                    half, half + 1, ones - (ones != 0 ? 1 : 0), ones}) {
      const std::uint64_t magnitude = field << format.man_bits | (man & ones);
      if (magnitude <= grid_.max()) add_both_signs(magnitude);
    }
  }
}

void CvtSuite::add_edges(std::span<const Unpacked> edges) {
  for (const Unpacked& edge : edges) add_near(grid_.floor(edge), 4);
}

void CvtSuite::add_specials() {
  add_both_signs(0);
  add_both_signs(grid_.max());
  for (const std::uint64_t code : grid_.infinities()) add(code, 0);
  for (const std::uint64_t code : grid_.nans()) add(code, stochastic_ ? last_random() : 0);
  if (grid_.format().kind == FormatKind::kTwosComplement && grid_.format().is_signed) {
    add(grid_.format().sign_bit(), 0);  // the most negative integer
  }
  const std::uint64_t normal = grid_.format().man_mask() + 1;
  for (std::uint64_t m = 1; m < normal; m <<= 1) add_near(m, 1);
  add_near(std::min(normal, grid_.max()), 1);
}

/// R at 0, R* - 1, R* and 2^N - 1 for points of every gap.
void CvtSuite::add_stochastic() {
  constexpr int kBits = 6;
  constexpr std::array<std::uint64_t, 7> kPoints{0, 1, 21, 32, 33, 54, 63};
  const ElementPolicy& policy = conversion_.policy;
  const auto add_words = [&](std::uint64_t magnitude, const Gap& gap) {
    const Unpacked value = decode(grid_.format(), magnitude);
    const std::uint64_t up = first_random_up(policy.rounding, policy.random_bits, value, gap);
    for (const bool negative : {false, true}) {
      if (negative && !grid_.format().is_signed) continue;
      const std::uint64_t code = grid_.code(negative, magnitude);
      for (const std::uint64_t random :
           {std::uint64_t{0}, up - std::min<std::uint64_t>(up, 1), up, up + 1, last_random()}) {
        if (random <= last_random()) add(code, random);
      }
    }
  };
  for (const Gap& gap : ladder_.gaps()) {
    for (const std::uint64_t at : kPoints) {
      const Unpacked wanted = point(gap, at, kBits);
      const std::uint64_t magnitude = grid_.floor(wanted);
      if (compare_magnitude(decode(grid_.format(), magnitude), start_of(gap)) < 0) continue;
      add_words(magnitude, gap);
      const std::uint64_t next = std::min(magnitude + 1, grid_.max());
      if (compare_magnitude(decode(grid_.format(), next), end_of(gap)) < 0) add_words(next, gap);
    }
  }
}

void CvtSuite::make_directed() {
  begin("code");
  add_thresholds(start_of);
  begin("midpoint");
  add_thresholds(midpoint);
  begin("overflow");
  add_edges(std::array{start_of(ladder_.last()), midpoint(ladder_.last()), end_of(ladder_.last())});
  begin("tiny");
  add_edges(std::array{end_of(ladder_.first()), midpoint(ladder_.first()),
                       scaled(midpoint(ladder_.first()), -1), start_of(ladder_.normal())});
  begin("special");
  add_specials();
  if (options_.kind == SuiteKind::kDirected) {
    begin("sticky");
    for (const Gap& gap : ladder_.gaps()) {
      const std::uint64_t start = grid_.floor(start_of(gap));
      const std::uint64_t width = grid_.floor(end_of(gap)) - start;
      add_sticky(start, width);
      add_sticky(grid_.floor(midpoint(gap)), width / 2);
    }
    // A source that is no finer than the codes has nothing between two of them.
    if (counts_.back().count == 0) counts_.pop_back();
    begin("exponent");
    add_exponents();
  }
  if (stochastic_) {
    begin("stochastic");
    add_stochastic();
  }
  for (const StimulusClass& c : counts_) {
    if (c.count == 0) throw std::logic_error(fmt::format("stimulus class {} is empty", c.name));
  }
  dropped_ = sort_unique(directed_);
}

NearGap CvtSuite::near_gap(const Gap& gap) const {
  const std::uint64_t start = grid_.floor(start_of(gap));
  const std::uint64_t width = grid_.floor(end_of(gap)) - start;
  std::uint32_t distances = 1;
  while (distances < 63 && (width >> (distances - 1)) > 1) ++distances;
  return {{start, grid_.floor(midpoint(gap))}, distances};
}

std::uint64_t CvtSuite::near_threshold(Draw& draw, bool sticky) const {
  const NearGap& gap = near_gaps_[draw.below(near_gaps_.size())];
  const std::uint64_t base = gap.bases[draw.small(2)];
  std::uint64_t distance = draw.small(3);
  if (sticky) distance = std::uint64_t{1} << draw.small(gap.distances);
  // The side is a coin toss to a branch predictor: a place in a list, not a branch.
  return std::array{base - std::min(base, distance),
                    std::min(base + distance, grid_.max())}[draw.small(2)];
}

Operand CvtSuite::random_vector(std::uint64_t i) const {
  Draw draw(options_.seed, tag_, i);
  Operand vector;
  const std::uint64_t bits = draw.word64();
  const bool negative = (bits >> 63) != 0;
  switch (i % kRandomClasses.size()) {
    case 0:
      vector.source = bits & grid_.format().code_mask();
      break;
    case 1:
      vector.source = grid_.code(negative, draw.between(low_, high_));
      break;
    case 2:
      vector.source = grid_.code(negative, near_threshold(draw, false));
      break;
    default:
      vector.source = grid_.code(negative, near_threshold(draw, true));
      break;
  }
  if (stochastic_) vector.random = static_cast<std::uint32_t>(draw.word() & last_random());
  return vector;
}

}  // namespace

std::unique_ptr<const Suite> make_cvt_suite(const ConversionConfig& conversion,
                                            const SuiteOptions& options) {
  return std::make_unique<const CvtSuite>(conversion, options);
}

}  // namespace mx::golden

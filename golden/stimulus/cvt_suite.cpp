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

constexpr std::array<std::string_view, 4> kRandomClasses{"uniform", "in_range", "threshold",
                                                         "sticky"};

class CvtSuite final : public Suite {
 public:
  CvtSuite(const ConversionConfig& conversion_in, const SuiteOptions& options_in)
      : conversion(conversion_in),
        options(options_in),
        grid(conversion_in.source),
        ladder(conversion_in.destination),
        stochastic(is_stochastic(conversion_in.policy.rounding)) {
    if (is_random()) {
      start_random();
    } else {
      make_directed();
    }
  }

  [[nodiscard]] std::uint64_t size() const override {
    return is_random() ? options.drawn : directed.size();
  }
  [[nodiscard]] std::uint64_t duplicates() const override { return dropped; }
  [[nodiscard]] std::span<const StimulusClass> classes() const override { return counts; }
  void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const override {
    const Operand vector = is_random() ? random_vector(i) : directed[i];
    batch.word(Field::kSource, at) = vector.source;
    if (stochastic) batch.word(Field::kRandom, at) = vector.random;
  }

 private:
  [[nodiscard]] bool is_random() const {
    return options.kind == SuiteKind::kRandom || options.kind == SuiteKind::kPolicy;
  }

  void start_random();
  void make_directed();
  void begin(std::string_view name) { counts.push_back({name, 0}); }
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
  [[nodiscard]] std::uint64_t near_threshold(Draw& draw, bool sticky) const;
  [[nodiscard]] std::uint64_t last_random() const {
    return (std::uint64_t{1} << conversion.policy.random_bits) - 1;
  }

  ConversionConfig conversion;
  SuiteOptions options;
  SourceGrid grid;
  FormatGaps ladder;
  bool stochastic;
  std::vector<Operand> directed;
  std::vector<StimulusClass> counts;
  std::uint64_t dropped = 0;
  std::uint32_t tag = 0;
  std::uint64_t low = 0;  ///< magnitudes that matter to the destination, class in_range
  std::uint64_t high = 0;
};

void CvtSuite::start_random() {
  tag = suite_tag(fmt::format("cvt.{}-{}.{}.rnd", conversion.source.name,
                              conversion.destination.name, token_of(conversion.policy.rounding)));
  low = grid.floor(scaled(end_of(ladder.first()), -4));
  high = grid.floor(scaled(end_of(ladder.last()), 2));
  counts = taking_turns(kRandomClasses, options.drawn);
}

void CvtSuite::add(std::uint64_t source, std::uint64_t random) {
  directed.push_back({source, static_cast<std::uint32_t>(random)});
  ++counts.back().count;
}

/// A magnitude with both signs and, where the rounding takes random words, both their ends.
void CvtSuite::add_both_signs(std::uint64_t magnitude) {
  for (const bool negative : {false, true}) {
    if (negative && !grid.format().is_signed) continue;
    add(grid.code(negative, magnitude), 0);
    if (stochastic) add(grid.code(negative, magnitude), last_random());
  }
}

void CvtSuite::add_near(std::uint64_t magnitude, std::uint64_t distance) {
  const std::uint64_t first = magnitude - std::min(magnitude, distance);
  const std::uint64_t last = std::min(magnitude + distance, grid.max());
  for (std::uint64_t m = first; m <= last; ++m) add_both_signs(m);
}

/// A point of every gap with its source neighbours: the floor code, one below, two above, so that
/// "exact, one ulp less, one ulp more" is there whether or not the source holds the point.
void CvtSuite::add_thresholds(Unpacked (*at)(const Gap&)) {
  for (const Gap& gap : ladder.gaps()) {
    const std::uint64_t floor = grid.floor(at(gap));
    const std::uint64_t last = std::min(floor + 2, grid.max());
    for (std::uint64_t m = floor - std::min<std::uint64_t>(floor, 1); m <= last; ++m) {
      add_both_signs(m);
    }
  }
}

/// A single bit walking below a threshold's last place, added and subtracted.
void CvtSuite::add_sticky(std::uint64_t base, std::uint64_t width) {
  for (std::uint64_t bit = 1; bit != 0 && bit <= width; bit <<= 1) {
    if (base + bit <= grid.max()) add_both_signs(base + bit);
    if (base >= bit) add_both_signs(base - bit);
  }
}

/// Every exponent of the source with the ends and the middle of its binade.
void CvtSuite::add_exponents() {
  const ElementFormat& format = grid.format();
  if (format.kind == FormatKind::kTwosComplement) {
    for (std::uint64_t m = 1; m <= grid.max(); m <<= 1) add_near(m, 1);
    add_near(grid.max(), 1);
    return;
  }
  const std::uint64_t ones = format.man_mask();
  const std::uint64_t half = (ones + 1) / 2;
  for (std::uint64_t field = 0; field <= grid.max() >> format.man_bits; ++field) {
    for (const std::uint64_t man : {std::uint64_t{0}, std::uint64_t{1}, half - (half != 0 ? 1 : 0),
                                    half, half + 1, ones - (ones != 0 ? 1 : 0), ones}) {
      const std::uint64_t magnitude = field << format.man_bits | (man & ones);
      if (magnitude <= grid.max()) add_both_signs(magnitude);
    }
  }
}

void CvtSuite::add_edges(std::span<const Unpacked> edges) {
  for (const Unpacked& edge : edges) add_near(grid.floor(edge), 4);
}

void CvtSuite::add_specials() {
  add_both_signs(0);
  add_both_signs(grid.max());
  for (const std::uint64_t code : grid.infinities()) add(code, 0);
  for (const std::uint64_t code : grid.nans()) add(code, stochastic ? last_random() : 0);
  if (grid.format().kind == FormatKind::kTwosComplement && grid.format().is_signed) {
    add(grid.format().sign_bit(), 0);  // the most negative integer
  }
  const std::uint64_t normal = grid.format().man_mask() + 1;
  for (std::uint64_t m = 1; m < normal; m <<= 1) add_near(m, 1);
  add_near(std::min(normal, grid.max()), 1);
}

/// R at 0, R* - 1, R* and 2^N - 1 for points of every gap.
void CvtSuite::add_stochastic() {
  constexpr int kBits = 6;
  constexpr std::array<std::uint64_t, 7> kPoints{0, 1, 21, 32, 33, 54, 63};
  const ElementPolicy& policy = conversion.policy;
  const auto add_words = [&](std::uint64_t magnitude, const Gap& gap) {
    const Unpacked value = decode(grid.format(), magnitude);
    const std::uint64_t up = first_random_up(policy.rounding, policy.random_bits, value, gap);
    for (const bool negative : {false, true}) {
      if (negative && !grid.format().is_signed) continue;
      const std::uint64_t code = grid.code(negative, magnitude);
      for (const std::uint64_t random :
           {std::uint64_t{0}, up - std::min<std::uint64_t>(up, 1), up, up + 1, last_random()}) {
        if (random <= last_random()) add(code, random);
      }
    }
  };
  for (const Gap& gap : ladder.gaps()) {
    for (const std::uint64_t at : kPoints) {
      const Unpacked wanted = point(gap, at, kBits);
      const std::uint64_t magnitude = grid.floor(wanted);
      if (compare_magnitude(decode(grid.format(), magnitude), start_of(gap)) < 0) continue;
      add_words(magnitude, gap);
      const std::uint64_t next = std::min(magnitude + 1, grid.max());
      if (compare_magnitude(decode(grid.format(), next), end_of(gap)) < 0) add_words(next, gap);
    }
  }
}

void CvtSuite::make_directed() {
  begin("code");
  add_thresholds(start_of);
  begin("midpoint");
  add_thresholds(midpoint);
  begin("overflow");
  add_edges(std::array{start_of(ladder.last()), midpoint(ladder.last()), end_of(ladder.last())});
  begin("tiny");
  add_edges(std::array{end_of(ladder.first()), midpoint(ladder.first()),
                       scaled(midpoint(ladder.first()), -1), start_of(ladder.normal())});
  begin("special");
  add_specials();
  if (options.kind == SuiteKind::kDirected) {
    begin("sticky");
    for (const Gap& gap : ladder.gaps()) {
      const std::uint64_t start = grid.floor(start_of(gap));
      const std::uint64_t width = grid.floor(end_of(gap)) - start;
      add_sticky(start, width);
      add_sticky(grid.floor(midpoint(gap)), width / 2);
    }
    begin("exponent");
    add_exponents();
  }
  if (stochastic) {
    begin("stochastic");
    add_stochastic();
  }
  for (const StimulusClass& c : counts) {
    if (c.count == 0) throw std::logic_error(fmt::format("stimulus class {} is empty", c.name));
  }
  dropped = sort_unique(directed);
}

std::uint64_t CvtSuite::near_threshold(Draw& draw, bool sticky) const {
  const Gap& gap = ladder.gaps()[draw.below(ladder.gaps().size())];
  const std::uint64_t base = grid.floor(point(gap, draw.small(2), 1));
  std::uint64_t distance = draw.small(3);
  if (sticky) {
    const std::uint64_t width = grid.floor(end_of(gap)) - grid.floor(start_of(gap));
    int bits = 0;
    while (bits < 62 && (width >> bits) > 1) ++bits;
    distance = std::uint64_t{1} << draw.small(static_cast<std::uint32_t>(bits) + 1);
  }
  if (draw.small(2) == 0) return base - std::min(base, distance);
  return std::min(base + distance, grid.max());
}

Operand CvtSuite::random_vector(std::uint64_t i) const {
  Draw draw(options.seed, tag, i);
  Operand vector;
  const std::uint64_t bits = draw.word64();
  const bool negative = (bits >> 63) != 0;
  switch (i % kRandomClasses.size()) {
    case 0:
      vector.source = bits & grid.format().code_mask();
      break;
    case 1:
      vector.source = grid.code(negative, draw.between(low, high));
      break;
    case 2:
      vector.source = grid.code(negative, near_threshold(draw, false));
      break;
    default:
      vector.source = grid.code(negative, near_threshold(draw, true));
      break;
  }
  if (stochastic) vector.random = static_cast<std::uint32_t>(draw.word() & last_random());
  return vector;
}

}  // namespace

std::unique_ptr<const Suite> make_cvt_suite(const ConversionConfig& conversion,
                                            const SuiteOptions& options) {
  return std::make_unique<const CvtSuite>(conversion, options);
}

}  // namespace mx::golden

#include <array>

#include "golden/coverage/collectors.hpp"
#include "golden/coverpoints/result_points.hpp"
#include "golden/coverpoints/rounding_points.hpp"
#include "golden/coverpoints/source_points.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::golden {
namespace {

/// The flags of spec F8.1 in the order of their bits.
constexpr std::array<std::string_view, 6> kFlagNames = {"inexact",   "overflow", "saturated",
                                                        "underflow", "invalid",  "to_zero"};
/// Sources of at most so many bits are witnessed by all their codes.
constexpr int kExhaustiveBits = 16;

/// The coverpoint `random`: where the random word of a value between two results lies.
class RandomPoint {
 public:
  explicit RandomPoint(const ElementPolicy& policy)
      : policy_(policy), point_("random", "the random word beside the first that rounds up") {
    if (!is_stochastic(policy.rounding)) return;
    for (const char* name : {"0", "last_down", "first_up", "2^N-1"}) {
      point_.bins.push_back({name, 0, Reach::kOpen});
    }
  }
  void sample(const Unpacked& value, const Gap& gap, std::uint64_t random) {
    if (point_.bins.empty()) return;
    const std::uint64_t first = first_random_up(policy_.rounding, policy_.random_bits, value, gap);
    if (random == 0) point_.hit(0);
    if (random + 1 == first) point_.hit(1);
    if (random == first) point_.hit(2);
    if (random == last()) point_.hit(3);
  }
  [[nodiscard]] std::vector<std::uint64_t> witnesses(const Unpacked& value, const Gap& gap) const {
    if (point_.bins.empty()) return {0};
    const std::uint64_t first = first_random_up(policy_.rounding, policy_.random_bits, value, gap);
    std::vector<std::uint64_t> words = {0, last()};
    if (first != 0) words.push_back(first - 1);
    if (first <= last()) words.push_back(first);
    return words;
  }
  void exclude_what(const RandomPoint& seen) { point_.exclude_what(seen.point_); }
  void append_to(std::vector<Coverpoint>& points) const {
    if (!point_.bins.empty()) points.push_back(point_);
  }

 private:
  [[nodiscard]] std::uint64_t last() const { return (std::uint64_t{1} << policy_.random_bits) - 1; }

  ElementPolicy policy_;
  Coverpoint point_;
};

/// Everything that a vector of a conversion hits.
class ConversionPoints {
 public:
  explicit ConversionPoints(const ConversionConfig& config)
      : policy_(config.policy),
        grid_(config.source),
        source_(config.source),
        rounding_(config.destination),
        random_(config.policy),
        code_(config.destination),
        flags_(kFlagNames) {}

  void sample_source(std::uint64_t source) { source_.sample(decode(grid_.format(), source)); }

  void sample_flags(std::uint64_t flags) { flags_.sample(flags); }

  void sample_code(std::uint64_t source, std::uint64_t random, std::uint64_t code) {
    const Unpacked value = decode(grid_.format(), source);
    code_.sample(code);
    if (!is_rounded(grid_.format(), policy_, value)) return;
    rounding_.sample(placed(grid_, grid_.floor(value), 0), value.negative);
    if (const std::optional<Gap> gap = rounding_.gap_of(value)) random_.sample(value, *gap, random);
  }

  /// A source code with every random word that matters, answered by the conversion.
  void witness(const Conversion& conversion, std::uint64_t source) {
    const Unpacked value = decode(grid_.format(), source);
    const bool has_gap = is_rounded(grid_.format(), policy_, value);
    const std::optional<Gap> gap = has_gap ? rounding_.gap_of(value) : std::nullopt;
    for (const std::uint64_t random :
         gap ? random_.witnesses(value, *gap) : std::vector<std::uint64_t>{0}) {
      const Encoded result = conversion(source, static_cast<std::uint32_t>(random));
      sample_code(source, random, result.code);
      sample_flags(result.flags);
    }
  }

  /// Of wider sources other inputs of a bin may be compared where its witness is not: there the
  /// masks exclude nothing.
  void witness_all(const ConversionConfig& config, Masks masks) {
    const Conversion conversion = Conversion::make(config).value();
    if (config.source.bits <= kExhaustiveBits) {
      for (std::uint64_t code = 0; code <= config.source.code_mask(); ++code) {
        if (!is_masked(masks, config, code)) witness(conversion, code);
      }
      return;
    }
    for (const std::uint64_t code : grid_.nans()) witness(conversion, code);
    for (const std::uint64_t code : grid_.infinities()) witness(conversion, code);
    for (const std::uint64_t magnitude :
         rounding_witnesses(grid_, rounding_.ladder(), 0, grid_.max())) {
      for (const bool negative : {false, true}) {
        witness(conversion, grid_.code(negative, magnitude));
      }
    }
  }

  void exclude_what(const ConversionPoints& witnesses) {
    rounding_.exclude_what(witnesses.rounding_);
    random_.exclude_what(witnesses.random_);
    // A first rounding to another format has thresholds of its own.
    const bool is_staged = policy_.staging != Staging::kNone;
    if (is_staged && grid_.format().bits > kExhaustiveBits) return;
    code_.exclude_what(witnesses.code_);
    flags_.exclude_what(witnesses.flags_);
  }

  [[nodiscard]] std::vector<Coverpoint> points() const {
    std::vector<Coverpoint> points;
    source_.append_to(points);
    rounding_.append_to(points);
    random_.append_to(points);
    code_.append_to(points);
    flags_.append_to(points);
    return points;
  }

 private:
  ElementPolicy policy_;
  SourceGrid grid_;
  SourcePoints source_;
  RoundingPoints rounding_;
  RandomPoint random_;
  CodePoint code_;
  FlagsPoint flags_;
};

class ConversionCollector final : public Collector {
 public:
  using Collector::sample;
  ConversionCollector(const ConversionConfig& config, Masks masks) : points_(config) {
    ConversionPoints witnesses(config);
    witnesses.witness_all(config, masks);
    points_.exclude_what(witnesses);
  }
  void sample(const RecordBatch& batch, std::size_t i, const NotCompared& open) override {
    const std::uint64_t random = batch.has(Field::kRandom) ? batch.word(Field::kRandom, i) : 0;
    const std::uint64_t source = batch.word(Field::kSource, i);
    points_.sample_source(source);
    if (!open.code(0)) points_.sample_code(source, random, batch.word(Field::kCode, i));
    if (!open.flags()) points_.sample_flags(batch.word(Field::kFlags, i));
  }
  [[nodiscard]] std::vector<Coverpoint> points() const override { return points_.points(); }

 private:
  ConversionPoints points_;
};

}  // namespace

std::unique_ptr<Collector> make_conversion_collector(const ConversionConfig& config, Masks masks) {
  return std::make_unique<ConversionCollector>(config, masks);
}

}  // namespace mx::golden

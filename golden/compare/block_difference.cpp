#include "golden/compare/block_difference.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "golden/compare/block_answers.hpp"
#include "golden/compare/block_inputs.hpp"
#include "golden/compare/causes.hpp"
#include "golden/compare/element_difference.hpp"
#include "golden/deviation/search.hpp"
#include "golden/points/gaps.hpp"
#include "golden/points/sort_unique.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kPairs = 12000;
constexpr std::size_t kSeeded = 1000;
/// Differences of one look whose causes are asked for: finding causes costs more than comparing.
constexpr int kAlike = 4;
/// Every so many blocks are tried again with each random word.
constexpr std::size_t kRandomStep = 11;

InputKind kind_of(const ElementFormat& source, const BlockInput& input) {
  std::uint64_t largest = 0;
  for (const std::uint64_t lane : input.lanes) {
    largest = std::max(largest, lane & source.magnitude_mask());
  }
  if (largest == 0) return InputKind::kZero;
  if (largest <= source.max_code) return InputKind::kFinite;
  return largest == source.inf_code() ? InputKind::kInfinity : InputKind::kNan;
}

/// Looks like another difference: the same kind of block, and answers that differ alike.
using Look = std::tuple<InputKind, bool, std::size_t, std::int64_t, std::uint64_t, bool>;

Look look_of(const BlockDifference& d, bool masked) {
  const auto delta = static_cast<std::int64_t>(d.a.scale - d.b.scale);
  std::uint64_t flipped = 0;
  for (std::size_t i = 0; i < d.a.codes.size() && flipped == 0; ++i) {
    flipped = d.a.codes[i] ^ d.b.codes[i];
  }
  return {d.kind,
          masked,
          d.input.lanes.size(),
          std::clamp<std::int64_t>(delta, -3, 3),
          delta == 0 ? flipped : 0,
          d.input.tensor_amax != 0};
}

class Collector {
 public:
  Collector(const BlockSubject& a, const BlockSubject& b, Detail detail)
      : a_(a),
        b_(b),
        detail_(detail),
        deviations_(deviations(a.config, b.config)),
        answering_a_(a.config),
        answering_b_(b.config) {}

  void add(const BlockInput& input) {
    const FullAnswer of_a = full_answer(answering_a_, input);
    const FullAnswer of_b = full_answer(answering_b_, input);
    const Agreement verdict = judge(a_, b_, input, of_a, of_b);
    if (verdict == Agreement::kAgree) return;
    const bool masked = verdict == Agreement::kMasked;
    BlockDifference d{.input = input,
                      .a = {of_a.result.scale_code, of_a.codes},
                      .b = {of_b.result.scale_code, of_b.codes},
                      .kind = kind_of(a_.config.source, input),
                      .causes = {}};
    if (seen_[look_of(d, masked)]++ >= kAlike) return;
    d.open_a = open_parts(a_, input, of_a.result);
    d.open_b = open_parts(b_, input, of_b.result);
    d.causes = sufficient(deviations_, [&](std::span<const Deviation> some) {
      const QuantizerConfig changed = with(some, a_.config, b_.config);
      if (!Quantizer::problem(changed).empty()) return false;
      const FullAnswer answer = full_answer(changed, input);
      // What is open is no difference, so nothing can be its cause.
      return raw_equal(answer, of_b) ||
             (!masked && judge({changed, a_.masks}, b_, input, answer, of_b) != Agreement::kDiffer);
    });
    (masked ? result_.masked : result_.differences).push_back(std::move(d));
  }

  [[nodiscard]] bool wants_more() const {
    return detail_ == Detail::kPerCause || result_.differences.empty();
  }

  BlockComparison take(Basis basis, const BlockCounts& tried) {
    result_.basis = basis;
    result_.tried = tried;
    keep_smallest(result_.differences);
    keep_smallest(result_.masked);
    return std::move(result_);
  }

 private:
  /// Sorts, and keeps the first of each set of causes and kind (kFirst: the first).
  void keep_smallest(std::vector<BlockDifference>& list) const {
    std::ranges::sort(list, [&](const BlockDifference& x, const BlockDifference& y) {
      return is_smaller(a_.config.source, x.input, y.input);
    });
    std::vector<BlockDifference> kept;
    for (BlockDifference& each : list) {
      const bool is_new = std::ranges::none_of(kept, [&](const BlockDifference& known) {
        return detail_ == Detail::kFirst ||
               (known.causes == each.causes && known.kind == each.kind);
      });
      if (is_new) kept.push_back(std::move(each));
    }
    list = std::move(kept);
  }

  const BlockSubject& a_;
  const BlockSubject& b_;
  Detail detail_;
  std::vector<Deviation> deviations_;
  Answering answering_a_;
  Answering answering_b_;
  std::map<Look, int> seen_;
  BlockComparison result_;
};

/// With equal policies but for the choice of a power-of-two scale, an element's code depends on the
/// element and the scale alone.
bool differs_in_scale_only(const QuantizerConfig& a, const QuantizerConfig& b) {
  const auto is_plain = [](const QuantizerConfig& c) {
    return is_power_rule(c.block.rule) && !facts_of(c.block.rule).draws &&
           c.format.scale.man_bits == 0 && !is_stochastic(c.element.rounding);
  };
  if (!is_plain(a) || !is_plain(b)) return false;
  QuantizerConfig same = a;
  same.block.rule = b.block.rule;
  same.block.ratio_op = b.block.ratio_op;
  same.block.scale_sat = b.block.scale_sat;
  same.block.even_carry = b.block.even_carry;
  same.element.e8m0_quirk = b.element.e8m0_quirk;
  same.block.zero_block_scale = b.block.zero_block_scale;
  return same_settings(same, b);
}

}  // namespace

struct BlockComparer::State {
  ElementFormat source;
  BlockFormat format;
  std::vector<BlockInput> inputs;    ///< all that are tried under every configuration
  std::vector<std::size_t> offsets;  ///< of an input's scale and codes among the answers
  BlockCounts counts;
  std::size_t first_seeded = 0;

  /// What a configuration says to all inputs.
  struct Known {
    QuantizerConfig config;
    std::vector<std::uint64_t> answers;
    std::vector<std::uint64_t> steps;  ///< patterns where the answer to one element changes
  };
  std::deque<Known> known;

  State(const ElementFormat& of_source, const BlockFormat& of_format)
      : source(of_source), format(of_format) {
    const auto append = [this](std::vector<BlockInput> blocks) {
      for (BlockInput& block : blocks) {
        offsets.push_back(offsets.empty() ? 0 : offsets.back() + inputs.back().lanes.size() + 1);
        inputs.push_back(std::move(block));
      }
      return static_cast<std::uint64_t>(blocks.size());
    };
    counts.single = append(single_blocks(source, format));
    counts.special = append(special_blocks(source, format));
    counts.pair = append(pair_blocks(source, format, kPairs));
    first_seeded = inputs.size();
    counts.seeded = append(seeded_blocks(source, format, kSeeded));
  }

  /// Can every change of the answer to one element be located between two tried neighbours?
  [[nodiscard]] bool has_steps() const {
    return source == formats::fp32 && format.scale.bits <= 8 && format.element.bits <= 8;
  }

  Known& known_of(const QuantizerConfig& config) {
    const QuantizerConfig wanted = normalized(config);
    for (Known& each : known) {
      if (same_settings(each.config, wanted)) return each;
    }
    Known made{.config = wanted, .answers = {}, .steps = {}};
    Answering answering(wanted);
    made.answers.resize(offsets.back() + inputs.back().lanes.size() + 1);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::span codes =
          std::span(made.answers).subspan(offsets[i] + 1, inputs[i].lanes.size());
      made.answers[offsets[i]] = answering(inputs[i], codes).scale_code;
    }
    if (has_steps()) find_steps(answering, made);
    known.push_back(std::move(made));
    return known.back();
  }

  using Pair = std::pair<std::uint64_t, std::uint64_t>;

  static Pair single(Answering& answering, std::uint64_t pattern) {
    BlockInput input{.lanes = {pattern}};
    std::array<std::uint64_t, 1> code{};
    const std::uint64_t scale = answering(input, code).scale_code;
    return {scale, code[0]};
  }

  /// Bisection between neighbours in the upper 16 bits. Scales do not fall as magnitudes grow, and
  /// codes do not under one scale, so equal answers at both ends are equal in between.
  static void find_steps(Answering& answering, Known& made) {
    for (const std::uint64_t sign : {std::uint64_t{0}, formats::fp32.sign_bit()}) {
      Pair low = single(answering, sign);
      for (std::uint64_t m = 0x10000; m <= formats::fp32.inf_code(); m += 0x10000) {
        const Pair high = single(answering, m | sign);
        bisect(answering, made.steps, (m - 0x10000) | sign, low, m | sign, high);
        low = high;
      }
    }
  }

  static void bisect(Answering& answering, std::vector<std::uint64_t>& steps, std::uint64_t first,
                     const Pair& low, std::uint64_t last, const Pair& high) {
    if (low == high) return;
    if (last - first == 1) {
      steps.push_back(last);
      return;
    }
    const std::uint64_t middle = first + (last - first) / 2;
    const Pair between = single(answering, middle);
    bisect(answering, steps, first, low, middle, between);
    bisect(answering, steps, middle, between, last, high);
  }

  [[nodiscard]] bool answers_differ(const Known& a, const Known& b, std::size_t i) const {
    const auto first = static_cast<std::ptrdiff_t>(offsets[i]);
    const auto last = first + static_cast<std::ptrdiff_t>(inputs[i].lanes.size()) + 1;
    return !std::equal(a.answers.begin() + first, a.answers.begin() + last,
                       b.answers.begin() + first);
  }
};

namespace {

/// The random words worth trying where a rounding or the scale rule draws.
std::vector<std::uint32_t> random_words(const QuantizerConfig& a, const QuantizerConfig& b) {
  int bits = 32;
  bool draws = false;
  for (const QuantizerConfig* each : {&a, &b}) {
    if (is_stochastic(each->element.rounding)) bits = std::min(bits, each->element.random_bits);
    draws = draws || is_stochastic(each->element.rounding) || facts_of(each->block.rule).draws;
  }
  if (!draws) return {};
  const std::uint64_t end = std::uint64_t{1} << bits;
  return {static_cast<std::uint32_t>(end / 2), static_cast<std::uint32_t>(end - 1)};
}

}  // namespace

BlockComparer::BlockComparer(const ElementFormat& source, const BlockFormat& format)
    : state_(std::make_unique<State>(source, format)) {}
BlockComparer::~BlockComparer() = default;
BlockComparer::BlockComparer(BlockComparer&&) noexcept = default;
BlockComparer& BlockComparer::operator=(BlockComparer&&) noexcept = default;

BlockComparison BlockComparer::compare(const BlockSubject& a, const BlockSubject& b,
                                       Detail detail) {
  State& s = *state_;
  if (!(a.config.source == s.source) || !(b.config.source == s.source)) {
    throw std::logic_error("configurations of another source");
  }
  const QuantizerConfig of_a = normalized(a.config);
  const QuantizerConfig of_b = normalized(b.config);
  if (same_settings(of_a, of_b)) return {};
  const State::Known& known_a = s.known_of(a.config);
  const State::Known& known_b = s.known_of(b.config);
  const bool by_code = same_codes(a.config, b.config);
  const auto may_differ = [&](std::size_t i) {
    return !by_code || s.answers_differ(known_a, known_b, i);
  };
  Collector collector(a, b, detail);
  Agreeing agreeing(a, b);
  BlockCounts tried = s.counts;
  std::vector<std::uint64_t> steps = known_a.steps;
  steps.insert(steps.end(), known_b.steps.begin(), known_b.steps.end());
  tried.single += steps.size();
  std::vector<BlockInput> own;
  for (const std::uint64_t pattern : steps) {
    own.push_back({.lanes = {pattern}});
    if (a.masks == 0 && b.masks == 0) continue;
    // What is left open may cover the step and not what follows it.
    if (agreeing(own.back()) != Agreement::kMasked) continue;
    for (const std::uint64_t low : {0x1U, 0xFU, 0xFFU, 0xFFFU}) {
      own.push_back({.lanes = {(pattern | low) + 1}});
    }
  }
  // Smallest first within each class, so that the first of its look is the one to report.
  std::vector<std::tuple<std::uint32_t, std::uint64_t, const BlockInput*>> singles;
  const auto add_single = [&](const BlockInput& x) {
    singles.emplace_back(x.tensor_amax, simplicity(s.source, x.lanes[0]), &x);
  };
  for (const BlockInput& each : own) add_single(each);
  for (std::size_t i = 0; i < s.first_seeded; ++i) {
    if (s.inputs[i].lanes.size() == 1 && may_differ(i)) add_single(s.inputs[i]);
  }
  std::ranges::sort(singles, {},
                    [](const auto& x) { return std::pair(std::get<0>(x), std::get<1>(x)); });
  for (const auto& [amax, order, input] : singles) {
    if (collector.wants_more()) collector.add(*input);
  }
  if (collector.wants_more()) {
    for (std::size_t i = s.counts.single; i < s.first_seeded; ++i) {
      if (s.inputs[i].lanes.size() > 1 && may_differ(i)) collector.add(s.inputs[i]);
    }
  }
  // Longer blocks are never smaller than what was found; they are for what was not.
  for (std::size_t i = s.first_seeded; i < s.inputs.size() && collector.wants_more(); ++i) {
    const bool differs = may_differ(i) && agreeing(s.inputs[i]) == Agreement::kDiffer;
    if (differs) collector.add(shrunk(agreeing, s.inputs[i]));
  }
  for (const std::uint32_t random : random_words(of_a, of_b)) {
    for (std::size_t i = 0; i < s.inputs.size() && collector.wants_more(); i += kRandomStep) {
      BlockInput input = s.inputs[i];
      input.random = {random};
      collector.add(input);
      ++tried.seeded;
    }
  }
  const bool complete = s.source.bits <= 16 || s.has_steps();
  const Basis basis =
      complete && differs_in_scale_only(of_a, of_b) ? Basis::kScales : Basis::kSearched;
  return collector.take(basis, tried);
}

std::vector<BlockInput> directed_blocks(const ElementFormat& source, const BlockFormat& format,
                                        std::size_t limit) {
  std::vector<BlockInput> blocks = special_blocks(source, format);
  for (BlockInput& each : pair_blocks(source, format, 0)) blocks.push_back(std::move(each));
  std::ranges::sort(
      blocks, [&](const BlockInput& x, const BlockInput& y) { return is_smaller(source, x, y); });
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  if (blocks.size() <= limit) return blocks;
  std::vector<BlockInput> chosen;
  for (std::size_t i = 0; i < limit; ++i) chosen.push_back(blocks[i * blocks.size() / limit]);
  return chosen;
}

}  // namespace mx::golden

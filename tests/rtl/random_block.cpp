#include "tests/rtl/random_block.hpp"

#include <array>
#include <cstddef>

#include "golden/config_word/config_word.hpp"
#include "golden/config_word/table.hpp"
#include "reference/block/quantizer.hpp"
#include "tests/support/made.hpp"

namespace mx::rtl_test {
namespace {

/// A code that the mask enables.
int pick_code(Random& random, unsigned mask, int codes) {
  for (;;) {
    const int code = random.below(codes);
    if (((mask >> code) & 1) != 0) return code;
  }
}

/// A legal configuration word of the build.
std::uint32_t random_tuser(const Build& build, Random& random) {
  namespace f = golden::config_word_field;
  std::uint32_t word = 0;
  const auto put = [&](golden::ConfigWordField field, int code) {
    word |= static_cast<std::uint32_t>(code) << field.lsb;
  };
  const auto put_policy = [&](golden::ConfigWordField field, std::size_t codes) {
    const bool enabled = ((build.policy_mask >> (field.lsb - golden::kPolicyLsb)) & 1) != 0;
    if (enabled && !random.one_in(3)) put(field, random.below(static_cast<int>(codes)));
  };
  constexpr int kStochastic = static_cast<int>(golden::kStochasticCode);
  const bool stochastic = ((build.round_mask >> kStochastic) & 1) != 0 && random.one_in(4);
  put(f::kFormat, pick_code(random, build.fmt_mask, golden::kFormatCodes.size()));
  put(f::kRounding,
      stochastic ? kStochastic : pick_code(random, build.round_mask, kStochastic + 1));
  put(f::kRule, pick_code(random, build.rule_mask, golden::kRuleCodes.size()));
  put(f::kSource, pick_code(random, build.in_fmt_mask, golden::kSourceCodes.size()));
  put_policy(f::kOverflow, golden::kOverflowCodes.size());
  put_policy(f::kAmaxOver, golden::kAmaxOverCodes.size());
  put_policy(f::kInfBlock, golden::kInfBlockCodes.size());
  put_policy(f::kNanScaleCodes, golden::kNanScaleCodesCodes.size());
  put_policy(f::kEvenCarry, golden::kEvenCarryCodes.size());
  put_policy(f::kNan, golden::kNanCodes.size());
  put_policy(f::kZeroBlockScale, golden::kZeroBlockScaleCodes.size());
  put_policy(f::kScaleSat, golden::kScaleSatCodes.size());
  put_policy(f::kIntMin, golden::kIntMinCodes.size());
  put_policy(f::kZeroSign, golden::kZeroSignCodes.size());
  put_policy(f::kSrcFtz, golden::kSrcFtzCodes.size());
  return word;
}

/// Source words with the shapes that tell: shared exponents, runs of ones, ties, subnormals, both
/// ends of the exponent range, specials.
class ElementSource {
 public:
  ElementSource(Random& random, const ElementFormat& format)
      : random_(random), format_(format), top_((1 << format.exp_bits) - 1) {
    switch (random_.below(6)) {
      case 0:
        base_ = random_.below(20);
        break;
      case 1:
        base_ = top_ - 1 - random_.below(3);
        break;
      case 2:
        base_ = 0;
        break;
      default:
        base_ = random_.below(top_);
        break;
    }
    spread_ = random_.one_in(4) ? 1 : 1 + random_.below(random_.one_in(3) ? 40 : 8);
    special_in_ = random_.one_in(6) ? 1 + random_.below(40) : 0;
    zero_in_ = random_.one_in(8) ? 1 + random_.below(3) : 20;
    shape_ = random_.below(8);
  }

  std::uint32_t next() {
    const int m = format_.man_bits;
    const auto sign = static_cast<std::uint32_t>(random_.below(2)) << (format_.bits - 1);
    if (special_in_ != 0 && random_.one_in(special_in_)) {
      const auto top = static_cast<std::uint32_t>(top_) << m;
      return sign | top | (random_.one_in(2) ? 0 : fraction());
    }
    if (random_.one_in(zero_in_)) return sign;
    int exponent = base_ - random_.below(spread_);
    if (exponent < 0) exponent = 0;
    return sign | (static_cast<std::uint32_t>(exponent) << m) | fraction();
  }

 private:
  std::uint32_t fraction() {
    const int m = format_.man_bits;
    const std::uint32_t mask = (1U << m) - 1;
    const auto any = static_cast<std::uint32_t>(random_.bits()) & mask;
    const std::uint32_t low_cut = mask << random_.below(m + 1);
    const std::uint32_t high_cut = mask >> random_.below(m + 1);
    switch (shape_ < 4 ? shape_ : random_.below(4)) {
      case 0:
        return any;
      case 1:  // few significant bits
        return any & low_cut & mask;
      case 2:  // a run of ones from the top, and a bit beside it
        return (mask & ~high_cut) ^ (random_.one_in(2) ? 1U : 0U);
      default:  // leading zeros
        return any & high_cut;
    }
  }

  Random& random_;
  const ElementFormat& format_;
  int top_;
  int base_ = 0;
  int spread_ = 1;
  int special_in_ = 0;
  int zero_in_ = 20;
  int shape_ = 0;
};

/// Which lanes of a block are kept.
class KeepPattern {
 public:
  KeepPattern(Random& random, Shape shape, std::size_t count) : random_(random) {
    kind_ = shape == Shape::kWhole ? 2 : random.below(8);
    tail_ = 1 + static_cast<std::size_t>(random.below(static_cast<int>(count)));
  }
  bool operator()(std::size_t i) {
    if (kind_ == 0) return !random_.one_in(3);
    if (kind_ == 1) return i < tail_;
    return true;
  }

 private:
  Random& random_;
  int kind_ = 2;
  std::size_t tail_ = 1;
};

}  // namespace

void append_random_block(const Build& build, Random& random, Shape shape, std::vector<Beat>& out) {
  constexpr std::array kVariants{Rounding::kStochasticA, Rounding::kStochasticB,
                                 Rounding::kStochasticC};
  const std::uint32_t config_word = random_tuser(build, random);
  QuantizerConfig config =
      golden::config_of(
          config_word,
          {build.block_size, kVariants[static_cast<std::size_t>(build.sr_variant)], build.sr_bits})
          .value();
  if (build.subnormals == 0) config.element.src_ftz = SourceSubnormals::kFlush;

  const bool short_block = shape == Shape::kAny && random.one_in(4);
  const int beats = short_block ? 1 + random.below(build.beats()) : build.beats();
  const auto lanes = static_cast<std::size_t>(build.lanes);
  const std::size_t count = static_cast<std::size_t>(beats) * lanes;
  ElementSource elements(random, config.source);
  KeepPattern keep(random, shape, count);
  std::vector<Lane> block(count);
  std::vector<std::uint64_t> source(count);
  std::vector<std::uint64_t> codes(count);
  std::vector<std::uint32_t> words(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t word = elements.next();
    const auto junk = static_cast<std::uint32_t>(random.bits()) << 16;  // ignored half of a slot
    block[i].keep = keep(i);
    block[i].word = config.source.bits == 16 ? word | junk : word;
    block[i].random = words[i] = static_cast<std::uint32_t>(random.below(1 << build.sr_bits));
    source[i] = block[i].keep ? word : 0;
  }
  const BlockResult result = made(config).quantize_block(source, words, codes);
  for (std::size_t i = 0; i < count; ++i) {
    block[i].code = block[i].keep ? static_cast<std::uint8_t>(codes[i]) : std::uint8_t{0};
  }
  for (int b = 0; b < beats; ++b) {
    Beat& beat = out.emplace_back();
    const auto first = block.begin() + std::ptrdiff_t{b} * build.lanes;
    beat.lanes.assign(first, first + build.lanes);
    beat.config_word =
        b == 0 ? config_word : static_cast<std::uint32_t>(random.bits());  // ignored after that
    beat.ends_block = b + 1 == beats;
    beat.last = beat.ends_block && (beats < build.beats() || random.one_in(2));
    beat.status = golden::status_of(result);
  }
}

}  // namespace mx::rtl_test

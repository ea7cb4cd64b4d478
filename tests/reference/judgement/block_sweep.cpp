#include "tests/reference/judgement/block_sweep.hpp"

#include <algorithm>
#include <numbers>
#include <sstream>

#include "tests/support/made.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle {
namespace {

std::uint64_t sign_of(const ElementFormat& format) {
  return format.is_signed ? std::uint64_t{1} << (format.bits - 1) : 0;
}

void print_block(std::ostream& out, const BlockOutcome& block) {
  out << "scale " << hex(block.scale_code) << (block.clamped ? " clamped" : "")
      << (block.zero_block ? " zero" : "") << (block.has_inf ? " inf" : "")
      << (block.has_nan ? " nan" : "") << (block.nan_scale ? " nan_scale" : "")
      << (block.masked ? " masked" : "") << " flags " << hex(block.element_flags) << " codes";
  for (const std::uint64_t code : block.codes) out << ' ' << hex(code);
}

}  // namespace

BlockOutcome from_result(const BlockResult& result, std::vector<std::uint64_t> codes) {
  BlockOutcome out;
  out.scale_code = result.scale_code;
  out.clamped = (result.flags & kBlockScaleClamped) != 0;
  out.zero_block = (result.flags & kBlockZero) != 0;
  out.has_inf = (result.flags & kBlockHasInf) != 0;
  out.has_nan = (result.flags & kBlockHasNan) != 0;
  out.nan_scale = (result.flags & kBlockNanScale) != 0;
  out.masked = (result.flags & kBlockCodesMasked) != 0;
  out.element_flags = static_cast<std::uint8_t>(result.flags & 0xFF);
  out.codes = std::move(codes);
  return out;
}

QuantizerConfig config_of(const BlockCase& block) {
  return {block.source, block.format, block.element, block.block};
}

BlockImplementation reference_blocks() {
  return [](const BlockCase& block, std::span<const std::uint64_t> source,
            std::span<const std::uint32_t> random) {
    const Quantizer quantizer = made(config_of(block));
    std::vector<std::uint64_t> codes(source.size());
    const BlockResult result = quantizer.quantize_block(source, random, codes);
    return from_result(result, std::move(codes));
  };
}

bool same_block(const BlockOutcome& got, const BlockOutcome& want) {
  return got.scale_code == want.scale_code && got.clamped == want.clamped &&
         got.zero_block == want.zero_block && got.has_inf == want.has_inf &&
         got.has_nan == want.has_nan && got.nan_scale == want.nan_scale &&
         got.masked == want.masked && got.element_flags == want.element_flags &&
         got.codes == want.codes;
}

std::string describe_blocks(const BlockCase& block, std::span<const std::uint64_t> source,
                            std::span<const std::uint32_t> random, const BlockOutcome& got,
                            const BlockOutcome& want) {
  const ElementPolicy& e = block.element;
  const BlockPolicy& p = block.block;
  std::ostringstream out;
  out << block.source.name << "->" << block.format.name << " k=" << block.format.block_size << ' '
      << token_of(p.rule) << ' ' << token_of(e.rounding) << " N=" << e.random_bits << ' '
      << token_of(e.overflow) << " nan=" << token_of(e.nan) << " zero=" << token_of(e.zero_sign)
      << " int_min=" << token_of(e.int_min) << " src_ftz=" << token_of(e.src_ftz)
      << " dst_ftz=" << token_of(e.dst_ftz) << " tininess=" << token_of(e.tininess)
      << " scale_sat=" << token_of(p.scale_sat) << " even_carry=" << token_of(p.even_carry)
      << " amax_over=" << token_of(p.amax_over) << " inf_block=" << token_of(p.inf_block)
      << " zero_block=" << token_of(p.zero_block_scale)
      << " nan_codes=" << token_of(p.nan_scale_codes) << "\n    source";
  for (const std::uint64_t code : source) out << ' ' << hex(code, block.source.bits / 4);
  if (is_stochastic(e.rounding)) {
    out << "\n    random";
    for (const std::uint32_t r : random) out << ' ' << r;
  }
  out << "\n    got    ";
  print_block(out, got);
  out << "\n    oracle ";
  print_block(out, want);
  return out.str();
}

BlockCase random_block_case(const ElementFormat& source, const BlockFormat& format, ScaleRule rule,
                            Stream& stream) {
  BlockCase block{source, format, {}, {}};
  block.element.rounding = pick<Rounding>(stream);
  block.element.random_bits = 1 + static_cast<int>(stream.below(32));
  block.element.overflow = pick<Overflow>(stream);
  block.element.nan = pick<NanPolicy>(stream);
  block.element.zero_sign = pick<ZeroSign>(stream);
  block.element.int_min = pick<IntMin>(stream);
  block.element.src_ftz = stream.below(4) == 0 ? SourceSubnormals::kFlush : SourceSubnormals::kKeep;
  block.element.dst_ftz =
      stream.below(4) == 0 ? pick<ResultSubnormals>(stream) : ResultSubnormals::kKeep;
  block.element.tininess = pick<Tininess>(stream);
  if (stream.below(4) == 0) block.element.staging = pick<Staging>(stream);
  block.block.rule = rule;
  block.block.scale_sat = pick<ScaleSat>(stream);
  block.block.even_carry = pick<EvenCarry>(stream);
  block.block.amax_over = pick<AmaxOver>(stream);
  block.block.inf_block = pick<InfBlock>(stream);
  block.block.zero_block_scale = pick<ZeroBlockScale>(stream);
  block.block.nan_scale_codes = pick<NanScaleCodes>(stream);
  return block;
}

std::vector<std::uint64_t> amax_patterns(const ElementFormat& source,
                                         const ElementFormat& element) {
  // Fractions of a binade in units of the source's last place: where the rules turn.
  const int bits = source.man_bits;
  const std::uint64_t unit = std::uint64_t{1} << bits;
  const Real largest = element.kind == FormatKind::kFloat
                           ? value_of(element, element.max_code)
                           : value_of(element, (std::uint64_t{1} << (element.bits - 1)) - 1);
  int top = 63;
  while ((largest.significand >> top) == 0) --top;
  std::vector<std::uint64_t> centres = {0, unit / 2};
  if (top <= bits) centres.push_back((largest.significand << (bits - top)) - unit);
  const int m = element.kind == FormatKind::kFloat ? element.man_bits : top;
  if (m + 1 <= bits) centres.push_back(unit - (unit >> (m + 1)));
  // sqrt(2), and below it what a rounded logarithm takes for it, the farther the larger it is.
  const auto root = static_cast<std::uint64_t>((std::numbers::sqrt2_v<long double> - 1) *
                                               static_cast<long double>(unit));
  for (const std::uint64_t below : {0U, 4U, 8U, 16U, 31U, 62U}) {
    if (bits == 23 || below == 0) centres.push_back(root - below);
  }
  std::vector<std::uint64_t> out;
  for (std::uint64_t field = 0; field <= source.max_code >> bits; ++field) {
    for (const std::uint64_t centre : centres) {
      for (int offset = -2; offset <= 2; ++offset) {
        const auto pattern =
            static_cast<std::int64_t>(field << bits | centre) + static_cast<std::int64_t>(offset);
        if (pattern > 0 && pattern <= static_cast<std::int64_t>(source.max_code)) {
          out.push_back(static_cast<std::uint64_t>(pattern));
        }
      }
    }
  }
  for (int bit = 0; bit < bits; ++bit) {  // subnormal maxima of every exponent
    const std::uint64_t one = std::uint64_t{1} << bit;
    for (const std::uint64_t pattern : {one, one + one / 2, 2 * one - 1}) out.push_back(pattern);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::uint64_t> block_around(std::uint64_t amax, const ElementFormat& source,
                                        const ElementFormat& element, std::size_t lanes,
                                        Stream& stream) {
  const int bits = source.man_bits;
  const auto top_field = static_cast<std::int64_t>(amax >> bits);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const int precision = element.kind == FormatKind::kFloat ? element.man_bits : element.bits - 2;
  const int reach = element.kind == FormatKind::kFloat ? (1 << element.exp_bits) + precision + 4
                                                       : element.bits + 4;
  std::vector<std::uint64_t> block;
  for (std::size_t i = 0; i < lanes; ++i) {
    const std::uint64_t word = stream.next64();
    std::uint64_t magnitude = 0;
    switch (word % 8) {
      case 0:
        magnitude = 0;
        break;
      case 1:
        magnitude = amax;
        break;
      case 2:
        magnitude = stream.below(amax + 1);
        break;
      default: {
        const std::int64_t field =
            top_field - static_cast<std::int64_t>(stream.below(static_cast<unsigned>(reach)));
        std::uint64_t trailing = stream.next64() & mask;
        const int kept = static_cast<int>(stream.below(static_cast<unsigned>(precision + 3)));
        if (word % 8 >= 4 && kept < bits) {  // few significand bits: exact values and ties
          trailing &= ~(mask >> kept);
          if (word % 8 == 7) trailing ^= 1;  // one ulp beside them
        }
        magnitude =
            (static_cast<std::uint64_t>(std::max<std::int64_t>(field, 0)) << bits) | trailing;
        magnitude = std::min(magnitude, amax);
      }
    }
    block.push_back(magnitude | ((word >> 32 & 1) != 0 ? sign_of(source) : 0));
  }
  block[stream.below(lanes)] = amax | (stream.coin() ? sign_of(source) : 0);
  return block;
}

void strew_specials(std::vector<std::uint64_t>& block, const ElementFormat& source,
                    Stream& stream) {
  const std::uint64_t infinity = source.max_code + 1;
  const std::uint64_t quiet = std::uint64_t{1} << (source.man_bits - 1);
  const std::uint64_t specials[] = {0, infinity, infinity | quiet, infinity | 1,
                                    infinity | quiet | 1};
  const bool only = stream.below(8) == 0;  // sometimes nothing else is left
  for (std::uint64_t& lane : block) {
    if (!only && stream.below(4) != 0) continue;
    lane = specials[stream.below(std::size(specials))] | (stream.coin() ? sign_of(source) : 0);
  }
}

}  // namespace mx::oracle

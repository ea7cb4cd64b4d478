#include "reference/element/random_source.hpp"

#include "reference/format/table.hpp"

namespace mx {
namespace {

constexpr std::array kSources = {
    Token<RandomSource>{RandomSource::kDirect, "direct"},
    Token<RandomSource>{RandomSource::kCounter, "counter"},
    Token<RandomSource>{RandomSource::kPtxRsShared, "ptx_rs_shared"},
    Token<RandomSource>{RandomSource::kAmdTopBits, "amd_top_bits"},
    Token<RandomSource>{RandomSource::kFp16Staged, "fp16_staged"},
    Token<RandomSource>{RandomSource::kFbgemmAdd, "fbgemm_add"},
};

constexpr std::uint32_t reversed16(std::uint32_t field) {
  std::uint32_t out = 0;
  for (int i = 0; i < 16; ++i) out |= (field >> i & 1U) << (15 - i);
  return out;
}

constexpr std::uint32_t byte_of(std::uint32_t word, int i) { return word >> (8 * i) & 0xFF; }

constexpr std::uint32_t low_bits(std::uint32_t word, int bits) {
  return bits >= 32 ? word : word & ((std::uint32_t{1} << bits) - 1);
}

}  // namespace

template <>
std::span<const Token<RandomSource>> tokens<RandomSource>() {
  return kSources;
}

std::optional<PtxRs> ptx_rs_shape(const ElementFormat& destination) {
  if (destination == formats::fp16) return PtxRs::kF16x2;
  if (destination == formats::bf16) return PtxRs::kBf16x2;
  for (const ElementFormat& format :
       {formats::e4m3fn, formats::e5m2, formats::e2m3fn, formats::e3m2fn}) {
    if (destination == format) return PtxRs::kFp8x4;
  }
  if (destination == formats::e2m1fn) return PtxRs::kFp4x4;
  return std::nullopt;
}

int ptx_rs_elements(PtxRs shape) {
  return shape == PtxRs::kF16x2 || shape == PtxRs::kBf16x2 ? 2 : 4;
}

int ptx_rs_bits(PtxRs shape) { return shape == PtxRs::kF16x2 ? 13 : 16; }

std::array<std::uint32_t, 4> ptx_rs_random(PtxRs shape, std::uint32_t rbits) {
  std::uint32_t high = rbits >> 16;
  std::uint32_t low = rbits & 0xFFFF;
  if (shape == PtxRs::kF16x2) return {low_bits(high, 13), low_bits(low, 13), 0, 0};
  if (shape == PtxRs::kBf16x2) return {high, low, 0, 0};
  if (shape == PtxRs::kFp4x4) {
    high = byte_of(rbits, 3) << 8 | byte_of(rbits, 1);
    low = byte_of(rbits, 2) << 8 | byte_of(rbits, 0);
  }
  return {reversed16(high), high, reversed16(low), low};
}

std::optional<RandomBits> amd_random(const ElementFormat& source, const ElementFormat& destination,
                                     std::uint32_t seed) {
  const bool floats = source.kind == FormatKind::kFloat && destination.kind == FormatKind::kFloat;
  const int bits = source.man_bits - destination.man_bits;
  if (!floats || bits < 1 || bits > 32) return std::nullopt;
  return RandomBits{seed >> (32 - bits), bits};
}

int fp16_staged_bits(const ElementFormat& destination) {
  if (destination == formats::e4m3fn) return 7;
  if (destination == formats::e5m2) return 8;
  if (destination == formats::e3m4fn_intel) return 6;
  return 0;
}

std::optional<Encoded> fp16_staged(const Conversion& conversion, std::uint64_t source_code,
                                   std::uint32_t random) {
  const int bits = fp16_staged_bits(conversion.config().destination);
  if (bits == 0) return std::nullopt;
  ConversionConfig staged = conversion.config();
  staged.policy.staging = Staging::kViaFp16;
  staged.policy.random_bits = bits;
  const Unpacked x = seen_source(staged, source_code);
  const bool subnormal = x.cls == ValueClass::kFinite && x.exponent < formats::fp16.emin();
  staged.policy.rounding = subnormal ? Rounding::kTiesToEven : Rounding::kStochasticA;
  return Conversion::make(staged).value()(source_code, low_bits(random, bits));
}

std::optional<Encoded> fbgemm_stochastic(std::uint32_t scaled, const ElementFormat& destination,
                                         const ElementPolicy& policy, std::uint32_t random) {
  const ElementFormat& fp32 = formats::fp32;
  const int bits = fp32.man_bits - destination.man_bits;
  if (destination.kind != FormatKind::kFloat || bits < 1) return std::nullopt;
  ConversionConfig config{fp32, destination, policy};
  config.policy.rounding = Rounding::kTiesToAway;
  config.policy.staging = Staging::kNone;
  const Checked<Conversion> conversion = Conversion::make(config);
  if (!conversion) return std::nullopt;
  const auto infinity = static_cast<std::uint32_t>(fp32.inf_code());
  const std::uint32_t magnitude = low_bits(scaled, 31);
  const std::uint32_t sum = magnitude + low_bits(random, bits);
  const bool added = magnitude < infinity && sum < infinity;
  return (*conversion)(added ? (scaled ^ magnitude) | sum : scaled);
}

}  // namespace mx

// SPDX-License-Identifier: Apache-2.0
#include "backend/tensor/special_blocks.hpp"

#include <algorithm>

#include "reference/format/rows.hpp"
#include "reference/tensor/layout.hpp"

namespace mx::backend {
namespace {

bool has_own_specials(const BlockPolicy& b) {
  return b.amax_over != AmaxOver::kAll || b.nan_scale_codes == NanScaleCodes::kAsComputed ||
         (b.inf_block != InfBlock::kScaleNan && b.inf_block != InfBlock::kAllNan);
}

/// Is the product with a power of two the exact one, but below the normal numbers?
bool scales_in_fp32(const QuantizerConfig& config) {
  switch (config.block.elem_scaling) {
    case ElemScaling::kFp32Mul:
    case ElemScaling::kFp32Div:
    case ElemScaling::kFp32DivNormal:
    case ElemScaling::kFp32MulOneAt00:
      return config.format.scale == formats::e8m0 &&
             (config.source == formats::fp32 || config.source == formats::bf16 ||
              config.source == formats::fp16);
    default:
      return false;
  }
}

/// The largest scale under which codes tell nothing of what binary32 made of a product below
/// 2^-126. That is far below half of the least code's value, so that it becomes zero under most
/// roundings. It may be zero in binary32 under scales above 2^0 alone, of which flush_input tells.
std::uint64_t last_blind_scale(const ElementPolicy& p) {
  const bool is_cut =
      facts_of(p.rounding).kind == RoundingKind::kNearest || p.rounding == Rounding::kTowardZero;
  if (!is_cut) return 0;
  return p.zero_sign == ZeroSign::kFlushInput ? 127 : 255;
}

/// The bits of binary32 of the least magnitude that a scale brings to a normal number or more:
/// 2^(scale - 253).
constexpr std::uint32_t least_exact(std::uint64_t scale) {
  const auto s = static_cast<std::uint32_t>(scale);
  if (s >= 127) return (s - 126) << 23;
  return s >= 104 ? std::uint32_t{1} << (s - 104) : 1;
}
static_assert(least_exact(254) == 0x40000000);  // 2
static_assert(least_exact(127) == 0x00800000);  // 2^-126
static_assert(least_exact(126) == 0x00400000 && least_exact(104) == 1 && least_exact(0) == 1);

/// The same of the least one that a scale above 2^0 does not bring to zero, or a larger number.
constexpr std::uint32_t least_kept(std::uint64_t scale) {
  return scale <= 150 ? (std::uint32_t{1} << (scale - 128)) + 1 : least_exact(scale);
}
static_assert(least_kept(128) == 2);  // 2^-149 / 2 ties to 0

constexpr std::uint32_t kNone = 0xFFFFFFFF;

/// The least nonzero magnitude of words of a type as bits of binary32, kNone where all are zero.
/// `shift` brings a word's magnitude there. Without a branch, so that compilers use vectors.
template <typename Word>
std::uint32_t lowest_magnitude(std::span<const std::byte> words, int shift) {
  constexpr auto kMagnitude = static_cast<Word>(static_cast<Word>(~Word{0}) >> 1);
  Word lowest = static_cast<Word>(~Word{0});
  for (std::size_t i = 0; i < words.size() / sizeof(Word); ++i) {
    const auto word = static_cast<Word>(layout::load_word(words, i, sizeof(Word)));
    // A zero becomes the largest.
    lowest = std::min(lowest, static_cast<Word>((word & kMagnitude) - 1));
  }
  if (lowest >= kMagnitude) return kNone;
  return (static_cast<std::uint32_t>(lowest) + 1) << shift;
}

/// Is a magnitude that is not zero below a bound? Without a branch, and without a minimum, which
/// few processors have for words.
template <typename Word>
bool any_below(std::span<const std::byte> words, Word bound) {
  constexpr auto kMagnitude = static_cast<Word>(static_cast<Word>(~Word{0}) >> 1);
  Word found = 0;
  for (std::size_t i = 0; i < words.size() / sizeof(Word); ++i) {
    const auto word = static_cast<Word>(layout::load_word(words, i, sizeof(Word)));
    // All ones of a zero. The top bit of the difference says that it is below.
    const auto less = static_cast<Word>((word & kMagnitude) - 1);
    found = static_cast<Word>(found | (static_cast<Word>(less - (bound - 1)) & ~less));
  }
  return found > kMagnitude;
}

/// The same of words of a source, the bound being bits of binary32 of at most 2. No magnitude of
/// binary16 is below the least that any of its scales brings to a normal number.
bool any_below(const ElementFormat& source, std::span<const std::byte> words, std::uint32_t bound) {
  if (bound == 0 || source == formats::fp16) return false;
  if (source == formats::fp32) return any_below<std::uint32_t>(words, bound);
  return any_below<std::uint16_t>(words, static_cast<std::uint16_t>((bound + 0xFFFF) >> 16));
}

/// The least magnitude of words of a source. No magnitude of binary16 is below the least that any
/// of its scales brings to a normal number.
std::uint32_t lowest_magnitude(const ElementFormat& source, std::span<const std::byte> words) {
  if (source == formats::fp32) return lowest_magnitude<std::uint32_t>(words, 0);
  const std::uint32_t found = lowest_magnitude<std::uint16_t>(words, 16);
  return source == formats::bf16 || found == kNone ? found : kNone - 1;
}

}  // namespace

SpecialBlocks::SpecialBlocks(const QuantizerConfig& config)
    : job_{config.source, config.format, config.element, config.block},
      has_own_specials_(config.format.scale.has_nan() && has_own_specials(config.block)),
      scales_in_fp32_(scales_in_fp32(config)),
      last_blind_scale_(last_blind_scale(config.element)),
      differs_at_00_(config.block.elem_scaling == ElemScaling::kFp32DivNormal ||
                     config.block.elem_scaling == ElemScaling::kFp32MulOneAt00),
      word_(storage_bytes(config.source)) {}

fast::BlockJob SpecialBlocks::job() const {
  fast::BlockJob job = job_;
  if (has_own_specials_) {
    job.block.amax_over = AmaxOver::kAll;
    job.block.inf_block = InfBlock::kScaleNan;
    job.block.nan_scale_codes = NanScaleCodes::kZero;
  }
  if (scales_in_fp32_) job.block.elem_scaling = ElemScaling::kExact;
  return job;
}

bool SpecialBlocks::is_nan(std::byte scale) const {
  const ScaleFormat& format = job_.format.scale;
  return format.has_nan() && std::to_integer<std::uint64_t>(scale) == format.canonical_nan;
}

/// The least magnitude under a scale that nothing is to be told of; 0: of none.
std::uint32_t SpecialBlocks::least_of(std::uint64_t scale, Asked asked) const {
  if (asked == Asked::kFlags || last_blind_scale_ == 0) return least_exact(scale);
  return scale > last_blind_scale_ ? least_kept(scale) : 0;
}

/// Of a scale that is no NaN, and the least magnitude under it.
bool SpecialBlocks::may_be_inexact(std::uint64_t scale, std::uint32_t lowest, Asked asked) const {
  if (lowest == kNone) return false;
  return lowest < least_of(scale, asked) || (scale == 0 && differs_at_00_);
}

SpecialBlocks::Scales SpecialBlocks::scales_of(const QuantizedTensor& tensor,
                                               const Run& run) const {
  // Without a branch, so that compilers use vectors. No code is a NaN's where the format has none.
  const ScaleFormat& format = job_.format.scale;
  const unsigned nan = format.has_nan() ? static_cast<unsigned>(format.canonical_nan) : 0x100;
  unsigned largest = 0;
  unsigned nans = 0;
  unsigned least = 0xFF;
  for (const std::byte scale : tensor.scales.subspan(run.block, run.blocks)) {
    const auto code = std::to_integer<unsigned>(scale);
    nans |= code == nan ? 1U : 0U;
    largest = std::max(largest, code == nan ? 0U : code);
    least = std::min(least, code);
  }
  return {largest, nans != 0, least == 0};
}

std::uint32_t SpecialBlocks::lowest_of(const QuantizedTensor& tensor, const Run& run,
                                       std::uint64_t block) const {
  const fast::BlockLayout lines = run.layout.as_lines();
  const auto size = static_cast<std::uint64_t>(job_.format.block_size);
  const std::uint64_t of_line = (lines.length + size - 1) / size;
  const std::uint64_t column = block % lines.inner;
  const std::uint64_t place = block / lines.inner;
  const std::uint64_t first = place % of_line * size;
  const std::uint64_t last = std::min(first + size, std::uint64_t{lines.length});
  std::uint32_t lowest = kNone;
  for (std::uint64_t i = first; i < last; ++i) {
    const std::uint64_t element =
        run.element + (place / of_line * lines.length + i) * lines.inner + column;
    lowest = std::min(lowest,
                      lowest_magnitude(job_.source, tensor.source.subspan(element * word_, word_)));
  }
  return lowest;
}

std::string SpecialBlocks::for_each(const QuantizedTensor& tensor, const Run& run, Asked asked,
                                    const Work& work) const {
  const Scales seen = scales_of(tensor, run);
  const auto words = tensor.source.subspan(run.element * word_, run.layout.elements() * word_);
  const bool all = scales_in_fp32_ && any_below(job_.source, words, least_of(seen.largest, asked));
  const bool least = all || (differs_at_00_ && scales_in_fp32_ && seen.any_00);
  if (!least && !(has_own_specials_ && seen.any_nan)) return {};
  for (std::uint64_t block = 0; block < run.blocks; ++block) {
    const std::byte scale = tensor.scales[run.block + block];
    const auto code = std::to_integer<std::uint64_t>(scale);
    const bool is_special = is_nan(scale)
                                ? has_own_specials_
                                : (all || (least && code == 0)) &&
                                      may_be_inexact(code, lowest_of(tensor, run, block), asked);
    if (!is_special) continue;
    if (std::string problem = work(run.block + block); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace mx::backend

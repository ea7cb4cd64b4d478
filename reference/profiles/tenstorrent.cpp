// Tenstorrent: how tt-metal's host code packs tensors of block formats before they go to a device,
// and what the packers and unpackers of a device make of them.
#include "reference/profiles/data.hpp"

namespace mx::profile_data {
namespace {

// ---- BFP8: the largest exponent field of 16, significands shifted to it ----

/// Inf is a number of the exponent field 255 there, so 2^128, and NaN is one too. Of binary32 the
/// shift drops what lies below 2^-23 of the scale, before it rounds.
constexpr BlockRow bfp8(std::string_view sources, Masks masks = 0) {
  return {.formats = "tt_bfp8",
          .sources = sources,
          .element = {.zero_sign = ZeroSign::kFlushPositive, .src_ftz = SourceSubnormals::kFlush},
          .block = {.rule = ScaleRule::kFloor, .inf_block = InfBlock::kAsE255},
          .masks = masks | kMaskNanBlockCodes | kMaskInfBlockCodes};
}

// ---- MX: the exponent of the largest finite magnitude ----

constexpr BlockPolicy kMx = {.rule = ScaleRule::kFloor, .amax_over = AmaxOver::kFiniteOnly};
/// A block of zeros has the scale of the maximum 1: that is 1 where e_max is 0.
constexpr BlockPolicy kMxint = {.rule = ScaleRule::kFloor,
                                .amax_over = AmaxOver::kFiniteOnly,
                                .zero_block_scale = ZeroBlockScale::kOne};

/// Blocks without a finite number other than 0 have scales of their own.
constexpr BlockRow mx(std::string_view formats, Masks masks = 0) {
  return {.formats = formats, .sources = "fp32", .block = kMx, .masks = kMaskZeroBlock | masks};
}

constexpr BlockRow kE5m2 = {.formats = "mxfp8_e5m2",
                            .sources = "fp32",
                            .element = {.overflow = Overflow::kSatFiniteKeepInf},
                            .block = kMx,
                            .masks = kMaskZeroBlock,
                            .canonical_nan = 0x7D};

constexpr BlockRow kTenstorrentBlocks[] = {
    bfp8("bf16"),
    bfp8("fp32", kMaskFineLanes),
    {.formats = "tt_bfp4 tt_bfp2 tt_bfp8a tt_bfp4a tt_bfp2a",
     .sources = "fp32 bf16",
     .masks = kMaskAllBlocks},
    mx("mxfp8_e4m3"),
    kE5m2,
    mx("mxfp6_e3m2 mxfp6_e2m3 mxfp4", kMaskSpecialLanes),
    {.formats = "mxint8 mxint4",
     .sources = "fp32",
     .block = kMxint,
     .masks = kMaskZeroBlock | kMaskSubnormalBlock | kMaskSpecialLanes}};

/// It has no conversion of single values to a format of the table.
constexpr ElementRow kElements[] = {
    {.destinations = "*", .sources = "fp64 fp32 tf32 bf16 fp16", .masks = kMaskAll}};

// ---- the device: the top 16 bits of an element, rounded to BFP8; BFP4 and BFP2 are cut from it
// ----

/// Ties away from zero look at one bit alone, which lies in the upper half of binary32: taking that
/// half first changes nothing. On the way back the exponent field of 8 bits has no ends.
constexpr BlockRow kDeviceBlocks[] = {
    {.formats = "tt_bfp8 tt_bfp4 tt_bfp2",
     .sources = "fp32 bf16",
     .element = {.rounding = Rounding::kTiesToAway,
                 .zero_sign = ZeroSign::kFlushPositive,
                 .src_ftz = SourceSubnormals::kFlush},
     .block = {.rule = ScaleRule::kFloor,
               .inf_block = InfBlock::kAsTwoTo128,
               .dequant_overflow = DequantOverflow::kWrap},
     .masks = kMaskNanBlockCodes},
    {.formats = "tt_bfp8a tt_bfp4a tt_bfp2a", .sources = "fp32 bf16", .masks = kMaskAllBlocks}};

constexpr Profile kTenstorrentProfiles[] = {
    {.name = "tensix",
     .system = "Tenstorrent device",
     .version = "ttsim 1.10.0",
     .source = "tenstorrent/ttsim:src/tensix.cpp @56694c8, the ISA documentation's "
               "FloatBitPatterns and Packers/FormatConversion @3930471 (spec F14.4)",
     .description =
         "blocks only, as a packer with deterministic rounding makes and an unpacker reads them; "
         "masked: codes of blocks with NaN, which an early conversion that rounds makes Inf and "
         "one that does not keeps. Not modelled: stochastic rounding, the \"a\" variants, FP8",
     .elements = kElements,
     .blocks = kDeviceBlocks},
    {.name = "tt-metal",
     .system = "tt-metal host code",
     .version = "0.81.1",
     .source = "ttnn 0.81.1 (PyPI): ttnn/build/lib/libtt_metal.so, pack_as_*_tiles (spec F14.4)",
     .description =
         "blocks only, as the host packs tiles, not as a device does; masked: NaN, which "
         "tt_bfp8 takes for a number and formats without NaN for 0; Inf of tt_bfp8; "
         "binary32 elements whose last bits its shift may drop; the scale of MX blocks "
         "without a finite number but 0; MXINT of subnormals, whose scale is a binary32 "
         "log2. Not modelled: tt_bfp4 and tt_bfp2, rounded once there where the formats "
         "are cut from tt_bfp8, and the \"a\" variants, which make 2^-15 of what is "
         "smaller",
     .elements = kElements,
     .blocks = kTenstorrentBlocks}};

}  // namespace

std::span<const Profile> tenstorrent() { return kTenstorrentProfiles; }

}  // namespace mx::profile_data

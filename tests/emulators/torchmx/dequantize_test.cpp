// T9: decoding and the rounding of its products.
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "tests/emulators/torchmx/support.hpp"

namespace mx::emulators::torchmx {
namespace {

constexpr TensorType kBf16s = TensorType::kBf16;
constexpr TensorType kFp32s = TensorType::kFp32;
constexpr TensorType kFp16s = TensorType::kFp16;
constexpr TensorType kFp64s = TensorType::kFp64;

// Decoded by the package: 1.5 * 2^1 from each type.
TEST(Torchmx, T9_DecodesEveryTypeToEveryTarget) {
  const std::pair<std::string_view, std::uint64_t> codes[] = {
      {"float8_e4m3", 0xBC}, {"float6_e3m2", 0x2E}, {"float6_e2m3", 0x2C}, {"float4_e2m1", 0xBB}};
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    for (const auto& [name, code] : codes) {
      EXPECT_EQ(decoded({code}, {128}, name, kBf16s, mode)[0], 0xC040U) << name;
      EXPECT_EQ(decoded({code}, {128}, name, kFp32s, mode)[0], 0xC0400000U);
      EXPECT_EQ(decoded({code}, {128}, name, kFp16s, mode)[0], 0xC200U);
      EXPECT_EQ(decoded({code}, {128}, name, kFp64s, mode)[0], 0xC008000000000000U);
    }
  }
  EXPECT_EQ(decoded({0xE8}, {125}, "int8", kBf16s, Mode::kCompat), Words{0xC0C0});  // -24 / 4
  EXPECT_EQ(decoded({0xE8}, {125}, "int8", kBf16s, Mode::kStrict), Words{0xBDC0});  // / 64
}

TEST(Torchmx, T9_NansAndInfinities) {
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    EXPECT_EQ(decoded({0x7F, 0xFF, 0x38}, {127}, "float8_e4m3", kBf16s, mode),
              (Words{0x7FC0, 0x7FC0, 0x3F80}));
    EXPECT_EQ(decoded({0x00, 0x38}, {255}, "float8_e4m3", kFp32s, mode),
              (Words{0x7FC00000, 0x7FC00000}));
    EXPECT_EQ(decoded({0x7E, 0xFE}, {254}, "float8_e4m3", kFp32s, mode),
              (Words{0x7F800000, 0xFF800000}));
  }
}

// Every code under every scale: strict is the exact product rounded once.
TEST(Torchmx, T9_StrictRoundsTheExactProductOnce) {
  const ElementPolicy ieee = {.overflow = Overflow::kNoneInfOrNan};
  for (const DType& each : kSupportedElemDtypes) {
    for (const auto& [type, format] :
         {std::pair{kBf16s, &formats::bf16}, {kFp16s, &formats::fp16}, {kFp64s, &formats::fp64}}) {
      ProductTable products(each, type, Mode::kStrict);
      for (int scale = 0; scale < 256; ++scale) {
        const ProductTable::Row& row = products.of(static_cast<std::uint8_t>(scale));
        for (std::uint64_t code = 0; code < std::uint64_t{1} << each.bits(); ++code) {
          const Unpacked x = multiply(decode(format_of(each, Mode::kStrict), code),
                                      decode(formats::e8m0, static_cast<std::uint64_t>(scale)));
          ASSERT_EQ(row[code], encode(x, *format, ieee, 0).code) << each.name << code << scale;
        }
      }
    }
  }
}

/// Every code under every scale byte, a block of each byte and one of all codes: lanes against the
/// tables.
template <typename Word>
void expect_products_in_lanes(TensorType type, Mode mode, VectorTarget target) {
  ProductTable products(kInt8, type, mode);
  const IntegerSimd lanes(format_of(kInt8, mode).frac_bits, target);
  std::vector<std::byte> codes;
  for (int code = 0; code < 257; ++code) codes.push_back(static_cast<std::byte>(code & 0xFF));
  int taken = 0;
  for (int scale = 0; scale < 256; ++scale) {
    const std::array scales = {static_cast<std::byte>(scale)};
    if (!lanes.takes(scales)) continue;
    ++taken;
    const ProductTable::Row& row = products.of(static_cast<std::uint8_t>(scale));
    // Blocks of whole vectors, too.
    for (const std::size_t size : {codes.size(), codes.size() - 1}) {
      std::vector<Word> words(size);
      lanes.operator()<Word>(scales, size, codes.data(),
                             reinterpret_cast<std::byte*>(words.data()));
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(words[i], row[std::to_integer<std::size_t>(codes[i])])
            << i << ' ' << scale << ' ' << size << ' ' << name_of(target);
      }
    }
  }
  // A scale for each block.
  const std::array scales = {std::byte{127}, std::byte{90}, std::byte{200}, std::byte{127}};
  std::vector<Word> words(256);
  lanes.operator()<Word>(scales, 64, codes.data(), reinterpret_cast<std::byte*>(words.data()));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& row = products.of(std::to_integer<std::uint8_t>(scales[i / 64]));
    ASSERT_EQ(words[i], row[std::to_integer<std::size_t>(codes[i])]) << i << name_of(target);
  }
  EXPECT_EQ(taken, 247);
  EXPECT_FALSE(lanes.takes(std::array{std::byte{127}, std::byte{0}}));
  EXPECT_FALSE(lanes.takes(std::array{std::byte{255}, std::byte{127}}));
}

TEST(Torchmx, WholeNumbersInLanesAreTheTables) {
  for (const VectorTarget target : supported_targets()) {
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      expect_products_in_lanes<std::uint16_t>(kBf16s, mode, target);
      expect_products_in_lanes<std::uint32_t>(kFp32s, mode, target);
    }
  }
}

TEST(Torchmx, KT8_TheProductIsRoundedInTheTargetType) {
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    EXPECT_EQ(decoded({0x01}, {0}, "float8_e4m3", kBf16s, mode), Words{0});
    EXPECT_EQ(decoded({0x01}, {0}, "float8_e4m3", kFp32s, mode), Words{0x00002000});  // 2^-136
    EXPECT_EQ(decoded({0x01}, {0}, "float8_e4m3", kFp64s, mode), Words{0x3770000000000000});
  }
}

TEST(Torchmx, KT14_ScalesOverflowAndVanishInFp16) {
  const Words codes = {0x00, 0x38, 0x38};
  const Words scales = {0x90, 0x90, 0x60};
  EXPECT_EQ(decoded(codes, scales, "float8_e4m3", kFp16s, Mode::kCompat),
            (Words{0x7E00, 0x7C00, 0x0000}));
  EXPECT_EQ(decoded(codes, scales, "float8_e4m3", kFp16s, Mode::kStrict),
            (Words{0x0000, 0x7C00, 0x0000}));
  // 2^-30 * 448 is 7 * 2^-24: the scale alone is lost in compat.
  EXPECT_EQ(decoded({0x7E}, {0x61}, "float8_e4m3", kFp16s, Mode::kCompat), Words{0});
  EXPECT_EQ(decoded({0x7E}, {0x61}, "float8_e4m3", kFp16s, Mode::kStrict), Words{7});
}

// The package multiplies by 1 - 2 * (bits above the magnitude); strict takes the element's bits
// only.
TEST(Torchmx, T9_StrayBitsOfSixBitCodes) {
  EXPECT_EQ(decoded({0xC5, 0x25, 0xFF, 0x45}, {127}, "float6_e2m3", kFp32s, Mode::kCompat),
            (Words{0xC0DC0000, 0xBF200000, 0xC2C30000, 0xBFF00000}));
  const Checked<Tensor> strict = dequantize_mx(
      bytes_of({0x25, 0x45}), bytes_of({127}),
      {.elem_dtype_name = "float6_e2m3", .block_size = 2, .block_dim = 0}, Mode::kStrict);
  EXPECT_EQ(exception_of(strict.problem()), "ValueError");
}

TEST(Torchmx, T9_BlocksAlongEveryDimension) {
  const Tensor data = tensor_of(TensorType::kUint8, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto first_of = [&](std::int64_t dim, Shape scales, Mode mode) {
    const Tensor scale = tensor_of(TensorType::kUint8, std::move(scales), {127, 129, 131, 133});
    return words_of(*dequantize_mx(
        data, scale,
        {.elem_dtype_name = "int8", .block_size = 2, .target_dtype = kBf16s, .block_dim = dim},
        mode));
  };
  const Words last = {0x3F80, 0x4000, 0x4140, 0x4180, 0x42A0, 0x42C0, 0x43E0, 0x4400};
  const Words middle = {0x3F80, 0x4100, 0x4040, 0x4180, 0x42A0, 0x43C0, 0x42E0, 0x4400};
  EXPECT_EQ(first_of(-1, {2, 2, 1}, Mode::kCompat), last);
  EXPECT_EQ(first_of(2, {2, 2, 1}, Mode::kCompat), last);
  EXPECT_EQ(first_of(1, {2, 1, 2}, Mode::kCompat), middle);
  EXPECT_EQ(first_of(-2, {2, 1, 2}, Mode::kCompat), middle);
  const Words strict = first_of(1, {2, 1, 2}, Mode::kStrict);
  EXPECT_EQ(strict[0], middle[0] - (6 << 7));
}

// As torch broadcasts; strict takes fitting shapes only.
TEST(Torchmx, T9_BroadcastsScalesInCompatOnly) {
  const Tensor data = tensor_of(TensorType::kUint8, {2, 2}, {0x38, 0x40, 0x38, 0x40});
  const Dequantization call = {.elem_dtype_name = "float8_e4m3", .block_size = 2, .block_dim = -1};
  const Tensor scale = tensor_of(TensorType::kUint8, {1, 1}, {128});
  EXPECT_EQ(words_of(*dequantize_mx(data, scale, call, Mode::kCompat)),
            (Words{0x4000, 0x4080, 0x4000, 0x4080}));
  EXPECT_EQ(exception_of(dequantize_mx(data, scale, call, Mode::kStrict).problem()),
            "RuntimeError");
}

TEST(Torchmx, T9_RefusesWhatThePackageRefuses) {
  const Tensor data = tensor_of(TensorType::kUint8, {4, 8}, Words(32));
  const Tensor scale = tensor_of(TensorType::kUint8, {4, 2}, Words(8));
  const auto refused = [&](Dequantization call, Mode mode) {
    return exception_of(dequantize_mx(data, scale, call, mode).problem());
  };
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    EXPECT_EQ(refused({.elem_dtype_name = "zz"}, mode), "KeyError");
    EXPECT_EQ(refused({.elem_dtype_name = "int8", .block_size = 3}, mode), "RuntimeError");
    EXPECT_EQ(refused({.elem_dtype_name = "int8", .block_size = -1}, mode), "RuntimeError");
    EXPECT_EQ(refused({.elem_dtype_name = "int8", .block_size = 4, .block_dim = 5}, mode),
              "IndexError");
    EXPECT_EQ(refused({.elem_dtype_name = "float4_e2m1", .block_size = 4, .block_dim = -3}, mode),
              "IndexError");
    Tensor signed_data = data;
    signed_data.type = TensorType::kInt8;
    const Dequantization call = {.elem_dtype_name = "float8_e4m3", .block_size = 4};
    EXPECT_EQ(exception_of(dequantize_mx(signed_data, scale, call, mode).problem()),
              "AssertionError");
  }
}

}  // namespace
}  // namespace mx::emulators::torchmx

// The casts by text.
#include "emulators/casts/casts.hpp"
#include "emulators/common/interface.hpp"

#include "emulators/torchmx/floatx/number_text.hpp"
#include "tests/emulators/torchmx/support.hpp"

namespace mx::emulators::torchmx {
namespace {

CastPointer cast_of(std::string_view text, Mode mode = Mode::kStrict) {
  const Checked<CastPointer> cast = make_cast(text, {.mode = mode});
  EXPECT_EQ(cast.problem(), "") << text;
  return cast ? *cast : nullptr;
}

std::vector<std::string> names_of(const std::vector<Tensor>& results) {
  std::vector<std::string> names;
  for (const Tensor& each : results) names.push_back(each.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(TorchmxCast, TextsReadBack) {
  const std::pair<std::string_view, std::string_view> texts[] = {
      {"quantize_mx(elem_dtype=int8)", "quantize_mx(elem_dtype=int8, block_size=32)"},
      {"quantize_mx(elem_dtype_name=int8,block_size=4,path=hw_exact,values=float32)",
       "quantize_mx(elem_dtype=int8, block_size=4, path=hw_exact, values=float32)"},
      {"to_mx(elem_dtype=float4_e2m1, values=none)",
       "to_mx(elem_dtype=float4_e2m1, block_size=32, values=none)"},
      {"dequantize_mx(elem_dtype=int8)",
       "dequantize_mx(elem_dtype=int8, block_size=32, target_dtype=bfloat16, block_dim=-1)"},
      {"to_dtype(elem_dtype=int8,padding=3,target_dtype=float16,block_dim=1)",
       "to_dtype(elem_dtype=int8, block_size=32, target_dtype=float16, block_dim=1, padding=3)"},
      {"quantize_elements(elem_dtype=float8_e4m3, path=hw_exact)",
       "quantize_elements(elem_dtype=float8_e4m3, path=hw_exact)"},
      {"noop_fw_to_mx_bw(elem_dtype=int8)", "noop_fw_to_mx_bw(elem_dtype=int8, block_size=32)"},
      {"hp_to_floatx(exponent_bits=4,mantissa_bits=3,max_normal=448.0)",
       "hp_to_floatx(exponent_bits=4, mantissa_bits=3, max_normal=448, round_mode=round_to_even, "
       "keep_subnormals=True)"},
      {"hp_to_floatx(exponent_bits=2,mantissa_bits=3,max_normal=7.5,round_mode=truncate,"
       "keep_subnormals=False)",
       "hp_to_floatx(exponent_bits=2, mantissa_bits=3, max_normal=0x401E000000000000, "
       "round_mode=truncate, keep_subnormals=False)"}};
  for (const auto& [text, canonical] : texts) {
    const CastPointer cast = cast_of("torchmx:" + std::string(text));
    EXPECT_EQ(cast->text(), canonical);
    EXPECT_EQ(cast_of("torchmx:" + cast->text())->text(), canonical);
  }
}

TEST(TorchmxCast, RefusesOtherTexts) {
  for (const std::string_view text :
       {"quantize(elem_dtype=int8)", "quantize_mx()", "quantize_mx(elem_dtype=int8, path=exact)",
        "quantize_mx(elem_dtype=int8, block_size=x)", "quantize_mx(elem_dtype=int8, values=int8)",
        "dequantize_mx(elem_dtype=int8, target_dtype=none)", "hp_to_floatx(exponent_bits=4)",
        "hp_to_floatx(exponent_bits=4,mantissa_bits=3,max_normal=big)",
        "hp_to_floatx(exponent_bits=4,mantissa_bits=3,max_normal=448,round_mode=nearest)",
        "to_mx(elem_dtype=int8, mode=compat)"}) {
    const Checked<CastPointer> cast = make_cast("torchmx:" + std::string(text), {});
    EXPECT_EQ(exception_of(cast.problem()), "ValueError") << text;
  }
}

TEST(TorchmxCast, GivesValuesScalesAndData) {
  const Tensor data = bf16s({0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0});
  const Checked<std::vector<Tensor>> padded =
      cast_of("torchmx:to_mx(elem_dtype=float4_e2m1, block_size=4)")->apply({.tensor = data});
  ASSERT_EQ(padded.problem(), "");
  EXPECT_EQ(names_of(*padded), (Names{"values", "scale", "data"}));
  EXPECT_EQ(words_of((*padded)[0]), (Words{0x3F80, 0x4000, 0x4040, 0x4080, 0x4080}));
  EXPECT_EQ(words_of((*padded)[2]), (Words{0x24, 0x56, 0x60}));
  Tensor gradient = data;
  gradient.name = "gradient";
  const Checked<std::vector<Tensor>> passed =
      cast_of("torchmx:to_mx(elem_dtype=int8, block_size=5, values=none)")
          ->apply({.tensor = data, .operands = {gradient}});
  EXPECT_EQ(names_of(*passed), (Names{"scale", "data", "gradient"}));
  EXPECT_EQ((*passed)[2].bytes, data.bytes);
  const Checked<std::vector<Tensor>> refused =
      cast_of("torchmx:quantize_mx(elem_dtype=int8, block_size=4)")->apply({.tensor = data});
  EXPECT_EQ(exception_of(refused.problem()), "AssertionError");
  const Checked<std::vector<Tensor>> unknown =
      cast_of("torchmx:quantize_mx(elem_dtype=e5m2)")->apply({.tensor = data});
  EXPECT_EQ(exception_of(unknown.problem()), "KeyError");
}

TEST(TorchmxCast, DecodesWithTheScaleAsAnOperand) {
  Tensor scale = bytes_of({128});
  scale.name = "scale";
  const Tensor data = bytes_of({0x38, 0x40});
  const CastPointer decode =
      cast_of("torchmx:dequantize_mx(elem_dtype=float8_e4m3, block_size=2, block_dim=0)");
  EXPECT_EQ(words_of((*decode->apply({.tensor = data, .operands = {scale}}))[0]),
            (Words{0x4000, 0x4080}));
  EXPECT_EQ(exception_of(decode->apply({.tensor = data}).problem()), "TypeError");
  const CastPointer padded =
      cast_of("torchmx:to_dtype(elem_dtype=float4_e2m1, block_size=4, padding=1)", Mode::kCompat);
  Tensor gradient = bf16s({0x3F80, 0x3F80, 0x3F80});
  gradient.name = "gradient";
  const Tensor packed = bytes_of({0x24, 0x50});
  EXPECT_EQ(words_of((*padded->apply({.tensor = packed, .operands = {scale}}))[0]),
            (Words{0x4000, 0x4080, 0x40C0}));
  EXPECT_EQ(
      exception_of(padded->apply({.tensor = packed, .operands = {scale, gradient}}).problem()),
      "ValueError");
}

TEST(TorchmxCast, QuantizesElementsUnderGivenScales) {
  Tensor scale = bytes_of({127, 120});
  scale.name = "scale";
  const Tensor data = bf16s({0x3F80, 0x7FC0, 0x3F80, 0xC3E0});
  const CastPointer cast =
      cast_of("torchmx:quantize_elements(elem_dtype=float8_e4m3)", Mode::kCompat);
  EXPECT_EQ(words_of((*cast->apply({.tensor = data, .operands = {scale}}))[0]),
            (Words{0x38, 0x00, 0x70, 0xFE}));
  EXPECT_EQ(exception_of(cast->apply({.tensor = data}).problem()), "TypeError");
}

TEST(TorchmxCast, NoopForwardGivesItsInputAndTheCastGradient) {
  const CastPointer cast =
      cast_of("torchmx:noop_fw_to_mx_bw(elem_dtype=float8_e4m3, block_size=2)");
  Tensor gradient = bf16s({0x3F81, 0x3F80});
  gradient.name = "gradient";
  const Tensor data = bf16s({0x3F81, 0x3F81});
  const Checked<std::vector<Tensor>> results =
      cast->apply({.tensor = data, .operands = {gradient}});
  EXPECT_EQ(names_of(*results), (Names{"values", "gradient", "scale", "data"}));
  EXPECT_EQ((*results)[0].bytes, data.bytes);
  EXPECT_EQ(words_of((*results)[1]), (Words{0x3F80, 0x3F80}));
  EXPECT_EQ(*cast->random_words({.tensor = data}), 0U);
}

TEST(TorchmxCast, NumbersAreTheNearestBinary64) {
  const std::pair<std::string_view, std::uint64_t> numbers[] = {
      {"448", 0x407C000000000000},
      {"0.1", 0x3FB999999999999A},
      {"-1e3", 0xC08F400000000000},
      {"3.4028234663852886e38", 0x47EFFFFFE0000000},
      {"1.7976931348623157e308", 0x7FEFFFFFFFFFFFFF},
      {"2.2250738585072014e-308", 0x0010000000000000},
      {"4.9406564584124654e-324", 1},
      {"9007199254740993", 0x4340000000000000},
      {"0x7F7FFFFF", 0x47EFFFFFE0000000},
      {"0x401E000000000000", 0x401E000000000000},
      {"0", 0},
      {"inf", 0x7FF0000000000000}};
  for (const auto& [text, word] : numbers) {
    ASSERT_TRUE(read_binary64(text)) << text;
    EXPECT_EQ(*read_binary64(text), word) << text;
    EXPECT_EQ(read_binary64(binary64_text(word)), word);
  }
  for (const std::string_view none : {"", ".", "1.2.3", "e3", "0x12", "1e999999", "12a", "- 3"}) {
    EXPECT_FALSE(read_binary64(none)) << none;
  }
}

}  // namespace
}  // namespace mx::emulators::torchmx

// The published examples, through the program: style.md section 13, formats.md section 17.
#include <fmt/format.h>

#include "tests/cli/program/quantized.hpp"

namespace mx::cli::test {
namespace {

/// fp32 inputs, one block a row, through `quantize --format f --rule r`.
TensorFile rows(const Scratch& scratch, const Words& bits, std::size_t columns,
                const std::vector<std::string>& options) {
  const std::string shape = fmt::format("({}, {})", bits.size() / columns, columns);
  const std::string input = scratch.write("in.npy", npy_array("<f4", shape, words(bits, 4)));
  return quantize(scratch, input, options);
}

TEST(WorkedExample, GivesTheScaleAndCodesOfTheStyleGuide) {
  const Scratch scratch;
  Words bits(32, 0);
  bits[0] = 0x40490FDB;
  bits[1] = 0xBF400000;
  bits[2] = 0x3C000000;
  bits[3] = 0x3A83126F;
  const TensorFile file = rows(scratch, bits, 32, {"--format", "mxfp8_e4m3"});
  Words codes(32, 0);
  codes[0] = 0x7D;
  codes[1] = 0xEC;
  codes[2] = 0x38;
  codes[3] = 0x20;
  EXPECT_EQ(words_of(file, "data.codes"), codes);
  EXPECT_EQ(words_of(file, "data.scales"), Words{0x78});
}

struct ScaleRow {
  const char* name;
  const char* format;
  Words amax;
  const char* rule;
  Words scales;
};
void PrintTo(const ScaleRow& row, std::ostream* out) { *out << row.format << ", " << row.rule; }

class ScaleTable : public testing::TestWithParam<ScaleRow> {};

TEST_P(ScaleTable, HasTheScalesOfG1AndG2) {
  const Scratch scratch;
  const ScaleRow& row = GetParam();
  const TensorFile file = rows(scratch, row.amax, 1, {"--format", row.format, "--rule", row.rule});
  EXPECT_EQ(words_of(file, "data.scales"), row.scales);
}

// 5, 6, 6 + ulp, 7, 8 - ulp
const Words kG1 = {0x40A00000, 0x40C00000, 0x40C00001, 0x40E00000, 0x40FFFFFF};
// 384, 448 + ulp, 464, 496, 512 - ulp
const Words kG2 = {0x43C00000, 0x43E00001, 0x43E80000, 0x43F80000, 0x43FFFFFF};

INSTANTIATE_TEST_SUITE_P(
    G1, ScaleTable,
    testing::Values(ScaleRow{"Floor", "mxfp4", kG1, "floor", {0x7F, 0x7F, 0x7F, 0x7F, 0x7F}},
                    ScaleRow{"Ceil", "mxfp4", kG1, "ceil", {0x80, 0x80, 0x80, 0x80, 0x80}},
                    ScaleRow{"Rceil", "mxfp4", kG1, "rceil", {0x7F, 0x7F, 0x80, 0x80, 0x80}},
                    ScaleRow{"EvenUp", "mxfp4", kG1, "even_up", {0x7F, 0x7F, 0x7F, 0x80, 0x80}},
                    ScaleRow{
                        "EvenDown", "mxfp4", kG1, "even_down", {0x7F, 0x7F, 0x7F, 0x7F, 0x80}}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    G2, ScaleTable,
    testing::Values(
        ScaleRow{"Floor", "mxfp8_e4m3", kG2, "floor", {0x7F, 0x7F, 0x7F, 0x7F, 0x7F}},
        ScaleRow{"Ceil", "mxfp8_e4m3", kG2, "ceil", {0x80, 0x80, 0x80, 0x80, 0x80}},
        ScaleRow{"Rceil", "mxfp8_e4m3", kG2, "rceil", {0x7F, 0x80, 0x80, 0x80, 0x80}},
        ScaleRow{"EvenUp", "mxfp8_e4m3", kG2, "even_up", {0x7F, 0x7F, 0x7F, 0x80, 0x80}},
        ScaleRow{"EvenDown", "mxfp8_e4m3", kG2, "even_down", {0x7F, 0x7F, 0x7F, 0x7F, 0x80}},
        ScaleRow{"E5m2Rceil", "mxfp8_e5m2", {0x47600001}, "rceil", {0x80}},
        ScaleRow{"E5m2EvenUp", "mxfp8_e5m2", {0x47600001}, "even_up", {0x7F}},
        ScaleRow{"E2m3Rceil", "mxfp6_e2m3", {0x40F00001, 0x40F80000}, "rceil", {0x80, 0x80}},
        ScaleRow{"E2m3EvenUp", "mxfp6_e2m3", {0x40F00001, 0x40F80000}, "even_up", {0x7F, 0x80}},
        ScaleRow{"E2m3EvenDown", "mxfp6_e2m3", {0x40F00001, 0x40F80000}, "even_down", {0x7F, 0x7F}},
        ScaleRow{"E3m2Rceil", "mxfp6_e3m2", {0x41F00000}, "rceil", {0x80}},
        ScaleRow{"E3m2EvenUp", "mxfp6_e3m2", {0x41F00000}, "even_up", {0x80}},
        ScaleRow{"E3m2EvenDown", "mxfp6_e3m2", {0x41F00000}, "even_down", {0x7F}},
        ScaleRow{"E3m2Floor", "mxfp6_e3m2", {0x41F00000}, "floor", {0x7F}}),
    [](const auto& row) { return row.param.name; });

TEST(ElementTable, HasTheE2m1CodesOfG3) {
  const Scratch scratch;
  // 7, 3.5, 2.5, 0.75, 0.25, -0, 0.1
  const Words bits = {0x40E00000, 0x40600000, 0x40200000, 0x3F400000,
                      0x3E800000, 0x80000000, 0x3DCCCCCD};
  const TensorFile floor = rows(scratch, bits, 7, {"--format", "mxfp4"});
  EXPECT_EQ(words_of(floor, "data.scales"), Words{0x7F});
  EXPECT_EQ(words_of(floor, "data.codes"), (Words{7, 6, 4, 2, 0, 8, 0}));
  for (const char* rule : {"ceil", "rceil", "even_up"}) {
    const TensorFile up = rows(scratch, bits, 7, {"--format", "mxfp4", "--rule", rule});
    EXPECT_EQ(words_of(up, "data.scales"), Words{0x80}) << rule;
    EXPECT_EQ(words_of(up, "data.codes"), (Words{6, 4, 2, 1, 0, 8, 0})) << rule;
  }
}

TEST(ElementTable, HasTheE4m3CodesOfG3) {
  const Scratch scratch;
  // 480, 449, 448, 1.0625, 2^-7
  const Words bits = {0x43F00000, 0x43E08000, 0x43E00000, 0x3F880000, 0x3C000000};
  const TensorFile floor = rows(scratch, bits, 5, {"--format", "mxfp8_e4m3"});
  EXPECT_EQ(words_of(floor, "data.scales"), Words{0x7F});
  EXPECT_EQ(words_of(floor, "data.codes"), (Words{0x7E, 0x7E, 0x7E, 0x38, 0x04}));
  const TensorFile ceil = rows(scratch, bits, 5, {"--format", "mxfp8_e4m3", "--rule", "ceil"});
  EXPECT_EQ(words_of(ceil, "data.scales"), Words{0x80});
  EXPECT_EQ(words_of(ceil, "data.codes"), (Words{0x77, 0x76, 0x76, 0x30, 0x02}));
}

TEST(ElementTable, HasTheTiesOfG4) {
  const Scratch scratch;
  // 0.25, 1.25, 1.75, 3.5, 5
  const Words bits = {0x3E800000, 0x3FA00000, 0x3FE00000, 0x40600000, 0x40A00000};
  const auto codes = [&](const char* rounding) {
    return words_of(rows(scratch, bits, 5, {"--format", "e2m1fn", "--rounding", rounding}),
                    "data.codes");
  };
  EXPECT_EQ(codes("ties_to_even"), (Words{0, 2, 4, 6, 6}));
  EXPECT_EQ(codes("ties_to_away"), (Words{1, 3, 4, 6, 7}));
  EXPECT_EQ(codes("toward_zero"), (Words{0, 2, 3, 5, 6}));
  EXPECT_EQ(codes("ties_to_zero"), (Words{0, 2, 3, 5, 6}));
}

TEST(ElementTable, HasTheInt8CodeOfG8AndTheMostNegativeOnlyIfAllowed) {
  const Scratch scratch;
  const Words bits = {0x3FFFFCB9, 0xC0000000};  // 1.9999, -2: the block maximum is 2
  for (const auto& [int_min, code] : {std::pair{"clamp_symmetric", 0x81U}, {"allow", 0x80U}}) {
    const TensorFile one =
        rows(scratch, {bits[0]}, 1, {"--format", "mxint8", "--int-min", int_min});
    EXPECT_EQ(words_of(one, "data.codes"), Words{0x7F});
    EXPECT_EQ(words_of(one, "data.scales"), Words{0x7F});
    const TensorFile alone = rows(scratch, bits, 2, {"--format", "int8", "--int-min", int_min});
    EXPECT_EQ(words_of(alone, "data.codes"), (Words{0x7F, code}));
  }
}

TEST(ElementTable, StagesAsG11Says) {
  const Scratch scratch;
  const Words bits = {0x3F880400};  // 1.0625 + 2^-13
  EXPECT_EQ(words_of(rows(scratch, bits, 1, {"--format", "e4m3fn"}), "data.codes"), Words{0x39});
  EXPECT_EQ(words_of(rows(scratch, bits, 1, {"--format", "e4m3fn", "--staging", "via_fp16"}),
                     "data.codes"),
            Words{0x38});
}

TEST(ElementTable, SpecialsFollowTheirPolicies) {
  const Scratch scratch;
  const Words bits = {0x7FC00000, 0xFFC00000, 0x7F800000, 0xFF800000, 0x43E80001, 0x80000000};
  EXPECT_EQ(words_of(rows(scratch, bits, 6, {"--format", "e4m3fn"}), "data.codes"),
            (Words{0x7F, 0x7F, 0x7E, 0xFE, 0x7E, 0x80}));
  EXPECT_EQ(words_of(rows(scratch, bits, 6,
                          {"--format", "e4m3fn", "--nan", "keep_sign", "--overflow",
                           "none_inf_or_nan", "--zero-sign", "flush_positive"}),
                     "data.codes"),
            (Words{0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0x00}));
  EXPECT_EQ(words_of(rows(scratch, bits, 6, {"--format", "e2m1fn", "--nan", "to_opposite_zero"}),
                     "data.codes"),
            (Words{8, 0, 7, 0xF, 7, 8}));
}

}  // namespace
}  // namespace mx::cli::test

// What the named profiles do with single values: spec F10.2, F11.5, F14 and F17, every
// fact that names a system, asked through its profile.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/element/default_policy.hpp"
#include "reference/format/table.hpp"
#include "tests/reference/profiles/profile_ask.hpp"
#include "tests/support/made.hpp"

namespace mx::profile_element_test {
namespace {

constexpr std::uint64_t kInf = 0x7F800000, kMinusInf = 0xFF800000;
constexpr std::uint64_t kNan = 0x7FC00000, kMinusNan = 0xFFC00000;

struct Row {
  const char* profile;
  const char* destination;
  std::uint64_t bits, code;
  const char* variant = "";
  const char* source = "fp32";
};

void check(const std::vector<Row>& rows) {
  ProfileDesk desk;
  for (const Row& r : rows) {
    EXPECT_EQ(desk.code(r.profile, r.destination, r.bits, r.variant, r.source), r.code)
        << r.profile << ' ' << r.destination << ' ' << std::hex << r.bits << ' ' << r.variant;
    EXPECT_FALSE(desk.masked(r.profile, r.destination, r.bits, r.variant, r.source))
        << r.profile << ' ' << r.destination << ' ' << std::hex << r.bits << ' ' << r.variant;
  }
}

/// A row of tables 10.2 or 14.1: one input, the codes of several variants.
void check_variants(const char* profile, const char* destination, std::uint64_t bits,
                    const std::vector<std::pair<const char*, std::uint64_t>>& codes,
                    const char* source = "fp32") {
  std::vector<Row> rows;
  for (const auto& [variant, code] : codes) {
    rows.push_back({profile, destination, bits, code, variant, source});
  }
  check(rows);
}

// spec F16.1: what mxgold-default does beyond the largest value, at the limit, beside it and below
// zero. Limits of fp16 and e5m2 are halfway to the next power of two.
TEST(Profiles, TheDefaultIsIeeesWhereThereAreInfinities) {
  constexpr std::uint64_t kMax = 0x7F7FFFFF, kMinusMax = 0xFF7FFFFF;
  const auto from = [](const char* source, std::vector<Row> rows) {
    for (Row& row : rows) row.source = source;
    check(rows);
  };
  from("e5m2", {{"mxgold-default", "bf16", 0x7C, 0x7F80},
                {"mxgold-default", "bf16", 0xFC, 0xFF80},
                {"mxgold-default", "bf16", 0x7B, 0x4760},
                {"mxgold-default", "fp16", 0x7C, 0x7C00},
                {"mxgold-default", "fp32", 0x7C, kInf},
                {"mxgold-default", "fp32", 0xFC, kMinusInf},
                {"mxgold-default", "e4m3fn", 0x7C, 0x7E},
                {"mxgold-default", "e4m3fn", 0xFC, 0xFE}});
  from("fp64", {{"mxgold-default", "fp32", 0x7FF0000000000000, kInf},
                {"mxgold-default", "fp32", 0x47EFFFFFEFFFFFFF, kMax},
                {"mxgold-default", "fp32", 0x47EFFFFFF0000000, kInf},
                {"mxgold-default", "fp32", 0xC7EFFFFFF0000000, kMinusInf}});
  check({{"mxgold-default", "fp16", f32(70000), 0x7C00},
         {"mxgold-default", "fp16", f32(65519), 0x7BFF},
         {"mxgold-default", "fp16", 0x477FEFFF, 0x7BFF},
         {"mxgold-default", "fp16", f32(65520), 0x7C00},
         {"mxgold-default", "fp16", f32(65521), 0x7C00},
         {"mxgold-default", "fp16", f32(-65519), 0xFBFF},
         {"mxgold-default", "fp16", f32(-65520), 0xFC00},
         {"mxgold-default", "bf16", kMax, 0x7F80},
         {"mxgold-default", "bf16", kMinusMax, 0xFF80},
         {"mxgold-default", "bf16", 0x7F7F7FFF, 0x7F7F},
         {"mxgold-default", "bf16", 0x7F7F8000, 0x7F80},
         {"mxgold-default", "e5m2", f32(61440), 0x7C},
         {"mxgold-default", "e5m2", 0x476FFFFF, 0x7B},
         {"mxgold-default", "e5m2", f32(-61440), 0xFC},
         {"mxgold-default", "e5m2", kMinusInf, 0xFC},
         {"mxgold-default", "binary8p4se", kInf, 0x7F},
         {"mxgold-default", "binary8p4se", kMinusInf, 0xFF}});
}

// Formats without infinities saturate, as ever; so do elements of blocks, in every format.
TEST(Profiles, TheDefaultSaturatesWhereThereAreNoInfinities) {
  check({{"mxgold-default", "e4m3fn", f32(463), 0x7E},
         {"mxgold-default", "e4m3fn", f32(464), 0x7E},
         {"mxgold-default", "e4m3fn", f32(465), 0x7E},
         {"mxgold-default", "e4m3fn", kInf, 0x7E},
         {"mxgold-default", "e4m3fn", kMinusInf, 0xFE},
         {"mxgold-default", "e5m2fnuz", kInf, 0x7F},
         {"mxgold-default", "e2m1fn", f32(-100), 0xF},
         {"mxgold-default", "int8", kMinusInf, 0x81},
         {"mxgold-default", "e8m0", kInf, 0xFE}});
  for (const ElementFormat& format : all_formats()) {
    const bool is_ieees = default_policy(format).overflow == Overflow::kNoneInfOrNan;
    EXPECT_EQ(is_ieees, format.has_inf()) << format.name;
    EXPECT_TRUE(is_ieees || default_policy(format) == ElementPolicy{}) << format.name;
  }
  ProfileDesk desk;
  EXPECT_EQ(desk.config("mxgold-default", "mxfp8_e5m2").element, ElementPolicy{});
  EXPECT_EQ(desk.block("mxgold-default", "mxfp8_e5m2", {f32(61440), f32(-61440)}).codes,
            (std::vector<std::uint64_t>{0x7B, 0xFB}));
}

// IEEE 754, 7.4: an overflow that the rounding directs inward is the largest number, never one of
// an infinity. to_odd is none of IEEE's roundings: infinities (spec F10.1).
TEST(Profiles, TheDefaultOverflowsAsItsRoundingIsDirected) {
  struct Directed {
    Rounding rounding;
    std::uint64_t above, below;
  };
  for (const auto& [rounding, above, below] : {Directed{Rounding::kTiesToEven, 0x7C00, 0xFC00},
                                               {Rounding::kTiesToAway, 0x7C00, 0xFC00},
                                               {Rounding::kTowardZero, 0x7BFF, 0xFBFF},
                                               {Rounding::kTowardPositive, 0x7C00, 0xFBFF},
                                               {Rounding::kTowardNegative, 0x7BFF, 0xFC00},
                                               {Rounding::kToOdd, 0x7C00, 0xFC00}}) {
    ConversionConfig config{formats::fp32, formats::fp16, default_policy(formats::fp16)};
    config.policy.rounding = rounding;
    const Conversion convert = made(config);
    EXPECT_EQ(convert(f32(70000)).code, above) << token_of(rounding);
    EXPECT_EQ(convert(f32(-70000)).code, below) << token_of(rounding);
    EXPECT_EQ(convert(kInf).code, 0x7C00U) << token_of(rounding);
    EXPECT_EQ(convert(kMinusInf).code, 0xFC00U) << token_of(rounding);
    EXPECT_EQ(convert(kInf).flags, 0) << token_of(rounding);
  }
}

// Every profile of spec F16 and S1.3 that this version speaks of.
TEST(Profiles, AllOfTheTablesExist) {
  for (const char* name : {"mxgold-default",
                           "ocp-mx-1.0",
                           "cuda-13.0-host",
                           "ptx-9.0",
                           "cublas-13",
                           "te",
                           "torchao-0.19dev",
                           "torchao-0.18",
                           "microxcaling-1.1.0/py-f32",
                           "microxcaling-1.1.0/cpp",
                           "microxcaling-1.1.0/py-bf16",
                           "microxcaling-1.1.0/py-f16",
                           "fbgemm",
                           "triton-kernels-3.5",
                           "torch-2.15/cpu",
                           "torch-2.11/cuda",
                           "torch-2.11/compiled",
                           "triton-3.6/sm_90",
                           "jax-0.11/gpu",
                           "modelopt-0.47",
                           "compressed-tensors-0.20",
                           "ggml",
                           "onnx-op25-spec",
                           "onnx-ref",
                           "ml_dtypes-0.6",
                           "amd-gfx950-host",
                           "amd-gfx942-host",
                           "quark-0.13",
                           "p3109-4.0",
                           "p3109-formal-20260714",
                           "tosa-1.1",
                           "intel-fp8et",
                           "hif4",
                           "hif8",
                           "gfloat",
                           "torchmx-0.1.0/sim",
                           "torchmx-0.1.0/hw",
                           "dmx-0.1.11/cpu",
                           "qtorch-0.3.0/cpu",
                           "aimet-2.42",
                           "tensix",
                           "tt-metal"}) {
    EXPECT_NE(find_profile(name), nullptr) << name;
  }
  EXPECT_EQ(all_profiles().size(), 42U);
  EXPECT_EQ(all_profiles().front().name, "mxgold-default");
  EXPECT_EQ(find_profile("mxgold"), nullptr);
}

TEST(G4, Torchao) {
  for (const char* name : {"torchao-0.18", "torchao-0.19dev", "cuda-13.0-host", "ml_dtypes-0.6"}) {
    check({{name, "e2m1fn", f32(0.25), 0},
           {name, "e2m1fn", f32(1.25), 2},
           {name, "e2m1fn", f32(1.75), 4},
           {name, "e2m1fn", f32(3.5), 6},
           {name, "e2m1fn", f32(5.0), 6}});
  }
}

TEST(G4, Microxcaling) {
  for (const char* name : {"microxcaling-1.1.0/py-f32", "microxcaling-1.1.0/cpp", "fbgemm"}) {
    check({{name, "e2m1fn", f32(0.25), 1},
           {name, "e2m1fn", f32(1.25), 3},
           {name, "e2m1fn", f32(1.75), 4},
           {name, "e2m1fn", f32(3.5), 6},
           {name, "e2m1fn", f32(5.0), 7}});
  }
}

TEST(G4, MicroxcalingFloorAndEven) {
  for (const char* name : {"microxcaling-1.1.0/py-f32", "microxcaling-1.1.0/cpp"}) {
    check({{name, "e2m1fn", f32(0.25), 0, "floor"},
           {name, "e2m1fn", f32(1.75), 3, "floor"},
           {name, "e2m1fn", f32(5.0), 6, "floor"},
           {name, "e2m1fn", f32(0.25), 0, "even"},
           {name, "e2m1fn", f32(1.75), 4, "even"},
           {name, "e2m1fn", f32(5.0), 6, "even"}});
  }
}

TEST(G4, Ggml) {
  check({{"ggml", "e2m1fn", f32(0.25), 0},
         {"ggml", "e2m1fn", f32(1.25), 2},
         {"ggml", "e2m1fn", f32(1.75), 3},
         {"ggml", "e2m1fn", f32(3.5), 5},
         {"ggml", "e2m1fn", f32(5.0), 6},
         {"ggml", "e2m1fn", f32(-0.25), 0},
         {"ggml", "e2m1fn", 0x80000000, 0}});
}

// The columns of CUDA: rz sat, rp sat, rp nosat.
TEST(G6, Cuda) {
  const auto row = [](std::uint64_t bits, std::uint64_t rz, std::uint64_t rp,
                      std::uint64_t rp_nosat, const char* source = "fp32") {
    check_variants("cuda-13.0-host", "e8m0", bits,
                   {{"toward_zero", rz}, {"", rp}, {"nosat", rp_nosat}}, source);
  };
  row(0, 0x00, 0x00, 0x00);
  row(0x00400000, 0x00, 0x00, 0x00);
  row(0x00400001, 0x00, 0x01, 0x01);
  row(f32(1.5), 0x7F, 0x80, 0x80);
  row(f32(-1.5), 0x7F, 0x80, 0x80);
  row(kInf, 0xFE, 0xFE, 0xFF);
  row(f64(0x1p128), 0xFE, 0xFE, 0xFF, "fp64");
  check({{"cuda-13.0-host", "e8m0", f64(0x1p128), 0xFE, "toward_zero+nosat", "fp64"}});
}

TEST(G6, OnnxUp) {
  check({{"onnx-ref", "e8m0", 0, 0x00},
         {"onnx-ref", "e8m0", 0x00400000, 0x01},
         {"onnx-ref", "e8m0", 0x00400001, 0x01},
         {"onnx-ref", "e8m0", 0x00000001, 0x01},
         {"onnx-ref", "e8m0", f32(1.5), 0x80},
         {"onnx-ref", "e8m0", f32(-1.5), 0x80},
         {"onnx-ref", "e8m0", kInf, 0xFF},
         {"onnx-ref", "e8m0", kNan, 0xFF},
         {"onnx-ref", "e8m0", 0x7F7FFFFF, 0xFE},
         {"onnx-ref", "e8m0", 0x7F7FFFFF, 0xFF, "saturate_0"}});
}

TEST(G6, OnnxNearest) {
  check({{"onnx-ref", "e8m0", 0, 0x00, "nearest"},
         {"onnx-ref", "e8m0", 0x00400000, 0x00, "nearest"},
         {"onnx-ref", "e8m0", 0x00400001, 0x01, "nearest"},
         {"onnx-ref", "e8m0", f32(1.5), 0x80, "nearest"},
         {"onnx-ref", "e8m0", f32(3.0), 0x81, "nearest"},
         {"onnx-ref", "e8m0", f32(-1.5), 0x80, "nearest"},
         {"onnx-ref", "e8m0", kInf, 0xFF, "nearest"}});
}

// The operator's tables: zero without saturation is NaN, infinity with saturation FE.
TEST(G6, OnnxTable) {
  check({{"onnx-op25-spec", "e8m0", 0, 0x00},
         {"onnx-op25-spec", "e8m0", kInf, 0xFE},
         {"onnx-op25-spec", "e8m0", kNan, 0xFF},
         {"onnx-op25-spec", "e8m0", 0x7F7FFFFF, 0xFE},
         {"onnx-op25-spec", "e8m0", 0x00200000, 0x00},
         {"onnx-op25-spec", "e8m0", 0, 0xFF, "nosat_nearest"},
         {"onnx-op25-spec", "e8m0", kInf, 0xFF, "nosat_nearest"},
         {"onnx-op25-spec", "e8m0", f32(1.5), 0x80, "nosat_nearest"}});
  ProfileDesk desk;
  EXPECT_TRUE(desk.masked("onnx-op25-spec", "e8m0", f32(-1.5)));
  EXPECT_TRUE(desk.masked("onnx-op25-spec", "e8m0", 0x80000000));
  EXPECT_TRUE(desk.masked("onnx-op25-spec", "e8m0", 0x00200000, "nosat_nearest"));
  // The table has NaN for x > 2^127; rounded first it would be 2^127.
  EXPECT_TRUE(desk.masked("onnx-op25-spec", "e8m0", 0x7F000001, "nosat_nearest"));
  EXPECT_FALSE(desk.masked("onnx-op25-spec", "e8m0", 0x7F000000, "nosat_nearest"));
  EXPECT_FALSE(desk.masked("onnx-op25-spec", "e8m0", 0x7F000001));
}

TEST(G6, Mldtypes) {
  const auto row = [](std::uint64_t bits, std::uint64_t nosat, std::uint64_t sat) {
    check_variants("ml_dtypes-0.6", "e8m0", bits, {{"", nosat}, {"saturate", sat}});
  };
  row(0, 0xFF, 0x00);
  row(0x80000000, 0xFF, 0x00);
  row(0x00400000, 0x00, 0x00);
  row(0x00400001, 0x01, 0x01);
  row(f32(1.5), 0x80, 0x80);
  row(f32(-1.5), 0xFF, 0x00);
  row(kInf, 0xFF, 0xFF);
  row(0x7F7FFFFF, 0xFF, 0xFE);
}

// spec F11.5 as bit forms, on every binary32 exponent and the fractions that matter.
TEST(Table11_5, BitForms) {
  ProfileDesk desk;
  const ConversionConfig down = desk.conversion("cuda-13.0-host", "e8m0", "fp32", "toward_zero");
  const ConversionConfig up = desk.conversion("cuda-13.0-host", "e8m0");
  const ConversionConfig mldtypes = desk.conversion("ml_dtypes-0.6", "e8m0");
  const ConversionConfig onnx_up = desk.conversion("onnx-ref", "e8m0");
  const ConversionConfig onnx_nearest = desk.conversion("onnx-ref", "e8m0", "fp32", "nearest");
  for (std::uint64_t e = 0; e < 254; ++e) {
    for (const std::uint64_t m : {0x000000U, 0x000001U, 0x3FFFFFU, 0x400000U, 0x400001U, 0x5FFFFFU,
                                  0x600000U, 0x600001U, 0x7FFFFFU}) {
      const std::uint64_t bits = e << 23 | m;
      if (bits == 0) continue;
      const std::uint64_t normal_up = e + (m != 0 ? 1 : 0);
      const std::uint64_t nearest = e != 0 ? e + (m >= 0x400000 ? 1 : 0) : m > 0x400000 ? 1 : 0;
      EXPECT_EQ(made(down)(bits).code, e) << std::hex << bits;
      EXPECT_EQ(made(up)(bits).code, e != 0         ? normal_up
                                     : m > 0x400000 ? 1U
                                                    : 0U)
          << std::hex << bits;
      EXPECT_EQ(made(mldtypes)(bits).code, nearest) << std::hex << bits;
      EXPECT_EQ(made(onnx_up)(bits).code, normal_up) << std::hex << bits;
      EXPECT_EQ(made(onnx_nearest)(bits).code, nearest) << std::hex << bits;
    }
  }
}

TEST(G7, E2m1Nan) {
  check({{"cuda-13.0-host", "e2m1fn", kNan, 7},
         {"ptx-9.0", "e2m1fn", kNan, 7},
         {"onnx-op25-spec", "e2m1fn", kMinusNan, 7},
         {"cublas-13", "e2m1fn", kMinusNan, 7},
         {"te", "e2m1fn", kNan, 7}});
}

TEST(G7, AmdE2m1Nan) {
  check({{"amd-gfx950-host", "e2m1fn", kNan, 7},
         {"amd-gfx950-host", "e2m1fn", kMinusNan, 0xF},
         {"amd-gfx950-host", "e3m2fn", kMinusNan, 0x3F}});
}

TEST(G7, MldtypesE2m1Nan) {
  check({{"ml_dtypes-0.6", "e2m1fn", kNan, 8},
         {"ml_dtypes-0.6", "e2m1fn", kMinusNan, 0},
         {"ml_dtypes-0.6", "e2m3fn", kNan, 0x20},
         {"ml_dtypes-0.6", "e3m2fn", kMinusNan, 0}});
}

// The evaluator of onnx 1.23.2 casts by ml_dtypes; the operator's text has +6 for NaN.
TEST(G7, OnnxEvaluatorsNan) {
  check({{"onnx-ref", "e2m1fn", kNan, 0x8},
         {"onnx-ref", "e2m1fn", kMinusNan, 0x0},
         {"onnx-ref", "e2m1fn", kInf, 0x7},
         {"onnx-ref", "e5m2", kNan, 0x7E},
         {"onnx-ref", "e5m2", kMinusNan, 0xFE},
         {"onnx-ref", "e5m2", kNan, 0x7E, "saturate_0"},
         {"onnx-op25-spec", "e2m1fn", kNan, 0x7}});
}

TEST(G7, E4m3NegativeNan) {
  check({{"cuda-13.0-host", "e4m3fn", kMinusNan, 0x7F},
         {"ml_dtypes-0.6", "e4m3fn", kMinusNan, 0xFF},
         {"amd-gfx950-host", "e4m3fn", kMinusNan, 0xFF},
         {"onnx-ref", "e4m3fn", kMinusNan, 0xFF, "saturate_0"}});
}

TEST(G7, E5m2Nan) {
  check({{"cuda-13.0-host", "e5m2", kNan, 0x7F},
         {"ml_dtypes-0.6", "e5m2", kNan, 0x7E},
         {"ml_dtypes-0.6", "e5m2", kMinusNan, 0xFE},
         {"amd-gfx950-host", "e5m2", kNan, 0x7E},
         {"amd-gfx950-host", "e5m2", kMinusNan, 0xFE}});
}

TEST(G7, E4m3BeyondTheLargest) {
  check({{"cuda-13.0-host", "e4m3fn", f32(500), 0x7E},
         {"ptx-9.0", "e4m3fn", f32(500), 0x7E},
         {"ml_dtypes-0.6", "e4m3fn", f32(500), 0x7F},
         {"amd-gfx950-host", "e4m3fn", f32(500), 0x7F}});
}

TEST(G11, IntelRoundsTwice) {
  const std::uint64_t x = f32(1.0625 + 0x1p-13);
  check({{"intel-fp8et", "e4m3fn", x, 0x38},
         {"mxgold-default", "e4m3fn", x, 0x39},
         {"cuda-13.0-host", "e4m3fn", x, 0x39}});
}

TEST(G12, StochasticBits) {
  ProfileDesk desk;
  const ConversionConfig rs = desk.conversion("ptx-9.0", "e4m3fn", "fp32", "rs");
  EXPECT_EQ(rs.policy.rounding, Rounding::kStochasticA);
  EXPECT_EQ(rs.policy.random_bits, 16);
  const std::pair<const char*, int> fields[] = {{"e4m3fn", 20}, {"e5m2", 21}, {"e2m1fn", 22}};
  for (const auto& [format, bits] : fields) {
    EXPECT_EQ(desk.conversion("amd-gfx950-host", format, "fp32", "sr").policy.random_bits, bits);
  }
  EXPECT_EQ(desk.conversion("amd-gfx950-host", "e4m3fn", "bf16", "sr").policy.random_bits, 4);
  const std::pair<const char*, int> intel[] = {{"e4m3fn", 7}, {"e5m2", 8}, {"e3m4fn_intel", 6}};
  for (const auto& [format, bits] : intel) {
    EXPECT_EQ(desk.conversion("intel-fp8et", format, "fp32", "stochastic").policy.random_bits,
              bits);
  }
  // spec F9.4: how each makes R of the words it is given.
  const std::pair<const char*, RandomSource> sources[] = {
      {"ptx-9.0", RandomSource::kPtxRsShared},
      {"amd-gfx950-host", RandomSource::kAmdTopBits},
      {"intel-fp8et", RandomSource::kFp16Staged}};
  for (const auto& [name, source] : sources) {
    const ElementRow* const row =
        find_row(desk.profile(name), formats::fp32, desk.format("e4m3fn"));
    ASSERT_NE(row, nullptr) << name;
    EXPECT_EQ(row->random_source, source) << name;
  }
  for (const char* const source : {"fp32", "bf16"}) {
    for (const char* const format : {"e4m3fn", "e5m2", "e2m3fn", "e3m2fn", "e2m1fn"}) {
      const auto bits = amd_random(desk.format(source), desk.format(format), 0);
      ASSERT_TRUE(bits);
      EXPECT_EQ(desk.conversion("amd-gfx950-host", format, source, "sr").policy.random_bits,
                bits->bits);
    }
  }
  // e4m3fn, x = 449: all ones overflow, all zeros stay.
  EXPECT_EQ(desk.code("amd-gfx950-host", "e4m3fn", f32(449), "sr", "fp32", 0xFFFFF), 0x7FU);
  EXPECT_EQ(desk.code("amd-gfx950-host", "e4m3fn", f32(449), "sr", "fp32", 0), 0x7EU);
}

TEST(G13, P3109SatNone) {
  check({{"p3109-4.0", "binary8p4sf", f32(1000), 0x7F},
         {"p3109-formal-20260714", "binary8p4sf", f32(1000), 0x80},
         {"p3109-4.0", "binary8p4se", f32(1000), 0x7F},
         {"p3109-4.0", "binary8p4se", f32(1000), 0x7E, "toward_zero"},
         {"p3109-formal-20260714", "binary8p4se", f32(1000), 0x7F},
         {"p3109-formal-20260714", "binary8p4se", f32(1000), 0x7E, "toward_zero"},
         {"p3109-4.0", "binary8p4se", f32(1000), 0x7E, "sat_finite"},
         {"p3109-4.0", "binary8p4se", kInf, 0x7F, "sat_propagate"},
         {"gfloat", "binary8p4sf", f32(1000), 0x80}});
}

// spec F14.1, the table of the host functions: e4m3fn and e5m2 sat/nosat, FP6 and FP4 rn/rz.
TEST(Table14_1, Fp8) {
  const auto row = [](const char* format, std::uint64_t bits, std::uint64_t sat,
                      std::uint64_t nosat) {
    check_variants("cuda-13.0-host", format, bits, {{"", sat}, {"nosat", nosat}});
  };
  for (const char* format : {"e4m3fn", "e5m2"}) row(format, 0x80000000, 0x80, 0x80);
  row("e4m3fn", kInf, 0x7E, 0x7F);
  row("e5m2", kInf, 0x7B, 0x7C);
  row("e4m3fn", kMinusInf, 0xFE, 0xFF);
  row("e5m2", kMinusInf, 0xFB, 0xFC);
  for (const std::uint64_t nan : {kNan, kMinusNan, std::uint64_t{0x7F800001}}) {
    row("e4m3fn", nan, 0x7F, 0x7F);
    row("e5m2", nan, 0x7F, 0x7F);
  }
  row("e4m3fn", f32(464), 0x7E, 0x7E);
  row("e4m3fn", f32(464) + 1, 0x7E, 0x7F);
  row("e5m2", f32(464), 0x5F, 0x5F);
  row("e5m2", f32(61440) - 1, 0x7B, 0x7B);
  row("e5m2", f32(61440), 0x7B, 0x7C);
  row("e4m3fn", f32(0x1p-10), 0x00, 0x00);
  row("e4m3fn", f32(0x1p-10) + 1, 0x01, 0x01);
}

TEST(Table14_1, DoubleSources) {
  constexpr std::uint64_t kNan64 = 0x7FF8000000000000, kMinusNan64 = 0xFFF8000000000000;
  check({{"cuda-13.0-host", "e4m3fn", kNan64, 0x7F, "", "fp64"},
         {"cuda-13.0-host", "e4m3fn", kMinusNan64, 0xFF, "", "fp64"},
         {"cuda-13.0-host", "e5m2", kNan64, 0x7E, "", "fp64"},
         {"cuda-13.0-host", "e5m2", kMinusNan64, 0xFE, "", "fp64"},
         {"cuda-13.0-host", "e2m1fn", kMinusNan64, 0x7, "", "fp64"},
         {"cuda-13.0-host", "e8m0", kMinusNan64, 0xFF, "", "fp64"},
         // Rounded once (spec F9.5).
         {"cuda-13.0-host", "e4m3fn", f64(1.0625 + 0x1p-40), 0x39, "", "fp64"},
         {"cuda-13.0-host", "e4m3fn", f64(464 + 0x1p-40), 0x7F, "nosat", "fp64"},
         {"cuda-13.0-host", "e2m1fn", f64(5 + 0x1p-40), 7, "", "fp64"}});
  ProfileDesk desk;
  EXPECT_TRUE(desk.masked("cuda-13.0-host", "e5m2", kNan64 | std::uint64_t{1} << 50, "", "fp64"));
}

TEST(Table14_1, Fp6AndFp4) {
  const auto row = [](std::uint64_t bits, std::uint64_t e2m3, std::uint64_t e3m2,
                      std::uint64_t e2m1) {
    const std::pair<const char*, std::uint64_t> columns[] = {
        {"e2m3fn", e2m3}, {"e3m2fn", e3m2}, {"e2m1fn", e2m1}};
    for (const auto& [format, code] : columns) {
      check_variants("cuda-13.0-host", format, bits, {{"", code}, {"toward_zero", code}});
    }
  };
  row(0x80000000, 0x20, 0x20, 0x8);
  row(kInf, 0x1F, 0x1F, 0x7);
  row(kMinusInf, 0x3F, 0x3F, 0xF);
  row(kNan, 0x1F, 0x1F, 0x7);
  row(kMinusNan, 0x1F, 0x1F, 0x7);
  row(f32(464), 0x1F, 0x1F, 0x7);
}

// e8m0: rz sat, rz nosat, rp sat, rp nosat.
TEST(Table14_1, E8m0) {
  const auto row = [](std::uint64_t bits, std::uint64_t rz, std::uint64_t rz_nosat,
                      std::uint64_t rp, std::uint64_t rp_nosat, const char* source = "fp32") {
    check_variants(
        "cuda-13.0-host", "e8m0", bits,
        {{"toward_zero", rz}, {"toward_zero+nosat", rz_nosat}, {"", rp}, {"nosat", rp_nosat}},
        source);
  };
  row(0x80000000, 0x00, 0x00, 0x00, 0x00);
  row(kInf, 0xFE, 0xFF, 0xFE, 0xFF);
  row(kMinusInf, 0xFE, 0xFF, 0xFE, 0xFF);
  row(kNan, 0xFF, 0xFF, 0xFF, 0xFF);
  row(f32(464), 0x87, 0x87, 0x88, 0x88);
  row(f32(61440), 0x8E, 0x8E, 0x8F, 0x8F);
  row(0x00400000, 0x00, 0x00, 0x00, 0x00);
  row(0x00400001, 0x00, 0x00, 0x01, 0x01);
  row(0x00800000, 0x01, 0x01, 0x01, 0x01);
  row(f32(-1.5), 0x7F, 0x7F, 0x80, 0x80);
  row(f32(0x1p127) + 1, 0xFE, 0xFE, 0xFE, 0xFF);
  row(f64(0x1p128), 0xFE, 0xFE, 0xFE, 0xFF, "fp64");
  row(f64(1e300), 0xFE, 0xFE, 0xFE, 0xFF, "fp64");
}

TEST(Table10_2, OnnxSaturation) {
  check({{"onnx-op25-spec", "e4m3fn", kInf, 0x7E},
         {"onnx-op25-spec", "e5m2", kMinusInf, 0xFB},
         {"onnx-op25-spec", "e4m3fnuz", kInf, 0x7F},
         {"onnx-op25-spec", "e5m2fnuz", f32(1e10), 0x7F},
         {"onnx-op25-spec", "e4m3fn", f32(-500), 0xFF, "saturate_0"},
         {"onnx-op25-spec", "e5m2", kInf, 0x7C, "saturate_0"},
         {"onnx-op25-spec", "e4m3fnuz", kInf, 0x80, "saturate_0"},
         {"onnx-op25-spec", "e2m1fn", kMinusInf, 0xF},
         {"onnx-op25-spec", "e2m1fn", f32(100), 0x7}});
}

TEST(Table10_2, MldtypesSaturation) {
  check({{"ml_dtypes-0.6", "e4m3fn", f32(464), 0x7E},
         {"ml_dtypes-0.6", "e4m3fn", f32(464) + 1, 0x7F},
         {"ml_dtypes-0.6", "e4m3fn", kInf, 0x7F, "saturate"},
         {"ml_dtypes-0.6", "e5m2", kInf, 0x7C, "saturate"},
         {"ml_dtypes-0.6", "e5m2", f32(1e10), 0x7B, "saturate"},
         {"ml_dtypes-0.6", "e4m3fnuz", 0x80000000, 0x00},
         {"ml_dtypes-0.6", "e4m3fnuz", kInf, 0x80},
         {"ml_dtypes-0.6", "e4m3fnuz", f32(248), 0x80},
         {"ml_dtypes-0.6", "e4m3fnuz", f32(248), 0x7F, "saturate"},
         {"ml_dtypes-0.6", "e4m3b11fnuz", f32(31), 0x80},
         {"ml_dtypes-0.6", "e4m3b11fnuz", f32(31), 0x7F, "saturate"},
         {"ml_dtypes-0.6", "e2m1fn", kInf, 7}});
}

TEST(Table10_2, AmdOverflow) {
  check({{"amd-gfx950-host", "e4m3fn", f32(-500), 0xFF},
         {"amd-gfx950-host", "e5m2", f32(1e10), 0x7C},
         {"amd-gfx950-host", "e4m3fn", f32(-500), 0xFE, "fp16_ovfl"},
         {"amd-gfx950-host", "e5m2", f32(1e10), 0x7B, "fp16_ovfl"}});
}

TEST(Table10_2, IntelSpecials) {
  check({{"intel-fp8et", "e4m3fn", kNan, 0x7E},
         {"intel-fp8et", "e4m3fn", kMinusNan, 0xFE},
         {"intel-fp8et", "e4m3fn", f32(-0x1p100), 0xFE},
         {"intel-fp8et", "e3m4fn_intel", kInf, 0x7E},
         {"intel-fp8et", "e5m2", f32(1e10), 0x7C},
         {"intel-fp8et", "e5m2", kMinusInf, 0xFC},
         {"intel-fp8et", "e5m2", kNan, 0x7E},
         {"intel-fp8et", "e5m2", kMinusNan, 0xFE},
         {"intel-fp8et", "e5m2", f32(-65519), 0xFB, "rtz"},
         {"intel-fp8et", "e5m2", f32(65520), 0x7C, "rtz"}});
  ProfileDesk desk;
  EXPECT_FALSE(desk.masked("intel-fp8et", "e5m2", kMinusNan));
  EXPECT_TRUE(desk.masked("intel-fp8et", "e5m2", kMinusNan | 1));
  EXPECT_TRUE(desk.masked("intel-fp8et", "e4m3fn", f32(0x1p-8)));
  EXPECT_FALSE(desk.masked("intel-fp8et", "e4m3fn", f32(0x1p-6)));
}

TEST(Table10_2, TorchaoSmallNanIsGarbage) {
  ProfileDesk desk;
  for (const char* name : {"torchao-0.18", "torchao-0.19dev"}) {
    EXPECT_TRUE(desk.masked(name, "e2m1fn", kNan));
    EXPECT_FALSE(desk.masked(name, "e2m1fn", kInf));
    EXPECT_FALSE(desk.masked(name, "e4m3fn", kNan));
  }
  check({{"torchao-0.18", "e4m3fn", kMinusNan, 0xFF},
         {"torchao-0.19dev", "e4m3fn", kMinusNan, 0x7F}});
}

// Seen in HiFloat8's own emulation (spec F3.3): the ends, halves between them, no zero with a sign.
TEST(Table10_2, HiFloat8) {
  check({{"hif8", "hif8", f32(40959), 0x6E},
         {"hif8", "hif8", f32(40960), 0x6F},
         {"hif8", "hif8", f32(-40960), 0xEF},
         {"hif8", "hif8", kMinusInf, 0xEF},
         {"hif8", "hif8", kMinusNan, 0x80},
         {"hif8", "hif8", f32(0x1p-23), 0x01},
         {"hif8", "hif8", f32(0x1p-23) - 1, 0x00},
         {"hif8", "hif8", f32(-0x1p-24), 0x00},
         {"hif8", "hif8", 0x80000000, 0x00},
         {"hif8", "hif8", f32(0x1.8p-22), 0x02},
         {"hif8", "hif8", f32(1.0625), 0x09},
         {"hif8", "hif8", f32(-1.0625), 0x89},
         {"hif8", "hif8", f32(15.5), 0x40},
         {"hif8", "hif8", f32(24576), 0x6D},
         {"hif8", "hif8", f32(28672), 0x6E}});
}

// spec S9.1: KQ3, KQ4, KQ5, KQ6.
TEST(Qtorch, Quirks) {
  check({{"qtorch-0.3.0/cpu", "e5m2fin", kNan, 0x7F},
         {"qtorch-0.3.0/cpu", "e5m2fin", kMinusNan, 0xFF},
         {"qtorch-0.3.0/cpu", "e5m2fin", kInf, 0x7F}});
  const std::pair<double, std::uint64_t> ties[] = {{0.25, 1}, {0.75, 2}, {1.25, 3}, {1.75, 4},
                                                   {2.5, 5},  {3.5, 6},  {5, 7},    {-2.5, 0xD}};
  for (const auto& [x, code] : ties) check({{"qtorch-0.3.0/cpu", "e2m1fn", f32(x), code}});
  ProfileDesk desk;
  for (const double x : {464.0, 465.0, 480.0, 500.0, 1e9}) {
    EXPECT_EQ(decode(desk.format("e4m3fin"), desk.code("qtorch-0.3.0/cpu", "e4m3fin", f32(x))),
              unpack_integer(false, 480, 0));
  }
  const std::pair<double, std::uint64_t> halves[] = {
      {65504, 65504}, {65520, 65536}, {70000, 70016}, {131072, 131008}};
  for (const auto& [x, value] : halves) {
    EXPECT_EQ(decode(desk.format("e5m10fin"), desk.code("qtorch-0.3.0/cpu", "e5m10fin", f32(x))),
              unpack_integer(false, value, 0));
  }
  EXPECT_EQ(desk.code("qtorch-0.3.0/cpu", "e4m3fin", 0x80000000), 0U);
  EXPECT_TRUE(desk.masked("qtorch-0.3.0/cpu", "e4m3fin", 0x7FFFFFFF));
  // A value just below a tie of the subnormals: the addition of 2^emin rounds it onto the tie.
  EXPECT_TRUE(desk.masked("qtorch-0.3.0/cpu", "e4m3fin", f32(0x1p-10) - 1));
  EXPECT_FALSE(desk.masked("qtorch-0.3.0/cpu", "e4m3fin", f32(0x1p-10)));
  // KQ8: the random word is R of stochastic A with N = 20.
  const std::uint64_t x = f32(1.0625);
  EXPECT_EQ(desk.code("qtorch-0.3.0/cpu", "e4m3fin", x, "stochastic", "fp32", 0x7FFFF), 0x38U);
  EXPECT_EQ(desk.code("qtorch-0.3.0/cpu", "e4m3fin", x, "stochastic", "fp32", 0x80000), 0x39U);
}

TEST(Dmx, FloatsRoundToEvenAndFlushBeforeRounding) {
  check({{"dmx-0.1.11/cpu", "e2m1fn", f32(0.25), 0},
         {"dmx-0.1.11/cpu", "e2m1fn", f32(1.75), 4},
         {"dmx-0.1.11/cpu", "e4m3fin", f32(0x1.F8p-7), 0, "flush"},
         {"dmx-0.1.11/cpu", "e4m3fin", f32(0x1p-6), 8, "flush"}});
}

// spec S9.4: KM5, KM12, KM17, KM18.
TEST(Microxcaling, Quirks) {
  check({{"microxcaling-1.1.0/py-f32", "e4m3fn", 0x80000000, 0x00},
         {"microxcaling-1.1.0/py-f32", "e4m3fn", 0x8DA24260, 0x80},
         {"microxcaling-1.1.0/cpp", "e4m3fn", 0x8DA24260, 0x00},
         {"microxcaling-1.1.0/cpp", "e2m1fn", kInf, 0x7},
         {"microxcaling-1.1.0/cpp", "e2m1fn", kMinusInf, 0xF},
         {"microxcaling-1.1.0/cpp", "int8", kInf, 0x7F},
         {"microxcaling-1.1.0/py-f32", "int8", f32(100), 0x7F},
         {"microxcaling-1.1.0/py-f32", "e4m3fn", f32(-0x1p-9), 0x00, "no_denorm"},
         {"microxcaling-1.1.0/py-f32", "e4m3fn", f32(0x1p-6), 0x08, "no_denorm"},
         {"microxcaling-1.1.0/py-f32", "e5m2", kInf, 0x7C},
         {"microxcaling-1.1.0/py-f32", "e5m2", f32(1e10), 0x7B},
         {"microxcaling-1.1.0/py-f32", "e5m2", f32(1e10), 0x7C, "nosat"}});
  ProfileDesk desk;
  EXPECT_TRUE(desk.masked("microxcaling-1.1.0/py-f32", "e2m1fn", kInf));
  EXPECT_TRUE(desk.masked("microxcaling-1.1.0/py-f32", "e2m1fn", f32(0.25) - 1));  // 0.5 - ulp of a
  EXPECT_FALSE(desk.masked("microxcaling-1.1.0/py-f32", "e2m1fn", f32(0.25) - 2));
  EXPECT_TRUE(desk.masked("microxcaling-1.1.0/py-f32", "e5m2", 0x7F7FFFFF));
  EXPECT_FALSE(desk.masked("microxcaling-1.1.0/py-f32", "e5m2", 0x7F7FFFD3));
  // KT11's slip: floor of 8 - ulp.
  EXPECT_TRUE(desk.masked("microxcaling-1.1.0/py-f32", "e4m3fn", 0x40FFFFFF, "floor"));
  EXPECT_FALSE(desk.masked("microxcaling-1.1.0/py-f32", "e4m3fn", 0x40FFFFFF));
  EXPECT_FALSE(desk.masked("microxcaling-1.1.0/cpp", "e4m3fn", 0x40FFFFFF, "floor"));
}

// What the package answers on 16-bit tensors.
TEST(Microxcaling, Tensors16) {
  constexpr const char* kBf16 = "microxcaling-1.1.0/py-bf16";
  constexpr const char* kFp16 = "microxcaling-1.1.0/py-f16";
  check({{kBf16, "e2m1fn", 0x3E80, 0x1, "", "bf16"},
         {kBf16, "e2m1fn", 0x3FE0, 0x4, "", "bf16"},
         {kBf16, "e4m3fn", 0x8000, 0x00, "", "bf16"},
         {kBf16, "e4m3fn", 0x8DA2, 0x80, "", "bf16"},
         {kBf16, "e5m2", 0x7F80, 0x7C, "", "bf16"},
         {kBf16, "e5m2", 0x7F57, 0x7B, "", "bf16"},
         {kBf16, "e5m2", 0x7F57, 0x7C, "nosat", "bf16"},
         {kBf16, "int8", 0x3C00, 0x01, "", "bf16"},
         {kBf16, "int8", 0x3C00, 0x00, "even", "bf16"},
         {kFp16, "e5m2", 0x00FF, 0x01, "", "fp16"},
         {kFp16, "e5m2", 0x7B80, 0x7B, "", "fp16"},
         {kFp16, "e5m2", 0x7B80, 0x7C, "nosat", "fp16"},
         {kFp16, "e2m1fn", 0x47FE, 0x7, "floor", "fp16"}});
  ProfileDesk desk;
  struct Edge {
    const char* profile;
    const char* destination;
    std::uint64_t open;  ///< and the pattern next below is not
    const char* source;
    const char* variant;
  };
  // Answered otherwise there: adding one half rounds up, log2 rounds up to 128 (16).
  for (const Edge& e : {Edge{kBf16, "e2m1fn", 0x3E7F, "bf16", ""},
                        {kBf16, "e4m3fn", 0xBA7F, "bf16", ""},
                        {kBf16, "int8", 0x3BFF, "bf16", "even"},
                        {kBf16, "e5m2", 0x7F58, "bf16", ""},
                        {kBf16, "e2m1fn", 0x40FF, "bf16", "floor"},
                        {kBf16, "e3m2fn", 0x41FE, "bf16", "floor"},
                        {kFp16, "e4m3fn", 0x13FF, "fp16", ""},
                        {kFp16, "e4m3fn", 0x7BFB, "fp16", "even"},
                        {kFp16, "e4m3fn", 0x27FE, "fp16", "floor"}}) {
    EXPECT_TRUE(desk.masked(e.profile, e.destination, e.open, e.variant, e.source)) << e.open;
    EXPECT_FALSE(desk.masked(e.profile, e.destination, e.open - 1, e.variant, e.source)) << e.open;
  }
  EXPECT_FALSE(desk.masked(kBf16, "e2m1fn", 0x40FF, "", "bf16"));
  EXPECT_FALSE(desk.masked(kFp16, "e4m3fn", 0x27FE, "", "fp16"));
}

// What is listed without a model answers nothing.
TEST(Profiles, UnmodelledSidesGiveNoConversion) {
  for (const char* name : {"microxcaling-1.1.0/py-bf16", "microxcaling-1.1.0/py-f16"}) {
    for (const ElementFormat& source : {formats::bf16, formats::fp16, formats::fp32}) {
      EXPECT_FALSE(element_conversion(*find_profile(name), source, formats::bf16));
      EXPECT_FALSE(element_conversion(*find_profile(name), source, formats::fp16));
      EXPECT_FALSE(block_config(*find_profile(name), *find_block_format("mxfp4"), source));
    }
  }
  EXPECT_FALSE(
      block_config(*find_profile("aimet-2.42"), *find_block_format("mxfp4"), formats::fp32));
  EXPECT_FALSE(element_conversion(*find_profile("ggml"), formats::fp32, formats::e4m3fn));
  EXPECT_FALSE(element_conversion(*find_profile("ggml"), formats::fp32, formats::e2m1fn, "none"));
}

TEST(Aimet, CastsAtScaleOne) {
  check({{"aimet-2.42", "e4m3fn", kInf, 0x7E},
         {"aimet-2.42", "fp16", f32(65520), 0x7BFF},
         {"aimet-2.42", "fp16", f32(-1e9), 0xFBFF},
         {"aimet-2.42", "e4m3fnuz", 0x80000000, 0x00},
         {"aimet-2.42", "e2m1fn", 0x80000000, 0x8},
         {"aimet-2.42", "e2m1fn", f32(1.75), 0x4}});
}

}  // namespace
}  // namespace mx::profile_element_test

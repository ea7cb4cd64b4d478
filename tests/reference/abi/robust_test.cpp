// Nothing leaves the C interface but a status: every allocation fails once in every function, every
// function throws once, and tensors of one block need little memory beside their buffers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "mxgold.h"
#include "reference/parallel/threads.hpp"
#include "tests/reference/abi/failing_memory.hpp"
#include "tests/reference/abi/robust_calls.hpp"
#include "tests/support/sample.hpp"

namespace {

using mx::test::Call;
using mx::test::questions;
using mx::test::questions_about_arrays;

/// What the next function throws when it is entered; nothing if empty.
std::function<void()> on_entry;
/// The first that was entered; others may be called inside.
std::string entered;

}  // namespace

void mx_test_abi_entry(const char* function) {
  if (entered.empty()) entered = function;
  if (on_entry) on_entry();
}

namespace {

constexpr mxgold_option kOptions[] = {{"rounding", "ties_to_away"}};
constexpr mxgold_option kOpen[] = {{"profile", "ocp-mx-1.0"}};

/// What the functions work on.
struct Objects {
  mxgold_conversion* conversion = nullptr;
  mxgold_quantizer* quantizer = nullptr;
  mxgold_quantizer* two_level = nullptr;
  mxgold_quantizer* open = nullptr;  ///< of a profile that leaves answers open
  mxgold_dot* dot = nullptr;
  mxgold_cast* cast = nullptr;
  mxgold_operation* operation = nullptr;
  mxgold_unit* unit = nullptr;
  Objects() {
    EXPECT_EQ(mxgold_conversion_create("fp32", "e4m3fn", nullptr, 0, &conversion, nullptr, 0),
              MXGOLD_OK);
    EXPECT_EQ(mxgold_quantizer_create("e5m2", "mxfp6_e2m3", nullptr, 0, &quantizer, nullptr, 0),
              MXGOLD_OK);
    EXPECT_EQ(mxgold_quantizer_create("fp32", "nvfp4", nullptr, 0, &two_level, nullptr, 0),
              MXGOLD_OK);
    EXPECT_EQ(mxgold_quantizer_create("fp32", "mxfp8_e4m3", kOpen, 1, &open, nullptr, 0),
              MXGOLD_OK);
    EXPECT_EQ(mxgold_dot_create(quantizer, quantizer, nullptr, 0, &dot, nullptr, 0), MXGOLD_OK);
    EXPECT_EQ(mxgold_cast_create("qtorch:block_quantize(wl=8,rounding=nearest)", nullptr, nullptr,
                                 &cast, nullptr, 0),
              MXGOLD_OK);
    static constexpr const char* kFormats[] = {"e4m3fn", "e5m2"};
    EXPECT_EQ(
        mxgold_operation_create("add", kFormats, 2, "e4m3fn", nullptr, 0, &operation, nullptr, 0),
        MXGOLD_OK);
    const mxgold_unit_operands operands{"e4m3fn", "e5m2", nullptr, 0, "fp32"};
    EXPECT_EQ(mxgold_unit_create("h100_wgmma_fp8", &operands, 0, &unit, nullptr, 0), MXGOLD_OK);
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  ~Objects() {
    mxgold_conversion_destroy(conversion);
    mxgold_quantizer_destroy(quantizer);
    mxgold_quantizer_destroy(two_level);
    mxgold_quantizer_destroy(open);
    mxgold_dot_destroy(dot);
    mxgold_cast_destroy(cast);
    mxgold_operation_destroy(operation);
    mxgold_unit_destroy(unit);
  }
};

constexpr std::uint64_t kShape[] = {4, 64};

constexpr std::uint64_t kRowShape[] = {8};
constexpr float kRowValues[8] = {1, -2, 3.14F};
constexpr mxgold_tensor kRow = {"values", "fp32", kRowShape, 1, kRowValues, sizeof kRowValues};

/// All but the questions.
std::vector<Call> calls(const Objects& o) {
  static std::uint64_t codes[32];
  static const std::uint64_t source[32] = {};
  static std::uint8_t bytes[256], code_bytes[256], scale_bytes[8], tile[512];
  static const std::uint8_t zeros[256] = {};
  static float values[256], transformed[256];
  static std::uint64_t scale;
  return {{"mxgold_format",
           [](char*, std::size_t) {
             mxgold_format_info info;
             return mxgold_format("binary8p4se", &info);
           }},
          {"mxgold_canonical_format",
           [](char* message, std::size_t size) {
             char name[64];
             return mxgold_canonical_format("element=(exp_bits=3,man_bits=2),block_size=8", name,
                                            sizeof name, message, size);
           },
           true, true},
          {"mxgold_conversion_create",
           [](char* message, std::size_t size) {
             mxgold_conversion* made = nullptr;
             const mxgold_status status =
                 mxgold_conversion_create("fp32", "binary8p4se", kOptions, 1, &made, message, size);
             EXPECT_EQ(made != nullptr, status == MXGOLD_OK);
             mxgold_conversion_destroy(made);
             return status;
           },
           true, true},
          {"mxgold_convert",
           [&o](char*, std::size_t) {
             return mxgold_convert(o.conversion, source, nullptr, 32, codes, nullptr);
           }},
          {"mxgold_convert_array",
           [&o](char*, std::size_t) {
             return mxgold_convert_array(o.conversion, bytes, 256, 0, 0, code_bytes, 64, nullptr);
           },
           false, true},
          {"mxgold_open_values",
           [&o](char*, std::size_t) {
             return mxgold_open_values(o.conversion, bytes, 256, code_bytes, 64, nullptr);
           }},
          {"mxgold_quantizer_create",
           [](char* message, std::size_t size) {
             mxgold_quantizer* made = nullptr;
             const mxgold_status status =
                 mxgold_quantizer_create("fp32", "mxfp4", kOptions, 1, &made, message, size);
             EXPECT_EQ(made != nullptr, status == MXGOLD_OK);
             mxgold_quantizer_destroy(made);
             return status;
           },
           true, true},
          {"mxgold_find_tensor_level",
           [&o](char*, std::size_t) {
             mxgold_tensor_level level;
             return mxgold_find_tensor_level(o.two_level, bytes, sizeof bytes, &level);
           }},
          {"mxgold_quantizer_at_level",
           [&o](char*, std::size_t) {
             const mxgold_tensor_level level{0x3F800000, 0x3F800000};
             mxgold_quantizer* made = nullptr;
             const mxgold_status status = mxgold_quantizer_at_level(o.two_level, &level, &made);
             EXPECT_EQ(made != nullptr, status == MXGOLD_OK);
             mxgold_quantizer_destroy(made);
             return status;
           },
           false, true},
          {"mxgold_block",
           [&o](char*, std::size_t) {
             mxgold_block_info info;
             return mxgold_block(o.quantizer, &info);
           }},
          {"mxgold_dot_create",
           [&o](char* message, std::size_t size) {
             static constexpr mxgold_option kMode[] = {{"mode", "fp32_seq"}};
             mxgold_dot* made = nullptr;
             const mxgold_status status =
                 mxgold_dot_create(o.quantizer, o.quantizer, kMode, 1, &made, message, size);
             EXPECT_EQ(made != nullptr, status == MXGOLD_OK);
             mxgold_dot_destroy(made);
             return status;
           },
           true, true},
          {"mxgold_dot_rows",
           [&o](char*, std::size_t) {
             const mxgold_rows rows{code_bytes, 128, scale_bytes, 4, 2};
             return mxgold_dot_rows(o.dot, 64, &rows, &rows, nullptr, 0, values, 16, nullptr);
           },
           false, true},
          {"mxgold_values",
           [](char*, std::size_t) {
             mxgold_number numbers[32];
             return mxgold_values("binary8p4se", source, 32, numbers);
           }},
          {"mxgold_round",
           [&o](char*, std::size_t) {
             const mxgold_number numbers[2] = {};
             return mxgold_round(o.conversion, numbers, nullptr, 2, codes, nullptr);
           }},
          {"mxgold_operation_create",
           [](char* message, std::size_t size) {
             static constexpr const char* kFormats[] = {"binary8p4se", "fp16"};
             mxgold_operation* made = nullptr;
             const mxgold_status status =
                 mxgold_operation_create("remainder", kFormats, 2, "exp_bits=3,man_bits=4", nullptr,
                                         0, &made, message, size);
             EXPECT_EQ(made != nullptr, status == MXGOLD_OK);
             mxgold_operation_destroy(made);
             return status;
           },
           true, true},
          {"mxgold_operate",
           [&o](char*, std::size_t) {
             const mxgold_words operands[] = {{zeros, 64}, {zeros, 1}};
             return mxgold_operate(o.operation, operands, 2, 64, code_bytes, 64, nullptr, nullptr);
           }},
          {"mxgold_unit_create",
           [](char* message, std::size_t size) {
             const mxgold_unit_operands operands{"e4m3fn", "e5m2", nullptr, 0, "fp16"};
             mxgold_unit* made = nullptr;
             const mxgold_status status =
                 mxgold_unit_create("h100_wgmma_fp8", &operands, 32, &made, message, size);
             EXPECT_EQ(made != nullptr, status == MXGOLD_OK);
             mxgold_unit_destroy(made);
             return status;
           },
           true, true},
          {"mxgold_unit_multiply",
           [&o](char*, std::size_t) {
             const mxgold_rows rows{zeros, 128, nullptr, 0, 2};
             return mxgold_unit_multiply(o.unit, 64, &rows, &rows, 0, nullptr, 0, values, 16);
           },
           false, true},
          {"mxgold_quantize_block",
           [&o](char*, std::size_t) {
             return mxgold_quantize_block(o.quantizer, source, nullptr, 32, &scale, codes, nullptr);
           }},
          {"mxgold_dequantize_block",
           [&o](char*, std::size_t) {
             return mxgold_dequantize_block(o.quantizer, 127, source, 32, "fp32", codes);
           }},
          {"mxgold_sizes",
           [&o](char*, std::size_t) {
             mxgold_tensor_sizes sizes;
             return mxgold_sizes(o.quantizer, kShape, 2, 1, &sizes);
           }},
          {"mxgold_quantize_tensor",
           [&o](char*, std::size_t) {
             return mxgold_quantize_tensor(o.quantizer, kShape, 2, 1, bytes, 256, 0, 0, code_bytes,
                                           256, scale_bytes, 8, nullptr);
           },
           false, true},
          {"mxgold_open_blocks",
           [&o](char*, std::size_t) {
             return mxgold_open_blocks(o.open, kShape, 2, 1, values, sizeof values, 0, 0,
                                       code_bytes, 256, scale_bytes, 8, nullptr);
           },
           false, true},
          {"mxgold_dequantize_tensor",
           [&o](char*, std::size_t) {
             return mxgold_dequantize_tensor(o.quantizer, kShape, 2, 1, code_bytes, 256,
                                             scale_bytes, 8, "fp32", values, sizeof values);
           },
           false, true},
          {"mxgold_hadamard_tensor",
           [](char*, std::size_t) {
             return mxgold_hadamard_tensor("fp32", kShape, 2, 1, 0xD7E8, 0, values, sizeof values,
                                           transformed, sizeof transformed);
           }},
          {"mxgold_packed_bytes",
           [](char* message, std::size_t size) {
             std::uint64_t count = 0;
             return mxgold_packed_bytes("split_half", "e2m1fn", 32, 64, &count, message, size);
           },
           true},
          {"mxgold_pack",
           [](char*, std::size_t) {
             return mxgold_pack("nibble_low_first", "e2m1fn", 0, zeros, 256, bytes, 128);
           }},
          {"mxgold_unpack",
           [](char*, std::size_t) {
             return mxgold_unpack("nibble_low_first", "e2m1fn", 0, zeros, 128, bytes, 256);
           }},
          {"mxgold_scale_layout_bytes",
           [](char*, std::size_t) {
             std::uint64_t count = 0;
             return mxgold_scale_layout_bytes("swizzle_128x4", 2, 8, &count);
           }},
          {"mxgold_lay_out_scales",
           [](char*, std::size_t) {
             return mxgold_lay_out_scales("swizzle_128x4", 2, 3, zeros, 6, tile, 512);
           }},
          {"mxgold_bring_back_scales",
           [](char*, std::size_t) {
             return mxgold_bring_back_scales("swizzle_128x4", 2, 3, tile, 512, bytes, 6);
           }},
          {"mxgold_cast_create",
           [](char* message, std::size_t size) {
             mxgold_cast* made = nullptr;
             const mxgold_status status =
                 mxgold_cast_create("qtorch:float_quantize(exp=4,man=3,rounding=nearest)", "compat",
                                    "x86", &made, message, size);
             EXPECT_EQ(made != nullptr, status == MXGOLD_OK);
             mxgold_cast_destroy(made);
             return status;
           },
           true, true},
          {"mxgold_cast_random_words",
           [&o](char* message, std::size_t size) {
             std::uint64_t words = 0;
             return mxgold_cast_random_words(o.cast, &kRow, 1, nullptr, &words, message, size);
           },
           true, true},
          {"mxgold_cast_apply",
           [&o](char* message, std::size_t size) {
             mxgold_results* made = nullptr;
             const mxgold_status status =
                 mxgold_cast_apply(o.cast, &kRow, 1, nullptr, nullptr, 0, &made, message, size);
             EXPECT_EQ(made != nullptr, status == MXGOLD_OK);
             mxgold_results_destroy(made);
             return status;
           },
           true, true}};
}

std::vector<Call> all_calls(const Objects& o) {
  std::vector<Call> all = calls(o);
  for (Call& each : questions()) all.push_back(std::move(each));
  for (Call& each : questions_about_arrays({o.conversion, o.open})) all.push_back(std::move(each));
  return all;
}

/// The functions of the header that return a status, besides the one that names statuses.
std::set<std::string> functions_of_the_header() {
  std::ifstream file(MX_ABI_HEADER);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string declares = "MXGOLD_API mxgold_status ";
  std::set<std::string> names;
  for (std::size_t at = 0; (at = text.find(declares, at)) != std::string::npos;) {
    at = text.find("mxgold_", at + declares.size());
    names.insert(text.substr(at, text.find('(', at) - at));
  }
  return names;
}

TEST(CInterfaceNeverAborts, EveryFunctionIsCalledHere) {
  const Objects objects;
  std::set<std::string> called;
  for (const Call& call : all_calls(objects)) {
    entered.clear();
    EXPECT_EQ(call.run(nullptr, 0), MXGOLD_OK) << call.name;
    EXPECT_EQ(entered, call.name);
    called.insert(call.name);
  }
  EXPECT_EQ(called, functions_of_the_header());
  EXPECT_EQ(called.size(), 45U);
}

TEST(CInterfaceNeverAborts, WhatIsThrownInAFunctionBecomesAStatus) {
  const Objects objects;
  struct Thrown {
    std::function<void()> what;
    mxgold_status status;
    std::string message;
  };
  const Thrown all[] = {
      {[] { throw std::runtime_error("a cause"); }, MXGOLD_INTERNAL_ERROR, "NAME: a cause"},
      {[] { throw 7; }, MXGOLD_INTERNAL_ERROR, "NAME: a defect of the library"},
      {[] { throw std::bad_alloc(); }, MXGOLD_NO_MEMORY, "out of memory"},
      {[] { throw std::length_error("too long"); }, MXGOLD_INTERNAL_ERROR, "NAME: too long"}};
  for (const Call& call : all_calls(objects)) {
    for (const Thrown& thrown : all) {
      on_entry = thrown.what;
      char message[80] = "untouched";
      EXPECT_EQ(call.run(message, sizeof message), thrown.status) << call.name;
      on_entry = nullptr;
      if (!call.has_message) continue;
      std::string wanted = thrown.message;
      if (wanted.starts_with("NAME")) wanted.replace(0, 4, call.name);
      EXPECT_EQ(std::string(message), wanted);
    }
    EXPECT_EQ(call.run(nullptr, 0), MXGOLD_OK) << call.name;
  }
}

TEST(CInterfaceNeverAborts, EveryAllocationMayFail) {
  const Objects objects;
  for (const Call& call : all_calls(objects)) {
    std::uint64_t refused = 0;
    const std::uint64_t step = mx::test::runs_whole() ? call.step / 8 + 1 : call.step;
    for (std::uint64_t n = 0;; n += step) {
      char message[80] = "untouched";
      const std::int64_t before = mx::memory::live();
      mx::memory::fail_at(n);
      const mxgold_status status = call.run(message, sizeof message);
      if (!mx::memory::stop_failing()) {
        EXPECT_EQ(status, MXGOLD_OK) << call.name;
        break;
      }
      EXPECT_TRUE(status == MXGOLD_OK || status == MXGOLD_NO_MEMORY) << call.name << ' ' << status;
      if (status != MXGOLD_NO_MEMORY) continue;
      ++refused;
      EXPECT_STREQ(message, call.has_message ? "out of memory" : "untouched");
      EXPECT_EQ(mx::memory::live(), before) << call.name << ", allocation " << n;
    }
    if (call.allocates) {
      EXPECT_GT(refused, 0U) << call.name;
    }
  }
}

/// Elements of the large tensors: MX_ABI_ELEMENTS, or 16 M.
std::uint64_t elements() {
  const char* const text = std::getenv("MX_ABI_ELEMENTS");
  return text == nullptr ? std::uint64_t{1} << 24 : std::strtoull(text, nullptr, 0);
}

constexpr std::int64_t kMost = 64 << 20;  // bytes beside the buffers

class OneBlock : public ::testing::TestWithParam<const char*> {};

// A block that is a whole tensor or axis: little memory beside the buffers, and every thread.
TEST_P(OneBlock, NeedsLittleMemoryAndUsesEveryThread) {
  const std::uint64_t count = elements();
  const std::uint64_t shape[] = {1, count};
  mxgold_quantizer* quantizer = nullptr;
  ASSERT_EQ(mxgold_quantizer_create("bf16", GetParam(), nullptr, 0, &quantizer, nullptr, 0),
            MXGOLD_OK);
  mxgold_tensor_sizes sizes{};
  ASSERT_EQ(mxgold_sizes(quantizer, shape, 2, 1, &sizes), MXGOLD_OK);
  std::vector<std::uint16_t> source(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    source[i] = static_cast<std::uint16_t>(0x3000 + i * 0x9E37 % 0x1000);
  }
  source[count / 3] = 0x43E0;  // 448, the largest: the scale is 1
  std::vector<std::uint8_t> codes(sizes.code_bytes);
  std::vector<std::uint8_t> scales(sizes.scale_bytes);
  const std::int64_t before = mx::memory::live();
  mx::memory::reset_peak();
  mx::memory::reset_threads();
  ASSERT_EQ(mxgold_quantize_tensor(quantizer, shape, 2, 1, source.data(), sizes.source_bytes, 0, 0,
                                   codes.data(), sizes.code_bytes, scales.data(), sizes.scale_bytes,
                                   nullptr),
            MXGOLD_OK);
  EXPECT_LT(mx::memory::peak() - before, kMost);
  EXPECT_GE(mx::memory::threads(), static_cast<unsigned>(std::min(mx::machine_threads(), 2)));
  EXPECT_EQ(scales, (std::vector<std::uint8_t>{0, 0, 0x80, 0x3F}));
  EXPECT_EQ(codes[count / 3], 0x7E);
  source.clear();
  std::vector<std::uint16_t> back(count);
  const std::int64_t between = mx::memory::live();
  mx::memory::reset_peak();
  ASSERT_EQ(
      mxgold_dequantize_tensor(quantizer, shape, 2, 1, codes.data(), sizes.code_bytes,
                               scales.data(), sizes.scale_bytes, "bf16", back.data(), 2 * count),
      MXGOLD_OK);
  EXPECT_LT(mx::memory::peak() - between, kMost);
  EXPECT_EQ(back[count / 3], 0x43E0);
  mxgold_quantizer_destroy(quantizer);
}

INSTANTIATE_TEST_SUITE_P(Extents, OneBlock,
                         ::testing::Values("fp8_e4m3_fp32_tensor", "fp8_e4m3_fp32_row"),
                         [](const auto& which) { return std::string(which.param); });

// Bits above a code's width are refused for sources, codes and scales alike.
TEST(StrayBits, AreRefusedInEveryFunction) {
  mxgold_quantizer* narrow = nullptr;
  ASSERT_EQ(mxgold_quantizer_create("e3m2fn", "mxfp6_e2m3", nullptr, 0, &narrow, nullptr, 0),
            MXGOLD_OK);
  mxgold_quantizer* bfp = nullptr;
  ASSERT_EQ(mxgold_quantizer_create("fp32", "tt_bfp8a", nullptr, 0, &bfp, nullptr, 0), MXGOLD_OK);
  std::uint64_t word = 0x40;
  std::uint64_t scale = 0;
  std::uint64_t code = 0;
  EXPECT_EQ(mxgold_quantize_block(narrow, &word, nullptr, 1, &scale, &code, nullptr),
            MXGOLD_BAD_CODE);
  EXPECT_EQ(mxgold_dequantize_block(narrow, 127, &word, 1, "fp32", &code), MXGOLD_BAD_CODE);
  EXPECT_EQ(mxgold_dequantize_block(narrow, 256, &scale, 1, "fp32", &code), MXGOLD_BAD_CODE);
  EXPECT_EQ(mxgold_dequantize_block(bfp, 0x20, &scale, 1, "fp32", &code), MXGOLD_BAD_CODE);
  mxgold_conversion* conversion = nullptr;
  ASSERT_EQ(mxgold_conversion_create("e3m2fn", "e4m3fn", nullptr, 0, &conversion, nullptr, 0),
            MXGOLD_OK);
  EXPECT_EQ(mxgold_convert(conversion, &word, nullptr, 1, &code, nullptr), MXGOLD_BAD_CODE);
  mxgold_conversion_destroy(conversion);
  const std::uint64_t shape[] = {16};
  std::uint8_t source[16] = {};
  std::uint8_t codes[16] = {};
  std::uint8_t scales[1] = {127};
  float values[16];
  const auto quantize = [&] {
    return mxgold_quantize_tensor(narrow, shape, 1, 0, source, 16, 0, 0, codes, 16, scales, 1,
                                  nullptr);
  };
  const auto dequantize = [&](const mxgold_quantizer* quantizer) {
    return mxgold_dequantize_tensor(quantizer, shape, 1, 0, codes, 16, scales, 1, "fp32", values,
                                    sizeof values);
  };
  EXPECT_EQ(quantize(), MXGOLD_OK);
  EXPECT_EQ(dequantize(narrow), MXGOLD_OK);
  source[9] = 0x40;
  EXPECT_EQ(quantize(), MXGOLD_BAD_CODE);
  mxgold_tensor_level level;
  EXPECT_EQ(mxgold_find_tensor_level(narrow, source, 16, &level), MXGOLD_BAD_CODE);
  codes[3] = 0x80;
  EXPECT_EQ(dequantize(narrow), MXGOLD_BAD_CODE);
  codes[3] = 0;
  scales[0] = 0x1F;
  EXPECT_EQ(dequantize(bfp), MXGOLD_OK);
  scales[0] = 0x3F;
  EXPECT_EQ(dequantize(bfp), MXGOLD_BAD_CODE);
  mxgold_quantizer_destroy(narrow);
  mxgold_quantizer_destroy(bfp);
}

}  // namespace

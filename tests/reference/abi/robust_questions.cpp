// SPDX-License-Identifier: Apache-2.0
// The questions of the C interface, as calls of robust_test.cpp.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/reference/abi/robust_calls.hpp"

namespace mx::test {
namespace {

constexpr mxgold_option kOptions[] = {{"rounding", "ties_to_away"}};
constexpr mxgold_option kOpen[] = {{"profile", "ocp-mx-1.0"}};

/// A question, whose answer is thrown away.
template <typename Ask>
mxgold_status asked(const Ask& ask) {
  mxgold_answer* made = nullptr;
  const mxgold_status status = ask(&made);
  EXPECT_EQ(made != nullptr, status == MXGOLD_OK);
  mxgold_answer_destroy(made);
  return status;
}

/// The name of a configuration file that is written before memory fails.
const char* configuration_file() {
  static const std::string path = [] {
    const std::string name = testing::TempDir() + "robust_" + std::to_string(::getpid()) + ".toml";
    std::ofstream(name) << "format = \"mxfp4\"\nrounding = \"RNE\"\n";
    return name;
  }();
  return path.c_str();
}

}  // namespace

std::vector<Call> questions() {
  static const char* const kConfiguration = configuration_file();
  static constexpr const char* kInputs[] = {"1.0625", "nan"};
  return {{"mxgold_explain",
           [](char* message, std::size_t size) {
             return asked([&](mxgold_answer** out) {
               return mxgold_explain("fp32", "e4m3fn", kOptions, 1, kInputs, 2, out, message, size);
             });
           },
           true, true},
          {"mxgold_facts",
           [](char* message, std::size_t size) {
             return asked([&](mxgold_answer** out) {
               return mxgold_facts("blocks", "mxfp4", out, message, size);
             });
           },
           true, true},
          {"mxgold_expanded",
           [](char* message, std::size_t size) {
             return asked([&](mxgold_answer** out) {
               return mxgold_expanded("fp32", "mxfp4", kOpen, 1, out, message, size);
             });
           },
           true, true},
          {"mxgold_diff",
           [](char* message, std::size_t size) {
             static constexpr mxgold_option kWhat[] = {{"format", "e2m1fn"}, {"source", "e5m2"}};
             return asked([&](mxgold_answer** out) {
               return mxgold_diff("mxgold-default", "ml_dtypes-0.6", kWhat, 2, out, message, size);
             });
           },
           true, true},
          {"mxgold_identify",
           [](char* message, std::size_t size) {
             return asked([&](mxgold_answer** out) {
               return mxgold_identify("e4m3fn e2m1fn\n38 2\n39 3\n", out, message, size);
             });
           },
           true, true, 499},
          {"mxgold_configuration",
           [](char* message, std::size_t size) {
             return asked([&](mxgold_answer** out) {
               return mxgold_configuration(kConfiguration, out, message, size);
             });
           },
           true, true},
          {"mxgold_telling_inputs",
           [](char* message, std::size_t size) {
             return asked([&](mxgold_answer** out) {
               return mxgold_telling_inputs("fp16", "e2m1fn", 5, 0, out, message, size);
             });
           },
           true, true, 499}};
}

/// Questions about arrays: a conversion of e4m3fn words that another rounding made, a tensor of two
/// blocks of zeros.
std::vector<Call> questions_about_arrays(const ArrayObjects& o) {
  static constexpr std::uint32_t kWords[] = {0x3F880000, 0x7FC00000};
  static constexpr std::uint8_t kCodes[] = {0x39, 0x7F};
  static constexpr std::uint64_t kTwoBlocks[] = {64};
  static constexpr float kZeros[64] = {};
  static constexpr std::uint8_t kZeroCodes[64] = {};
  return {{"mxgold_compare_values",
           [o](char* message, std::size_t size) {
             return asked([&](mxgold_answer** out) {
               return mxgold_compare_values(o.conversion, kWords, sizeof kWords, kCodes, 2, 0, 0, 3,
                                            nullptr, 0, out, message, size);
             });
           },
           true, true},
          {"mxgold_compare_blocks",
           [o](char* message, std::size_t size) {
             std::uint8_t marks[64];
             return asked([&](mxgold_answer** out) {
               return mxgold_compare_blocks(o.quantizer, kTwoBlocks, 1, 0, kZeros, sizeof kZeros,
                                            kZeroCodes, 64, kZeroCodes, 2, 0, 0, 3, marks, 64,
                                            nullptr, 0, out, message, size);
             });
           },
           true, true},
          {"mxgold_cover_values",
           [o](char* message, std::size_t size) {
             return asked([&](mxgold_answer** out) {
               return mxgold_cover_values(o.conversion, kWords, sizeof kWords, 0, 0, out, message,
                                          size);
             });
           },
           true, true, 499},
          {"mxgold_cover_blocks",
           [o](char* message, std::size_t size) {
             return asked([&](mxgold_answer** out) {
               return mxgold_cover_blocks(o.quantizer, kTwoBlocks, 1, 0, kZeros, sizeof kZeros, 0,
                                          0, out, message, size);
             });
           },
           true, true, 1999}};
}

}  // namespace mx::test

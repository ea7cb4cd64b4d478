// SPDX-License-Identifier: Apache-2.0
// Where AIMET's types clamp and vanish: the limit, its neighbours and its negative, by each quick
// way and by one value alone.
#include "tests/emulators/limits.hpp"

#include "emulators/aimet/element/kernel.hpp"
#include "emulators/aimet/operations.hpp"
#include "tests/emulators/aimet/fixture.hpp"

namespace mx::emulators::aimet {
namespace {

/// Magnitudes whose quotients by the scale are the clamp's bound, the type's smallest numbers and
/// the ties below them.
std::vector<Bits> limits_of(const Kernel& kernel, Bits scale) {
  std::vector<Bits> limits = {magnitude_of(multiply(kernel.bound(), scale))};
  for (const int exponent : {kernel.emin(), kernel.emin() - kernel.info().mantissa_bits,
                             kernel.emin() - kernel.info().mantissa_bits - 1}) {
    if (exponent < -126) continue;
    limits.push_back(magnitude_of(multiply(static_cast<Bits>(127 + exponent) << 23, scale)));
  }
  std::erase_if(limits, [](Bits limit) { return limit > fp32::kInfinity - 4; });
  return limits;
}

/// The same of the ends of the type's binades.
std::vector<Bits> ends_of(const Kernel& kernel, Bits scale) {
  const int bits = std::min(kernel.info().mantissa_bits, 22);
  const int first = std::max(kernel.emin() - bits, -90), last = kernel.info().emax();
  std::vector<Bits> ends;
  for (const Bits end : ends_of_binades(bits, static_cast<Bits>(127 + first),
                                        static_cast<Bits>(127 + std::min(last, 90)))) {
    ends.push_back(magnitude_of(multiply(end, scale)));
  }
  return around(ends, 1);
}

Checked<Tensor> cast_row(const FloatInfo& info, Mode mode, const std::vector<Bits>& row,
                         Bits scale) {
  const Tensor values = from_fp32("values", TensorType::kFp32, {row.size()}, row);
  const Tensor scales = from_fp32("scale", TensorType::kFp32, {1}, std::vector<Bits>{scale});
  return compute(Operation::kQuantizeDequantize, info, mode, values, scales, {});
}

TEST(AimetLimits, RowsAreTheirValues) {
  for (const FloatInfo info :
       {FloatInfo{4, 3, true, false}, FloatInfo{4, 3, true, true}, FloatInfo{5, 2, false, false},
        FloatInfo{5, 10, false, false}, FloatInfo{8, 7, false, false}, kFloat4E2m1fn,
        FloatInfo{2, 1, false, false}, FloatInfo{3, 2, false, false}, FloatInfo{2, 3, false, false},
        FloatInfo{4, 3, false, false}, FloatInfo{3, 0, false, false}, FloatInfo{6, 9, false, false},
        FloatInfo{4, 20, false, false}}) {
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      const Kernel kernel(info, mode, TensorType::kFp32, false);
      for (const Bits scale : {0x3F800000U, 0x3E000000U, 0x3F99999AU, 0x40490FDBU}) {
        const std::vector<Bits> x = around(limits_of(kernel, scale));
        const auto rows = [&](const std::vector<Bits>& row) {
          return to_fp32(*cast_row(info, mode, row, scale));
        };
        // Rows so long that they take a table.
        expect_one_answer(
            info.name(), x, rows, [&](Bits each) { return kernel(each, scale); },
            scale == 0x3F99999A ? std::size_t{1} << 16 : 0);
        const std::vector<Bits> ends = ends_of(kernel, scale), answers = rows(ends);
        for (std::size_t i = 0; i < ends.size(); ++i) {
          ASSERT_EQ(answers[i], kernel(ends[i], scale))
              << info.name() << std::hex << " " << ends[i];
        }
        if (mode == Mode::kCompat) continue;
        for (const Bits each : x) {
          ASSERT_EQ(kernel.quantize(each, scale), kernel.quantize_exact(each, scale))
              << info.name() << std::hex << " " << each << " / " << scale;
        }
      }
    }
  }
}

/// Blocks under their own scales, a limit in each.
TEST(AimetLimits, BlocksAreTheirValues) {
  for (const FloatInfo info :
       {FloatInfo{5, 2, false, false}, FloatInfo{6, 2, false, false}, kFloat4E2m1fn}) {
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      const Kernel kernel(info, mode, TensorType::kFp32, false);
      std::vector<Bits> values, scales, expected;
      for (Bits block = 0; block < 64; ++block) {
        const Bits scale = 0x3F000000 + block * 0x00313131;
        std::vector<Bits> x = around({magnitude_of(multiply(kernel.bound(), scale)),
                                      magnitude_of(multiply(0x3F400000, scale))});
        x.resize(32, scale);
        scales.push_back(scale);
        for (const Bits each : x) {
          values.push_back(each);
          expected.push_back(kernel(each, scale));
        }
      }
      const Tensor tensor = from_fp32("values", TensorType::kFp32, {64, 32}, values);
      const Tensor scale = from_fp32("scale", TensorType::kFp32, {64, 1}, scales);
      const auto result =
          compute(Operation::kQuantizeDequantize, info, mode, tensor, scale, {1, 32});
      ASSERT_TRUE(result) << result.problem();
      ASSERT_EQ(to_fp32(*result), expected) << info.name();
    }
  }
}

}  // namespace
}  // namespace mx::emulators::aimet

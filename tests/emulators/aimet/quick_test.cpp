// The quick paths answer as the slow ones they stand for.
#include <random>

#include "emulators/aimet/element/kernel.hpp"
#include "emulators/aimet/element/ladder.hpp"
#include "emulators/aimet/element/logarithm.hpp"
#include "emulators/aimet/element/step_table.hpp"
#include "emulators/aimet/simd/block_simd.hpp"
#include "emulators/aimet/simd/products.hpp"
#include "emulators/aimet/simd/scaled_simd.hpp"
#include "tests/emulators/aimet/fixture.hpp"

namespace mx::emulators::aimet {
namespace {

std::vector<Bits> interesting() {
  std::vector<Bits> values = {0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000};
  for (Bits exponent = 0; exponent < 256; ++exponent) {
    for (const Bits fraction : {0U, 1U, 0x400000U, 0x3FFFFFU, 0x7FFFFFU, 0x555555U, 0x0FFF80U}) {
      values.push_back(exponent << 23 | fraction);
    }
  }
  std::mt19937 random(5);
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<Bits>(random()));
  return values;
}

bool same(Bits a, Bits b) { return a == b || (fp32::is_nan(a) && fp32::is_nan(b)); }

TEST(AimetQuick, ArithmeticIsTheSoftMachines) {
  const std::vector<Bits> values = interesting();
  std::mt19937 random(6);
  const SoftMachine machine;
  int quick = 0;
  for (int i = 0; i < 200'000; ++i) {
    const Bits a = values[random() % values.size()];
    const Bits b = values[random() % values.size()] ^ (random() & fp32::kSignBit);
    ASSERT_TRUE(same(divide(a, b), machine.divide(a, b))) << a << " / " << b;
    ASSERT_TRUE(same(multiply(a, b), machine.multiply(a, b))) << a << " * " << b;
    Bits ignored = 0;
    quick += divide_normal(a, b, ignored) ? 1 : 0;
  }
  EXPECT_GT(quick, 50'000);
}

TEST(AimetQuick, SixteenBitTypesAreThoseOfTheParts) {
  for (const TensorType type : {TensorType::kBf16, TensorType::kFp16, TensorType::kFp32}) {
    for (const Bits x : interesting()) {
      ASSERT_TRUE(same(rounded(type, x), rounded_to(type, x))) << x;
      const Bits fits = rounded_to(type, x);
      ASSERT_EQ(narrowed(type, fits), narrow(type, fits)) << x;
    }
    if (type == TensorType::kFp32) continue;
    for (std::uint64_t word = 0; word < 65536; ++word) {
      ASSERT_EQ(widened(type, word), widen(type, word)) << word;
    }
  }
}

TEST(AimetQuick, PatternRoundingIsTheFormula) {
  const std::vector<Bits> values = interesting();
  for (int exponent_bits = 1; exponent_bits <= 8; ++exponent_bits) {
    for (const int mantissa_bits : {0, 1, 2, 3, 5, 10, 14}) {
      // At E8M14 so many logarithms near 2^0 are misread that the formula is taken as it stands.
      if (exponent_bits == 8 && mantissa_bits == 14) continue;
      const FakeCast formula({exponent_bits, mantissa_bits, false, false}, TensorType::kFp32);
      ASSERT_TRUE(formula.is_plain()) << exponent_bits << " " << mantissa_bits;
      for (const Bits x : values) {
        if (fp32::is_nan(x)) continue;
        const Bits clamped = std::min(magnitude_of(x), formula.max());
        ASSERT_EQ(round_pattern(clamped, 1 - formula.bias(), mantissa_bits), formula(clamped))
            << "E" << exponent_bits << "M" << mantissa_bits << " " << x;
      }
    }
  }
}

TEST(AimetQuick, StrictPatternRoundingIsTheExactRoute) {
  // Beyond 20 mantissa bits the exact route is taken: the same types, one by one.
  const std::vector<Bits> values = interesting();
  for (const FloatInfo info : {FloatInfo{4, 3, true, false}, FloatInfo{5, 2, false, false},
                               FloatInfo{3, 2, false, false}, FloatInfo{4, 0, false, false},
                               FloatInfo{8, 7, false, false}, FloatInfo{5, 10, false, false}}) {
    const Kernel kernel(info, Mode::kStrict, TensorType::kFp32, false);
    for (const Bits scale : {0x3F800000U, 0x3F99999AU, 0x3E2AAAABU, 0x40490FDBU}) {
      for (const Bits x : values) {
        ASSERT_TRUE(same(kernel.quantize(x, scale), kernel.quantize_exact(x, scale)))
            << info.name() << " " << x << " / " << scale;
      }
    }
  }
}

TEST(AimetQuick, StepTableIsItsFunction) {
  const std::vector<Bits> values = interesting();
  for (const FloatInfo info : {FloatInfo{4, 3, true, false}, FloatInfo{4, 3, true, true},
                               FloatInfo{5, 2, false, false}, FloatInfo{2, 1, true, false},
                               FloatInfo{4, 3, false, false}, FloatInfo{3, 0, false, false}}) {
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      const Kernel kernel(info, mode, TensorType::kFp32, false);
      for (const Bits scale : {0x3F800000U, 0x3F99999AU, 0x2E2AAAABU, 0x60490FDBU}) {
        const auto function = [&](Bits x) { return kernel(x, scale); };
        const StepTable table(function, info.mantissa_bits);
        ASSERT_TRUE(table.valid()) << info.name();
        for (const Bits x : values) ASSERT_TRUE(same(table(x), function(x))) << info.name() << x;
      }
    }
  }
}

TEST(AimetQuick, ScaledKernelIsTheKernel) {
  const std::vector<Bits> values = interesting();
  std::mt19937 random(9);
  for (const FloatInfo info : {FloatInfo{4, 3, true, false}, FloatInfo{4, 3, true, true},
                               FloatInfo{5, 2, false, false}, FloatInfo{5, 10, false, false},
                               FloatInfo{8, 7, false, false}, FloatInfo{3, 2, false, false},
                               FloatInfo{5, 20, false, false}, FloatInfo{8, 23, false, false}}) {
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      for (const TensorType type : {TensorType::kFp32, TensorType::kBf16, TensorType::kFp16}) {
        if (mode == Mode::kCompat && !clamp_problem(info, type).empty()) continue;
        const Kernel kernel(info, mode, type, false);
        for (int i = 0; i < 12; ++i) {
          const Bits scale = i == 0   ? fp32::kOne
                             : i == 1 ? 0
                             : i < 5  ? static_cast<Bits>(random())
                                      : 0x38000000 + (random() & 0x0FFFFFFF);
          const ScaledKernel scaled(kernel, scale);
          for (const Bits value : values) {
            const Bits x = rounded_to(type, value);
            ASSERT_TRUE(same(scaled(x), kernel(x, scale)))
                << info.name() << " " << std::hex << x << " / " << scale;
          }
        }
      }
    }
  }
}

TEST(AimetQuick, UnitKernelIsTheKernel) {
  std::vector<Bits> values = interesting();
  // Stretches of normal numbers only, too.
  for (Bits u = 0x3F000000; u < 0x43000000; u += 0x0000F731) values.push_back(u);
  for (const FloatInfo info : {FloatInfo{5, 2, false, false}, FloatInfo{5, 10, false, false},
                               FloatInfo{8, 7, false, false}, FloatInfo{8, 3, false, false},
                               FloatInfo{3, 5, false, false}}) {
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      const Kernel kernel(info, mode, TensorType::kFp32, false);
      for (const VectorTarget target : supported_targets()) {
        const UnitKernel unit(kernel, target);
        ASSERT_TRUE(unit.applies());
        std::vector<Bits> results(values.size());
        unit(reinterpret_cast<const std::byte*>(values.data()),
             reinterpret_cast<std::byte*>(results.data()), values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          ASSERT_TRUE(same(results[i], kernel(values[i], fp32::kOne)))
              << info.name() << " " << std::hex << values[i] << " " << name_of(target);
        }
      }
    }
  }
}

/// Patterns around every place where the results of a scale may change: the quotients whose bits
/// below the type's last one are a half, and the ends.
std::vector<Bits> around_ties(const Kernel& kernel, Bits scale, std::mt19937& random) {
  const int bits = kernel.info().mantissa_bits;
  std::vector<Bits> edges = {magnitude_of(multiply(kernel.bound(), scale)), 0x00800000, 0x01000000,
                             magnitude_of(scale) + (static_cast<Bits>(kernel.emin()) << 23)};
  for (int i = 0; i < 200; ++i) {
    const auto drawn = static_cast<Bits>(random());
    const Bits field = static_cast<Bits>(std::max(1, kernel.emin() + 125)) + drawn % 16;
    const Bits tie = (drawn >> 8) % (1U << bits) << (23 - bits) | 1U << (22 - bits);
    edges.push_back(magnitude_of(multiply(field << 23 | tie, scale)));
  }
  std::vector<Bits> around;
  for (const Bits edge : edges) {
    for (Bits u = edge - 6; u != edge + 6; ++u) {
      around.push_back(u ^ static_cast<Bits>(random() & fp32::kSignBit));
    }
  }
  return around;
}

TEST(AimetQuick, ScaledLanesAreTheKernel) {
  const std::vector<Bits> anything = interesting();
  std::mt19937 random(10);
  for (int exponent_bits = 1; exponent_bits <= 8; ++exponent_bits) {
    for (int mantissa_bits = 1; mantissa_bits <= ScaledSimd::kMostMantissaBits; ++mantissa_bits) {
      const FloatInfo info = {exponent_bits, mantissa_bits, false, false};
      const Kernel kernel(info, Mode::kCompat, TensorType::kFp32, false);
      if (!ScaledSimd::applies(kernel)) {
        EXPECT_EQ(exponent_bits, 8) << info.name();
        continue;
      }
      for (const Bits scale : {0x3F800000U, 0x3E99999AU, 0xBF800001U, 0x21800000U, 0x21FFFFFFU,
                               0x5D800000U, 0x5DFFFFFFU, 0x3FFFFFFFU, 0x3D800000U,
                               0x38000000U + static_cast<Bits>(random() & 0x0FFFFFFF)}) {
        std::vector<Bits> values = around_ties(kernel, scale, random);
        values.insert(values.end(), anything.begin(), anything.end());
        for (const VectorTarget target : supported_targets()) {
          const ScaledSimd lanes(kernel, scale, target);
          ASSERT_TRUE(lanes.valid()) << std::hex << scale;
          std::vector<Bits> results(values.size() | 1);
          lanes(reinterpret_cast<const std::byte*>(values.data()),
                reinterpret_cast<std::byte*>(results.data()), values.size());
          for (std::size_t i = 0; i < values.size(); ++i) {
            ASSERT_TRUE(same(results[i], kernel(values[i], scale)))
                << info.name() << " " << std::hex << values[i] << " / " << scale << " "
                << name_of(target);
          }
        }
      }
    }
  }
}

/// Blocks under scales of every exponent, next to powers of two and random ones: results, and which
/// blocks are left.
TEST(AimetQuick, BlockLanesAreTheKernel) {
  constexpr std::size_t kBlocks = 200, kSize = 32;
  std::mt19937 random(13);
  std::size_t done = 0, left = 0;
  for (const FloatInfo info :
       {FloatInfo{5, 2, false, false}, FloatInfo{5, 1, false, false}, FloatInfo{6, 2, true, false},
        FloatInfo{3, 2, false, false}, FloatInfo{4, 1, true, false}}) {
    const Kernel kernel(info, Mode::kCompat, TensorType::kFp32, false);
    ASSERT_TRUE(BlockSimd::applies(kernel, kSize)) << info.name();
    std::vector<Bits> scales;
    std::vector<Bits> values;
    for (std::size_t b = 0; b < kBlocks; ++b) {
      const auto drawn = static_cast<Bits>(random());
      const Bits field = b < 100 ? static_cast<Bits>(67 + b) : drawn >> 8 & 0xFF;
      const Bits fraction = b % 4 == 0 ? 0 : b % 4 == 1 ? 0x7FFFFF : drawn & 0x7FFFFF;
      scales.push_back((drawn & fp32::kSignBit) | field << 23 | fraction);
      const bool is_usable = field >= 67 && field <= 187;
      std::vector<Bits> around(1, 0x3F800000);
      if (is_usable) around = around_ties(kernel, scales.back(), random);
      // Mostly quotients that are normal: one other leaves the block.
      const Bits least = magnitude_of(scales.back()) + (static_cast<Bits>(kernel.emin()) << 23);
      if (is_usable && b % 8 != 0) {
        std::erase_if(around, [&](Bits x) {
          return magnitude_of(x) < std::max(least, Bits{0x01000000}) || !is_normal(x);
        });
      }
      for (std::size_t i = 0; i < kSize; ++i) {
        const Bits x = around[random() % around.size()];
        const Bits any = static_cast<Bits>(random());
        values.push_back(b % 8 == 0 && i == b % kSize ? any : i == 5 ? x & fp32::kSignBit : x);
      }
    }
    for (const VectorTarget target : supported_targets()) {
      std::vector<Bits> results(values.size());
      std::vector<std::size_t> rest;
      BlockSimd(kernel, target)(scales, kSize, reinterpret_cast<const std::byte*>(values.data()),
                                reinterpret_cast<std::byte*>(results.data()), rest);
      ASSERT_TRUE(std::is_sorted(rest.begin(), rest.end()));
      for (std::size_t b = 0; b < kBlocks; ++b) {
        if (std::binary_search(rest.begin(), rest.end(), b)) {
          ++left;
          continue;
        }
        ++done;
        for (std::size_t i = b * kSize; i < (b + 1) * kSize; ++i) {
          ASSERT_TRUE(same(results[i], kernel(values[i], scales[b])))
              << info.name() << " " << std::hex << values[i] << " / " << scales[b] << " "
              << name_of(target);
        }
      }
    }
  }
  EXPECT_GT(done, 500U);
  EXPECT_GT(left, 500U);
}

/// Normal quotients are never left: ordinary tensors take the lanes.
TEST(AimetQuick, BlockLanesLeaveNoOrdinaryBlock) {
  const Kernel kernel({5, 2, false, false}, Mode::kCompat, TensorType::kFp32, false);
  std::mt19937 random(14);
  std::vector<Bits> scales(100), values(3200), results(3200);
  for (Bits& scale : scales) scale = 0x38000000 + (random() & 0x07FFFFFF);
  for (Bits& value : values)
    value = (random() & fp32::kSignBit) | (0x3F000000 + random() % 0x1000000);
  std::vector<std::size_t> rest;
  BlockSimd(kernel, VectorTarget::kBaseline)(scales, 32,
                                             reinterpret_cast<const std::byte*>(values.data()),
                                             reinterpret_cast<std::byte*>(results.data()), rest);
  EXPECT_TRUE(rest.empty());
  EXPECT_FALSE(BlockSimd::applies(kernel, 24));
  EXPECT_FALSE(BlockSimd::applies(kernel, 0));
  const Kernel wide({4, 3, false, false}, Mode::kCompat, TensorType::kFp32, false);
  EXPECT_FALSE(BlockSimd::applies(wide, 32));
  const Kernel far({8, 2, false, false}, Mode::kCompat, TensorType::kFp32, false);
  EXPECT_FALSE(BlockSimd::applies(far, 32));
}

TEST(AimetQuick, ManyProductsAreTheProducts) {
  std::vector<Bits> values = interesting();
  for (Bits u = 0x3F000000; u < 0x43000000; u += 0x0000F731) values.push_back(u);
  for (const Bits factor : {0x43E00000U, 0x47600000U, 0x477FE000U, 0x7F7F0000U, 0xBF800000U,
                            0x3F810000U, 0x00810000U, 0x7F800000U, 0x00000001U, 0x40400000U}) {
    for (const VectorTarget target : supported_targets()) {
      std::vector<Bits> products = values;
      multiply_all(products, factor, target);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_TRUE(same(products[i], multiply(values[i], factor)))
            << std::hex << values[i] << " * " << factor << " " << name_of(target);
      }
      std::vector<Bits> alike(100, values[factor % values.size()]), none;
      multiply_all(alike, factor, target);
      multiply_all(none, factor, target);
      for (const Bits x : alike) {
        ASSERT_TRUE(same(x, multiply(values[factor % values.size()], factor)));
      }
    }
  }
}

TEST(AimetQuick, ScaledLanesKnowWhatTheyCannotDo) {
  const auto applies = [](const FloatInfo& info, Mode mode, TensorType type) {
    return ScaledSimd::applies(Kernel(info, mode, type, false));
  };
  const FloatInfo e4m3 = {4, 3, false, false};
  EXPECT_TRUE(applies(e4m3, Mode::kCompat, TensorType::kFp32));
  EXPECT_TRUE(applies(info_of(Dtype::kBfloat16), Mode::kCompat, TensorType::kFp32));
  EXPECT_FALSE(applies(e4m3, Mode::kStrict, TensorType::kFp32));
  EXPECT_FALSE(applies(e4m3, Mode::kCompat, TensorType::kBf16));
  EXPECT_FALSE(applies(info_of(Dtype::kFloat8E4m3fnuz), Mode::kCompat, TensorType::kFp32));
  EXPECT_FALSE(applies({4, 0, false, false}, Mode::kCompat, TensorType::kFp32));
  EXPECT_FALSE(applies({4, 11, false, false}, Mode::kCompat, TensorType::kFp32));
  const Kernel kernel(e4m3, Mode::kCompat, TensorType::kFp32, false);
  for (const Bits scale : {0U, 1U, 0x217FFFFFU, 0x5E000000U, fp32::kInfinity, 0x7FC00000U}) {
    EXPECT_FALSE(ScaledSimd(kernel, scale).valid()) << std::hex << scale;
  }
}

TEST(AimetQuick, LadderIsTheKernel) {
  std::vector<Bits> values = interesting();
  std::mt19937 random(8);
  for (const FloatInfo info :
       {kFloat4E2m1fn, FloatInfo{2, 1, false, false}, FloatInfo{1, 2, false, false},
        FloatInfo{3, 0, false, false}, FloatInfo{2, 0, false, false}}) {
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      const Kernel kernel(info, mode, TensorType::kFp32, false);
      const LadderPlan plan(kernel);
      ASSERT_TRUE(plan.applies()) << info.name();
      for (int i = 0; i < 60; ++i) {
        const Bits scale = i == 0 ? fp32::kOne : (0x30000000 + (random() & 0x1FFFFFFF));
        const Ladder ladder(plan, scale);
        ASSERT_TRUE(ladder.valid());
        // Around every boundary of this scale.
        std::vector<Bits> around = values;
        for (int eighths = 1; eighths < 64; ++eighths) {
          const Bits edge = multiply(
              fp32::round(unpack_integer(false, static_cast<std::uint64_t>(eighths), -3)), scale);
          for (Bits u = edge - 4; u <= edge + 4; ++u) around.push_back(u);
        }
        std::vector<Bits> results(around.size());
        ladder(reinterpret_cast<const std::byte*>(around.data()),
               reinterpret_cast<std::byte*>(results.data()), around.size());
        for (std::size_t k = 0; k < around.size(); ++k) {
          ASSERT_TRUE(same(results[k], kernel(around[k], scale)))
              << info.name() << " " << std::hex << around[k] << " / " << scale;
        }
      }
    }
  }
  const Kernel kernel(kFloat4E2m1fn, Mode::kCompat, TensorType::kFp32, false);
  const LadderPlan plan(kernel);
  EXPECT_FALSE(Ladder(plan, 0).valid());
  EXPECT_FALSE(Ladder(plan, 0xBF800000).valid());
  EXPECT_FALSE(Ladder(plan, 0x7F000000).valid());
}

TEST(AimetQuick, LogarithmsAndPowersAreRoundedOnce) {
  // Against the host's binary64 functions, which have bits to spare.
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const Bits x = static_cast<Bits>(random() % 0x7F000000) + 1;
    const float value = std::bit_cast<float>(x);
    EXPECT_EQ(log2_fp32(x),
              std::bit_cast<Bits>(static_cast<float>(__builtin_log2(static_cast<double>(value)))))
        << x;
    const float power = (static_cast<float>(random() % 4'000'000) - 2e6F) / 16384;
    EXPECT_EQ(exp2_fp32(std::bit_cast<Bits>(power)),
              std::bit_cast<Bits>(static_cast<float>(__builtin_exp2(static_cast<double>(power)))))
        << power;
  }
  EXPECT_EQ(log2_fp32(0x3F800000), 0U);
  EXPECT_EQ(exp2_fp32(0xFF800000), 0U);
}

}  // namespace
}  // namespace mx::emulators::aimet

// The floating-point state of the process says nothing in a model: FTZ and DAZ, each rounding mode,
// the x87's precision, and unmasked exceptions leave every answer as it is.
#include <gtest/gtest.h>

#include <array>
#include <cfenv>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

#include "golden/bytes/sha256.hpp"
#include "golden/configuration/shorthand.hpp"
#include "mxgold_model.h"
#include "tests/emulators/cast_kit.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {
namespace {

/// Answers of models of every operation, and of the tensor functions, as one digest.
std::string digest_of_answers() {
  Sha256 digest;
  std::vector<Configuration> list = every_block();
  list.push_back(block(formats::bf16, "mxfp6_e3m2", Rounding::kStochasticA));
  list.push_back(conversion(formats::fp32, formats::e4m3fn, Rounding::kStochasticC));
  list.push_back(conversion(formats::fp64, formats::fp32));
  list.push_back(dot("mxfp4", "mxfp6_e2m3", Addend::kPresent));
  list.push_back(arith(ArithmeticOperation::kFma, formats::fp32));
  list.push_back(arith(ArithmeticOperation::kDivide, formats::fp64));
  list.push_back(dequantize("nvfp4", formats::bf16));
  for (const Configuration& each : some_casts()) list.push_back(each);
  for (const Configuration& each : list) {
    const auto text = shorthand_of(each);
    mxgold_model* model = nullptr;
    if (!text || mxgold_model_open(text->c_str(), &model, nullptr, 0) != MXGOLD_OK) {
      ADD_FAILURE() << name_of(each);
      continue;
    }
    const GoldenSet set = golden_set({each}, SuiteKind::kRandom, 20);
    EXPECT_EQ(mxgold_model_set_lanes(model, static_cast<uint32_t>(set.header.lanes)), MXGOLD_OK);
    constexpr std::array kFields = {Field::kSource, Field::kRandom, Field::kAScale, Field::kA,
                                    Field::kBScale, Field::kB,      Field::kC};
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      mxgold_record record{};
      for (std::size_t f = 0; f < kFields.size(); ++f) {
        record.operands[f] = set.records.of(kFields[f], i).data();
      }
      if (set.records.has(Field::kElements)) {
        record.elements = static_cast<uint32_t>(set.records.word(Field::kElements, i));
      }
      std::array<std::vector<std::uint64_t>, 3> results;
      std::size_t next = 0;
      for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
        results[next].resize(set.records.lanes(field));
        record.results[next] = results[next].data();
        ++next;
      }
      EXPECT_EQ(mxgold_model_answer(model, &record, nullptr, nullptr, 0), MXGOLD_OK);
      for (const auto& words : results) digest.update(std::as_bytes(std::span(words)));
    }
    mxgold_model_close(model);
  }
  return to_hex(digest.finish());
}

/// A state of the process, and its own back in the end.
class State {
 public:
  explicit State(const std::function<void()>& change) {
    std::fegetenv(&before_);
    change();
  }
  ~State() { std::fesetenv(&before_); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

 private:
  std::fenv_t before_{};
};

/// In a frame of its own, so that no constant is folded.
template <typename Float>
[[gnu::noinline]] Float divided(Float a, Float b) {
  return a / b;
}

TEST(FloatState, RoundingModesLeaveEveryAnswer) {
  const std::string wanted = digest_of_answers();
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    const State state([&] { ASSERT_EQ(std::fesetround(mode), 0); });
    EXPECT_EQ(digest_of_answers(), wanted) << "mode " << mode;
    EXPECT_EQ(std::fegetround(), mode) << "the model changed the caller's mode";
  }
  // The control: the modes reach arithmetic of this process.
  volatile float one = 1;
  volatile float three = 3;
  const float nearest = divided<float>(one, three);
  const State state([] { std::fesetround(FE_DOWNWARD); });
  EXPECT_NE(divided<float>(one, three), nearest);
}

#if defined(__x86_64__) || defined(__i386__)
TEST(FloatState, FlushingSubnormalsLeavesEveryAnswer) {
  const std::string wanted = digest_of_answers();
  constexpr unsigned kFlush = 0x8000;     // FTZ
  constexpr unsigned kAreZeros = 0x0040;  // DAZ
  constexpr unsigned kDownward = 0x2000;  // rounding control
  for (const unsigned bits :
       {kFlush, kAreZeros, kFlush | kAreZeros, kFlush | kAreZeros | kDownward}) {
    const State state([&] { _mm_setcsr(_mm_getcsr() | bits); });
    EXPECT_EQ(digest_of_answers(), wanted) << std::hex << bits;
    EXPECT_EQ(_mm_getcsr() & bits, bits) << "the model changed the caller's MXCSR";
  }
  // The control: subnormals of this process are flushed.
  volatile float small = 1.17549435e-38F;
  volatile float four = 4;
  EXPECT_NE(divided<float>(small, four), 0);
  const State state([] { _mm_setcsr(_mm_getcsr() | kFlush); });
  EXPECT_EQ(divided<float>(small, four), 0);
}

TEST(FloatState, PrecisionOfTheX87LeavesEveryAnswer) {
  const std::string wanted = digest_of_answers();
  const auto set_control = [](unsigned short clear, unsigned short set) {
    unsigned short control = 0;
    asm volatile("fnstcw %0" : "=m"(control));
    control = static_cast<unsigned short>((control & ~clear) | set);
    asm volatile("fldcw %0" : : "m"(control));
  };
  constexpr unsigned short kPrecision = 0x0300;
  constexpr unsigned short kDouble = 0x0200;
  constexpr unsigned short kSingle = 0x0000;
  volatile long double one = 1;
  volatile long double three = 3;
  const long double extended = divided<long double>(one, three);
  for (const unsigned short precision : {kSingle, kDouble, kPrecision}) {
    const State state([&] { set_control(kPrecision, precision); });
    EXPECT_EQ(digest_of_answers(), wanted) << std::hex << precision;
    // The control: long double of this process has that precision.
    EXPECT_EQ(divided<long double>(one, three) == extended, precision == kPrecision);
  }
}
#endif

}  // namespace
}  // namespace mx::golden

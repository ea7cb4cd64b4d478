// Only declarations of third parties and calls of their functions: TestFloat's generator of cases
// and SoftFloat, from the libraries that their own build makes.
#if __has_include(<genCases.h>) && __has_include(<softfloat.h>)
#include <cstdint>
#include <cstdlib>
extern "C" {
#include <genCases.h>
}
#define MX_HAVE_BERKELEY 1
#else
#define MX_HAVE_BERKELEY 0
#endif

#include "tests/external/testfloat/machine.hpp"

namespace mx::external {

#if MX_HAVE_BERKELEY
namespace {

struct Half {
  static void begin() { genCases_f16_abc_init(); }
  static FusedOperands next() {
    genCases_f16_abc_next();
    return {genCases_f16_a.v, genCases_f16_b.v, genCases_f16_c.v};
  }
  static float16_t code(std::uint64_t bits) { return {static_cast<std::uint16_t>(bits)}; }
  static float16_t fused(float16_t a, float16_t b, float16_t c) { return f16_mulAdd(a, b, c); }
};

struct Single {
  static void begin() { genCases_f32_abc_init(); }
  static FusedOperands next() {
    genCases_f32_abc_next();
    return {genCases_f32_a.v, genCases_f32_b.v, genCases_f32_c.v};
  }
  static float32_t code(std::uint64_t bits) { return {static_cast<std::uint32_t>(bits)}; }
  static float32_t fused(float32_t a, float32_t b, float32_t c) { return f32_mulAdd(a, b, c); }
};

struct Double {
  static void begin() { genCases_f64_abc_init(); }
  static FusedOperands next() {
    genCases_f64_abc_next();
    return {genCases_f64_a.v, genCases_f64_b.v, genCases_f64_c.v};
  }
  static float64_t code(std::uint64_t bits) { return {bits}; }
  static float64_t fused(float64_t a, float64_t b, float64_t c) { return f64_mulAdd(a, b, c); }
};

std::uint8_t softfloat_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::kTiesToAway:
      return softfloat_round_near_maxMag;
    case Rounding::kTowardZero:
      return softfloat_round_minMag;
    case Rounding::kTowardNegative:
      return softfloat_round_min;
    case Rounding::kTowardPositive:
      return softfloat_round_max;
    case Rounding::kToOdd:
      return softfloat_round_odd;
    default:
      return softfloat_round_near_even;
  }
}

static_assert(softfloat_flag_inexact == 1 && softfloat_flag_underflow == 2 &&
                  softfloat_flag_overflow == 4 && softfloat_flag_infinite == 8 &&
                  softfloat_flag_invalid == 16,
              "SoftFloat's flags are those that TestFloat prints");

template <typename Format>
class Berkeley : public FusedMachine {
 public:
  Berkeley(int level, std::uint64_t seed) {
    std::srand(static_cast<unsigned>(seed));
    genCases_setLevel(level);
    Format::begin();
  }

  [[nodiscard]] std::uint64_t announced() const override { return genCases_total; }

  [[nodiscard]] std::size_t make(std::span<FusedOperands> room) override {
    std::size_t made = 0;
    while (made < room.size() && !genCases_done) room[made++] = Format::next();
    return made;
  }

  void answer(Rounding rounding, Tininess tininess, std::span<const FusedOperands> cases,
              std::span<TestfloatAnswer> answers) override {
    softfloat_roundingMode = softfloat_rounding(rounding);
    softfloat_detectTininess = tininess == Tininess::kBeforeRounding
                                   ? softfloat_tininess_beforeRounding
                                   : softfloat_tininess_afterRounding;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const FusedOperands& x = cases[i];
      softfloat_exceptionFlags = 0;
      const auto result = Format::fused(Format::code(x[0]), Format::code(x[1]), Format::code(x[2]));
      answers[i] = {result.v, static_cast<unsigned>(softfloat_exceptionFlags)};
    }
  }
};

}  // namespace

std::unique_ptr<FusedMachine> berkeley_machine(std::string_view format, int level,
                                               std::uint64_t seed) {
  if (format == "f16") return std::make_unique<Berkeley<Half>>(level, seed);
  if (format == "f32") return std::make_unique<Berkeley<Single>>(level, seed);
  return std::make_unique<Berkeley<Double>>(level, seed);
}

#else

std::unique_ptr<FusedMachine> berkeley_machine(std::string_view, int, std::uint64_t) {
  return nullptr;
}

#endif

}  // namespace mx::external

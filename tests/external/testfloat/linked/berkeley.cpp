// Only declarations of third parties and calls of their functions: SoftFloat, from the library that
// its own build makes. SoftFloat's mulAdd ends with a call
// of a function that rounds and packs; before it, only the sign of an exact zero sum looks at the
// rounding, and that one is returned without the call. The linker leads the call here (--wrap), so
// that what is before it is computed once for all roundings.
#if __has_include(<genCases_f64.c>) && __has_include(<softfloat.h>)
#include <algorithm>
#include <cstdint>
#include <vector>
extern "C" {
#include <softfloat.h>
}
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names
extern "C" {
float16_t __real_softfloat_roundPackToF16(bool, int_fast16_t, uint_fast16_t);
float32_t __real_softfloat_roundPackToF32(bool, int_fast16_t, uint_fast32_t);
float64_t __real_softfloat_roundPackToF64(bool, int_fast16_t, uint_fast64_t);
float16_t __wrap_softfloat_roundPackToF16(bool, int_fast16_t, uint_fast16_t);
float32_t __wrap_softfloat_roundPackToF32(bool, int_fast16_t, uint_fast32_t);
float64_t __wrap_softfloat_roundPackToF64(bool, int_fast16_t, uint_fast64_t);
}
#define MX_HAVE_BERKELEY 1
#else
#define MX_HAVE_BERKELEY 0
#endif

#include "tests/external/testfloat/linked/cases.hpp"
#include "tests/external/testfloat/linked/machine.hpp"

namespace mx::external {

#if MX_HAVE_BERKELEY
namespace {

/// What SoftFloat is about to round, if it is.
struct Unrounded {
  bool is_rounded = false;
  bool is_negative = false;
  std::uint8_t flags = 0;
  std::int16_t exponent = 0;
  std::uint64_t significand = 0;

  /// SoftFloat reads the rule of tininess where it rounds and packs a number of negative exponent
  /// (s_roundPackToF16.c, F32, F64), and nowhere else in mulAdd.
  [[nodiscard]] bool has_tininess_read() const { return is_rounded && exponent < 0; }
};

/// Where the next call is written down instead of carried out; nullptr: it is carried out.
Unrounded* written = nullptr;

bool is_written(bool is_negative, std::int_fast16_t exponent, std::uint64_t significand) {
  if (written == nullptr) return false;
  *written = {true, is_negative, 0, static_cast<std::int16_t>(exponent), significand};
  return true;
}

struct Half {
  static float16_t code(std::uint64_t bits) { return {static_cast<std::uint16_t>(bits)}; }
  static float16_t fused(float16_t a, float16_t b, float16_t c) { return f16_mulAdd(a, b, c); }
  static float16_t packed(const Unrounded& x) {
    return __real_softfloat_roundPackToF16(x.is_negative, x.exponent, x.significand);
  }
};

struct Single {
  static float32_t code(std::uint64_t bits) { return {static_cast<std::uint32_t>(bits)}; }
  static float32_t fused(float32_t a, float32_t b, float32_t c) { return f32_mulAdd(a, b, c); }
  static float32_t packed(const Unrounded& x) {
    return __real_softfloat_roundPackToF32(x.is_negative, x.exponent, x.significand);
  }
};

struct Double {
  static float64_t code(std::uint64_t bits) { return {bits}; }
  static float64_t fused(float64_t a, float64_t b, float64_t c) { return f64_mulAdd(a, b, c); }
  static float64_t packed(const Unrounded& x) {
    return __real_softfloat_roundPackToF64(x.is_negative, x.exponent, x.significand);
  }
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
  Berkeley(const CaseGenerator& generator, int level, std::uint64_t seed)
      : generator_(generator), level_(level), seed_(seed) {
    generator_.begin(level, seed);
  }

  [[nodiscard]] std::uint64_t announced() const override { return generator_.announced(); }

  [[nodiscard]] std::size_t make(std::span<FusedOperands> room) override {
    const std::size_t made = generator_.make(room);
    made_ += made;
    return made;
  }

  [[nodiscard]] std::string place() const override { return generator_.rand.place(whose_place()); }

  [[nodiscard]] bool leap(std::uint64_t cases, std::string_view place) override {
    if (made_ != 0 || cases > announced()) return false;
    generator_.leap(cases);
    made_ = cases;
    return generator_.rand.set_place(place, whose_place());
  }

  void take(std::span<const FusedOperands> cases) override {
    cases_.assign(cases.begin(), cases.end());
    unrounded_.resize(cases.size());
    std::ranges::transform(cases_, unrounded_.begin(), before_rounding);
  }

  void answer(const Way& way, std::span<TestfloatAnswer> answers) override {
    softfloat_roundingMode = softfloat_rounding(way.rounding);
    softfloat_detectTininess = way.tininess == Tininess::kBeforeRounding
                                   ? softfloat_tininess_beforeRounding
                                   : softfloat_tininess_afterRounding;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const Unrounded& exact = unrounded_[i];
      softfloat_exceptionFlags = exact.flags;
      const auto result = exact.is_rounded ? Format::packed(exact) : fused(cases_[i]);
      answers[i] = {result.v, static_cast<unsigned>(softfloat_exceptionFlags)};
    }
  }

  [[nodiscard]] bool has_tininess_read(std::size_t i) const override {
    return unrounded_[i].has_tininess_read();
  }

 private:
  [[nodiscard]] std::string whose_place() const {
    std::string text = std::to_string(8 * sizeof(Format::code(0)));
    for (const std::uint64_t each : {std::uint64_t(level_), seed_, made_}) {
      text += ' ' + std::to_string(each);
    }
    return text;
  }

  [[nodiscard]] static auto fused(const FusedOperands& x) {
    return Format::fused(Format::code(x[0]), Format::code(x[1]), Format::code(x[2]));
  }

  [[nodiscard]] static Unrounded before_rounding(const FusedOperands& x) {
    Unrounded exact;
    softfloat_exceptionFlags = 0;
    written = &exact;
    (void)fused(x);
    written = nullptr;
    exact.flags = exact.is_rounded ? softfloat_exceptionFlags : 0;
    return exact;
  }

  const CaseGenerator& generator_;
  int level_;
  std::uint64_t seed_;
  std::uint64_t made_ = 0;
  std::vector<FusedOperands> cases_;  ///< that are answered
  std::vector<Unrounded> unrounded_;  ///< the same
};

}  // namespace
}  // namespace mx::external

extern "C" {
float16_t __wrap_softfloat_roundPackToF16(bool sign, int_fast16_t exponent,
                                          uint_fast16_t significand) {
  if (mx::external::is_written(sign, exponent, significand)) return {0};
  return __real_softfloat_roundPackToF16(sign, exponent, significand);
}
float32_t __wrap_softfloat_roundPackToF32(bool sign, int_fast16_t exponent,
                                          uint_fast32_t significand) {
  if (mx::external::is_written(sign, exponent, significand)) return {0};
  return __real_softfloat_roundPackToF32(sign, exponent, significand);
}
float64_t __wrap_softfloat_roundPackToF64(bool sign, int_fast16_t exponent,
                                          uint_fast64_t significand) {
  if (mx::external::is_written(sign, exponent, significand)) return {0};
  return __real_softfloat_roundPackToF64(sign, exponent, significand);
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace mx::external {

std::unique_ptr<FusedMachine> berkeley_machine(std::string_view format, int level,
                                               std::uint64_t seed) {
  const CaseGenerator& cases = case_generator(format);
  if (format == "f16") return std::make_unique<Berkeley<Half>>(cases, level, seed);
  if (format == "f32") return std::make_unique<Berkeley<Single>>(cases, level, seed);
  return std::make_unique<Berkeley<Double>>(cases, level, seed);
}

#else

std::unique_ptr<FusedMachine> berkeley_machine(std::string_view, int, std::uint64_t) {
  return nullptr;
}

#endif

}  // namespace mx::external

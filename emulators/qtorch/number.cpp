#include "emulators/qtorch/number.hpp"

#include <limits>

#include "emulators/common/call.hpp"

namespace mx::emulators::qtorch {
namespace {

constexpr std::int64_t kLeastNumber = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMostNumber = std::numeric_limits<std::int32_t>::max();

std::string decimal(std::int64_t value) { return std::to_string(value); }
std::string python_bool(bool value) { return value ? "True" : "False"; }

/// The class prints its parameters after a blank, a call does without.
struct Printer {
  std::string_view blank;
  bool is_call = false;

  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(const FixedPoint& number) const {
    std::string text =
        "FixedPoint" + gap() + "(wl=" + decimal(number.wl) + comma() + "fl=" + decimal(number.fl);
    if (is_call)
      text += ",clamp=" + python_bool(number.clamp) + ",symmetric=" + python_bool(number.symmetric);
    return text + ")";
  }
  std::string operator()(const FloatingPoint& number) const {
    const std::string exp = is_call ? "exp=" : "exponent=";
    const std::string man = is_call ? "man=" : "mantissa=";
    return "FloatingPoint" + gap() + "(" + exp + decimal(number.exp) + comma() + man +
           decimal(number.man) + ")";
  }
  std::string operator()(const BlockFloatingPoint& number) const {
    return "BlockFloatingPoint" + gap() + "(wl=" + decimal(number.wl) + comma() +
           "dim=" + decimal(number.dim) + ")";
  }

  [[nodiscard]] std::string gap() const { return std::string(blank); }
  [[nodiscard]] std::string comma() const { return std::string(",").append(blank); }
};

/// A checked class as a number.
template <typename T>
Checked<Number> number_of(const Checked<T>& made, const Call& call) {
  if (const std::string why = call.problem(); !why.empty()) return Problem{why};
  if (!made) return Problem{std::string(made.problem())};
  return Number(*made);
}

}  // namespace

Checked<FixedPoint> FixedPoint::make(std::int64_t wl, std::int64_t fl, bool clamp, bool symmetric) {
  if (wl <= 0) return Problem{"AssertionError: invalid bits for word length: " + decimal(wl)};
  if (fl <= 0) return Problem{"AssertionError: invalid bits for fractional length: " + decimal(fl)};
  return FixedPoint{wl, fl, clamp, symmetric};
}

Checked<FloatingPoint> FloatingPoint::make(std::int64_t exp, std::int64_t man) {
  if (exp <= 0 || exp > 8)
    return Problem{"AssertionError: invalid bits for exponent:" + decimal(exp)};
  if (man <= 0 || man > 23) {
    return Problem{"AssertionError: invalid bits for mantissa:" + decimal(man)};
  }
  return FloatingPoint{exp, man};
}

Checked<BlockFloatingPoint> BlockFloatingPoint::make(std::int64_t wl, std::int64_t dim) {
  if (wl <= 0) return Problem{"AssertionError: invalid bits for word length:" + decimal(wl)};
  if (dim < -1) return Problem{"AssertionError: invalid dimension"};
  return BlockFloatingPoint{wl, dim};
}

std::string to_string(const Number& number) { return std::visit(Printer{" "}, number); }

std::string call_text(const Number& number) { return std::visit(Printer{"", true}, number); }

Checked<Number> read_number(std::string_view text) {
  Checked<Call> read = Call::read(text);
  if (!read) return Problem{std::string(read.problem())};
  Call call = *std::move(read);
  if (call.name() == "None") {
    if (const std::string why = call.problem(); !why.empty()) return Problem{why};
    return Number();
  }
  if (call.name() == "FixedPoint") {
    const std::int64_t wl = call.integer("wl", {}, kLeastNumber, kMostNumber);
    const std::int64_t fl = call.integer("fl", {}, kLeastNumber, kMostNumber);
    const bool clamp = call.boolean("clamp", true);
    return number_of(FixedPoint::make(wl, fl, clamp, call.boolean("symmetric", false)), call);
  }
  if (call.name() == "FloatingPoint") {
    const std::int64_t exp = call.integer("exp", {}, kLeastNumber, kMostNumber);
    return number_of(FloatingPoint::make(exp, call.integer("man", {}, kLeastNumber, kMostNumber)),
                     call);
  }
  if (call.name() == "BlockFloatingPoint") {
    const std::int64_t wl = call.integer("wl", {}, kLeastNumber, kMostNumber);
    return number_of(
        BlockFloatingPoint::make(wl, call.integer("dim", -1, kLeastNumber, kMostNumber)), call);
  }
  return Problem{"ValueError: position 0: no number of QPyTorch: " + call.name()};
}

}  // namespace mx::emulators::qtorch

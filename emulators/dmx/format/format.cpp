#include "emulators/dmx/format/format.hpp"
#include "emulators/dmx/format/joined.hpp"

namespace mx::emulators::dmx {
namespace {

#define MX_DMX_LETTER(name, text, letter) letter,
constexpr char kLetters[] = {MX_DMX_ROUNDING(MX_DMX_LETTER)};

std::string refused(std::string_view what) { return joined({"AssertionError: ", what}); }

std::string refused(std::string_view what, std::int64_t got) {
  return joined({"AssertionError: ", what, std::to_string(got)});
}

std::string bad_block_size(std::int64_t size) {
  return size > 0 ? "" : refused("block size has to be positive, got ", size);
}

std::string braces(std::int64_t size) { return joined({"{", std::to_string(size), "}"}); }

std::string braces(std::int64_t size, std::int64_t axis) {
  return joined({"{", std::to_string(size), ",", std::to_string(axis), "}"});
}

std::string_view letter_text(Rounding rounding) {
  return {&kLetters[static_cast<std::size_t>(rounding)], 1};
}

std::string repr_of(const Same&) { return "SAME"; }
std::string repr_of(const FixedPoint& format) { return repr(format); }
std::string repr_of(const FloatingPoint& format) { return repr(format); }

std::string repr_of(const BlockFloatingPoint& format) {
  const std::string precision = std::to_string(format.precision);
  if (format.is_mxint) return joined({"MXINT", precision, braces(format.block_size)});
  const std::string_view symmetry = format.symmetric ? "S" : "_";
  const std::string size =
      format.axis ? braces(format.block_size, *format.axis) : braces(format.block_size);
  return joined({"BFP[", precision, "|8]", size, "(", symmetry, letter_text(format.rounding), ")"});
}

std::string repr_of(const ScaledBlockFloatingPoint& format) {
  return joined({"SBFP<", repr(format.block_format), "><", repr(format.scaler_format), ">",
                 braces(format.block_size)});
}

std::string repr_of(const Mxfp& format) {
  const FloatingPoint& element = format.element_format;
  return joined({"MXFP", std::to_string(element.exponent + element.mantissa + 1), "[E",
                 std::to_string(element.exponent), "M", std::to_string(element.mantissa), "]",
                 braces(format.block_size)});
}

}  // namespace

char letter_of(Rounding rounding) { return kLetters[static_cast<std::size_t>(rounding)]; }

std::optional<Rounding> rounding_of(char letter) {
  for (const auto& each : tokens<Rounding>()) {
    if (letter_of(each.value) == letter) return each.value;
  }
  return std::nullopt;
}

std::string problem_of(const FixedPoint& format) {
  if (format.precision >= 1 && format.precision <= 24) return {};
  return refused("highest integer precision simulated by FP32 is 25, got ", format.precision);
}

std::string problem_of(const FloatingPoint& format) {
  if (format.mantissa < 0 || format.mantissa > 23) {
    return refused("number of mantisa bits simulatable by FP32 is between 0 and 23, got",
                   format.mantissa);
  }
  if (format.exponent < 1 || format.exponent > 8) {
    return refused("number of exponent bits simulatable by FP32 is between 1 and 8, got ",
                   format.exponent);
  }
  const int least = format.exponent == 8 ? 127 : -128 + (1 << format.exponent);
  if (format.bias >= least && format.bias <= 127) return {};
  return refused(
      joined({"exponent bias simulatable by FP32 for ", std::to_string(format.exponent),
              "-bit exponent is constrained between ", std::to_string(least), " and 127, got "}),
      format.bias);
}

std::string problem_of(const BlockFloatingPoint& format) {
  if (format.precision < 2 || format.precision > 25) {
    return refused("highest integer precision simulated by FP32 is 25, got ", format.precision);
  }
  return bad_block_size(format.block_size);
}

std::string problem_of(const ScaledBlockFloatingPoint& format) {
  if (format.block_format.fraction != 0) {
    return refused("block format needs to have zero fraction");
  }
  if (!format.block_format.symmetric) {
    return refused("block format needs to have symmetric range");
  }
  return bad_block_size(format.block_size);
}

std::string problem_of(const Mxfp& format) { return bad_block_size(format.block_size); }

std::string problem_of(const Format& format) {
  return std::visit(
      [](const auto& each) {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, Same>) {
          return std::string();
        } else {
          return problem_of(each);
        }
      },
      format);
}

std::string repr(const FixedPoint& format) {
  return joined({"XP[", std::to_string(format.precision), ",", format.fraction > 0 ? "+" : "",
                 std::to_string(format.fraction), "](", format.clamp ? "C" : "_",
                 format.symmetric ? "S" : "_", letter_text(format.rounding), ")"});
}

std::string repr(const FloatingPoint& format) {
  return joined({"FP[", format.is_unsigned ? "0" : "1", "|", std::to_string(format.exponent), "|",
                 std::to_string(format.mantissa), ",", std::to_string(format.bias), "](",
                 format.flush_subnormal ? "F" : "_", letter_text(format.rounding), ")"});
}

std::string repr(const Format& format) {
  return std::visit([](const auto& each) { return repr_of(each); }, format);
}

std::string canonical_text(const Format& format) {
  if (const auto* const mxfp = std::get_if<Mxfp>(&format)) {
    const FloatingPoint& element = mxfp->element_format;
    const bool is_plain = element.bias == (1 << (element.exponent - 1)) - 1 &&
                          !element.flush_subnormal && !element.is_unsigned &&
                          element.rounding == Rounding::kNearest;
    if (!is_plain) return joined({"MXFP<", repr(element), ">", braces(mxfp->block_size)});
  }
  return repr(format);
}

bool is_blocked(const Format& format) {
  return !std::holds_alternative<Same>(format) && !std::holds_alternative<FixedPoint>(format) &&
         !std::holds_alternative<FloatingPoint>(format);
}

bool is_stochastic(const Format& format) {
  constexpr Rounding kStochastic = Rounding::kStochastic;
  if (const auto* const x = std::get_if<FixedPoint>(&format)) return x->rounding == kStochastic;
  if (const auto* const x = std::get_if<FloatingPoint>(&format)) return x->rounding == kStochastic;
  if (const auto* const x = std::get_if<BlockFloatingPoint>(&format)) {
    return x->rounding == kStochastic;
  }
  if (const auto* const x = std::get_if<ScaledBlockFloatingPoint>(&format)) {
    return x->block_format.rounding == kStochastic || x->scaler_format.rounding == kStochastic;
  }
  if (const auto* const x = std::get_if<Mxfp>(&format)) {
    return x->element_format.rounding == kStochastic;
  }
  return false;
}

std::int64_t block_size_of(const Format& format) {
  if (const auto* const x = std::get_if<BlockFloatingPoint>(&format)) return x->block_size;
  if (const auto* const x = std::get_if<ScaledBlockFloatingPoint>(&format)) return x->block_size;
  if (const auto* const x = std::get_if<Mxfp>(&format)) return x->block_size;
  return 1;
}

}  // namespace mx::emulators::dmx

#include "bridge/bus/preset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "reference/element/encode.hpp"

namespace mx::bridge {
namespace {

/// Takes a word NAME=VALUE out of a text.
std::optional<std::string> take_word(std::string& text, const std::string& name) {
  const std::string start = name + "=";
  std::size_t at = 0;
  while ((at = text.find(start, at)) != std::string::npos) {
    if (at == 0 || text[at - 1] == ' ') break;
    at += start.size();
  }
  if (at == std::string::npos) return std::nullopt;
  const std::size_t end = std::min(text.find(' ', at), text.size());
  std::string value = text.substr(at + start.size(), end - at - start.size());
  text.erase(at, end - at);
  return value;
}

bool has_word(const std::string& text, std::string_view name) {
  return (" " + text).find(fmt::format(" {}=", name)) != std::string::npos;
}

/// "" or why the value names no machine.
std::string read_machine(const std::string& name, const std::optional<std::string>& value,
                         Machine& machine) {
  if (!value) return {};
  if (const auto found = parse_token<Machine>(*value)) {
    machine = *found;
    return {};
  }
  std::vector<std::string_view> known;
  for (const Token<Machine>& each : tokens<Machine>()) known.push_back(each.text);
  return fmt::format("{}={}: one of {}", name, *value, fmt::join(known, ", "));
}

/// The format whose NaNs the operands are, and that of the result.
struct Formats {
  ElementFormat operand;
  ElementFormat result;
};

std::optional<Formats> scalar_formats(const golden::Configuration& what) {
  if (const auto* const c = std::get_if<ConversionConfig>(&what.what)) {
    return Formats{c->source, c->destination};
  }
  if (const auto* const c = std::get_if<golden::ArithmeticCase>(&what.what)) {
    return Formats{c->operand(), c->result()};
  }
  return std::nullopt;
}

bool is_ieee(const ElementFormat& format) {
  return format.kind == FormatKind::kFloat && format.nan == NanKind::kIeeeAll &&
         format.inf == InfKind::kIeeeTop && format.man_bits > 0;
}

/// Does an operation give one of its operands, so that its invalid is no matter of what NaN comes
/// out?
const golden::ArithmeticCase* selection(const golden::Configuration& what) {
  const auto* const c = std::get_if<golden::ArithmeticCase>(&what.what);
  return c != nullptr && kind_of(c->operation) == OperationKind::kSelected ? c : nullptr;
}

std::uint64_t quiet_bit(const ElementFormat& format) {
  return std::uint64_t{1} << (format.man_bits - 1);
}

/// A NaN operand as a quiet NaN of the result's format: its sign and as much of its payload as
/// there is room for.
std::uint64_t quieted(const Formats& formats, std::uint64_t code) {
  const ElementFormat& from = formats.operand;
  const ElementFormat& to = formats.result;
  const std::uint64_t sign = (code & from.sign_bit()) != 0 ? to.sign_bit() : 0;
  const int up = to.man_bits - from.man_bits;
  std::uint64_t payload = code & from.man_mask();
  payload = up >= 0 ? payload << up : payload >> -up;
  return sign | to.inf_code() | payload | quiet_bit(to);
}

/// Operands in the order in which a machine looks for NaNs.
std::array<std::size_t, 3> order_of(Machine machine, std::size_t count) {
  // ARM's FPMulAdd() has the addend first.
  if (machine == Machine::kArm && count == 3) return {2, 0, 1};
  return {0, 1, 2};
}

/// What NaN a machine gives; nothing for its default NaN.
std::optional<std::uint64_t> propagated(Machine machine, const Formats& formats,
                                        ScalarOperands operands, bool is_default) {
  if (machine == Machine::kRiscv || machine == Machine::kArmDn || is_default) return std::nullopt;
  const auto order = order_of(machine, operands.size());
  std::optional<std::uint64_t> first, signaling;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::uint64_t code = operands[order[i]];
    const Unpacked x = decode(formats.operand, code);
    if (x.cls != ValueClass::kNan) continue;
    if (!first) first = code;
    if (!signaling && x.signaling) signaling = code;
  }
  const auto chosen = machine == Machine::kArm && signaling ? signaling : first;
  if (!chosen) return std::nullopt;
  return quieted(formats, *chosen);
}

bool is_zero_by_infinity(const ElementFormat& format, ScalarOperands operands) {
  const ValueClass a = decode(format, operands[0]).cls;
  const ValueClass b = decode(format, operands[1]).cls;
  return (a == ValueClass::kZero && b == ValueClass::kInf) ||
         (a == ValueClass::kInf && b == ValueClass::kZero);
}

bool is_of_x86(ArithmeticOperation operation) {
  return operation == ArithmeticOperation::kSelectMinimum ||
         operation == ArithmeticOperation::kSelectMaximum;
}

/// What a machine's conversions to integers give for what these do not hold.
OutOfRange out_of_range_of(Machine machine) {
  if (machine == Machine::kRiscv) return OutOfRange::kSaturateNanMax;
  return machine == Machine::kX86 ? OutOfRange::kIndefinite : OutOfRange::kSaturateNanZero;
}

struct FlagPlace {
  std::uint64_t ours = 0;
  std::uint64_t riscv = 0;
  std::uint64_t x86 = 0;
  std::uint64_t arm = 0;
};

constexpr std::array kFlagPlaces = {
    FlagPlace{kFlagInvalid, 0x10, 0x01, 0x01}, FlagPlace{kFlagDivideByZero, 0x08, 0x04, 0x02},
    FlagPlace{kFlagOverflow, 0x04, 0x08, 0x04}, FlagPlace{kFlagUnderflow, 0x02, 0x10, 0x08},
    FlagPlace{kFlagInexact, 0x01, 0x20, 0x10}};
constexpr std::uint64_t kX86Denormal = 0x02;

std::uint64_t flags_of(Machine machine, std::uint64_t flags) {
  if (machine == Machine::kMxgold) return flags;
  std::uint64_t result = 0;
  for (const FlagPlace& place : kFlagPlaces) {
    if ((flags & place.ours) == 0) continue;
    result |= machine == Machine::kRiscv ? place.riscv
              : machine == Machine::kX86 ? place.x86
                                         : place.arm;
  }
  return result;
}

}  // namespace

Checked<Preset> Preset::take(std::string& text) {
  std::ranges::replace(text, '\t', ' ');
  std::ranges::replace(text, '\n', ' ');
  Preset preset;
  const auto machine = take_word(text, "preset");
  const auto flags = take_word(text, "flags");
  if (std::string why = read_machine("preset", machine, preset.nan); !why.empty()) {
    return Problem{why};
  }
  preset.flags = preset.nan;
  if (std::string why = read_machine("flags", flags, preset.flags); !why.empty()) {
    return Problem{why};
  }
  if (preset.nan == Machine::kMxgold) return preset;
  const bool is_arm = preset.nan == Machine::kArm || preset.nan == Machine::kArmDn;
  const std::array<std::array<std::string_view, 2>, 3> policies = {
      {{"overflow", "none_inf_or_nan"},
       {"nan", "canonical_positive"},
       {"tininess", is_arm ? "before_rounding" : "after_rounding"}}};
  for (const auto& [name, value] : policies) {
    if (!has_word(text, name)) text += fmt::format(" {}={}", name, value);
  }
  const bool is_to_integer = (text + " ").find("operation=to_integer ") != std::string::npos;
  if (is_to_integer && !has_word(text, "out_of_range")) {
    text += fmt::format(" out_of_range={}", token_of(out_of_range_of(preset.nan)));
  }
  return preset;
}

std::string Preset::text() const {
  std::string words;
  if (nan != Machine::kMxgold) words += fmt::format(" preset={}", token_of(nan));
  if (flags != nan) words += fmt::format(" flags={}", token_of(flags));
  return words;
}

std::string Preset::problem(const golden::Configuration& configuration) const {
  if (nan == Machine::kMxgold && flags == Machine::kMxgold) return {};
  const auto formats = scalar_formats(configuration);
  if (!formats) {
    return fmt::format("preset and flags are of op=arith and op=cvt, not of op={}",
                       token_of(configuration.operation()));
  }
  if (nan == Machine::kMxgold) return {};
  const auto* const arithmetic = std::get_if<golden::ArithmeticCase>(&configuration.what);
  for (const ElementFormat& format : {formats->operand, formats->result}) {
    const bool is_whole = arithmetic != nullptr && format.kind == FormatKind::kTwosComplement;
    if (!is_whole && !is_ieee(format)) {
      return fmt::format("preset={}: {} has not the infinities and NaNs of IEEE 754", token_of(nan),
                         format.name);
    }
  }
  return {};
}

ScalarAnswer answer_of(const Preset& preset, const golden::Configuration& what,
                       ScalarOperands operands, ScalarAnswer answer) {
  const auto formats = scalar_formats(what);
  if (!formats) return answer;
  if (preset.nan != Machine::kMxgold &&
      decode(formats->result, answer.code).cls == ValueClass::kNan) {
    bool has_nan = false;
    bool has_signaling = false;
    for (const std::uint64_t code : operands) {
      const Unpacked x = decode(formats->operand, code);
      has_nan = has_nan || x.cls == ValueClass::kNan;
      has_signaling = has_signaling || (x.cls == ValueClass::kNan && x.signaling);
    }
    // A product of zero and infinity under a quiet NaN addend: only ARM gives the default NaN, and
    // x86 does not call it invalid.
    const bool no_product = operands.size() == 3 && is_zero_by_infinity(formats->operand, operands);
    const bool is_invalid =
        has_signaling || !has_nan || (no_product && preset.nan != Machine::kX86);
    const bool addend_is_quiet = no_product && !has_signaling;
    const auto code =
        propagated(preset.nan, *formats, operands, preset.nan == Machine::kArm && addend_is_quiet);
    const std::uint64_t sign = preset.nan == Machine::kX86 ? formats->result.sign_bit() : 0;
    answer.code = code.value_or(sign | formats->result.inf_code() | quiet_bit(formats->result));
    if (const auto* const selected = selection(what)) {
      // MINSS and MAXSS give their second operand as it is, a signalling NaN included.
      const bool is_x86 = preset.nan == Machine::kX86 && is_of_x86(selected->operation);
      if (is_x86) answer.code = operands[1];
    } else {
      answer.flags = is_invalid ? kFlagInvalid : 0;
    }
  }
  answer.flags = flags_of(preset.flags, answer.flags);
  return answer;
}

std::uint64_t open_flags(const Preset& preset) {
  return preset.flags == Machine::kX86 ? kX86Denormal : 0;
}

}  // namespace mx::bridge

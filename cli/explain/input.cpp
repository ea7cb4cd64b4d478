// Inputs of `explain`: bits of the source format, or numbers rounded into it once.
#include <algorithm>

#include "cli/explain/input.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/text/exact.hpp"

namespace mx::cli {

using golden::ExplainInput;

namespace {

bool is_hex(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

ExplainInput from_bits(const ElementFormat& source, const std::string& text,
                       std::string_view digits) {
  const std::optional<std::uint64_t> code = golden::parse_hex(digits);
  if (digits.size() > 16 || !code || *code > source.code_mask()) {
    fail(Exit::kUsage, "input {}: {} has {} bits; give at most {} hexadecimal digits",
         printable(text), source.name, source.bits, (source.bits + 3) / 4);
  }
  return {.text = text, .code = *code};
}

}  // namespace

ExplainInput parse_input(const ElementFormat& source, const std::string& text,
                         BitsFirst bits_first) {
  const auto width = static_cast<std::size_t>((source.bits + 3) / 4);
  const std::string_view view = text;
  const bool has_prefix = view.starts_with("0x") || view.starts_with("0X");
  if (has_prefix && is_hex(view.substr(2))) return from_bits(source, text, view.substr(2));
  const auto number = golden::parse_number(text);
  if (view.size() == width && is_hex(view)) {
    if (number && bits_first == BitsFirst::kNo) {
      fail(Exit::kUsage,
           "input {} could be bits of {} or a number; write 0x{} for the bits or {}.0 for the "
           "number, or name the source with --source to mean bits",
           printable(text), source.name, text, text);
    }
    return from_bits(source, text, view);
  }
  if (!number) {
    fail(Exit::kUsage,
         "input {} is neither {} hexadecimal digits of {} nor a number (1.0625, -3e-5, 0x1.8p-3, "
         "inf, nan; at most 4096 digits, exponents to +-9999)",
         printable(text), width, source.name);
  }
  ElementPolicy to_source;
  to_source.overflow = Overflow::kNoneInfOrNan;
  to_source.nan = NanPolicy::kKeepSign;
  const Encoded encoded = encode(*number, source, to_source, 0);
  return {.text = text,
          .code = encoded.code,
          .is_number = true,
          .is_rounded = (encoded.flags & kFlagInexact) != 0};
}

}  // namespace mx::cli

#include "golden/explain/input.hpp"

#include "golden/bytes/number_text.hpp"
#include "golden/names/names.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {

namespace {

bool is_hex(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

ExplainInput from_bits(const ElementFormat& source, const std::string& text,
                       std::string_view digits) {
  const std::optional<std::uint64_t> code = parse_hex(digits);
  if (digits.size() > 16 || !code || *code > source.code_mask()) {
    throw Refusal(filled("input {}: {} has {} bits; give at most {} hexadecimal digits",
                         printable(text), source.name, source.bits, (source.bits + 3) / 4));
  }
  return {.text = text, .code = *code};
}

}  // namespace

ExplainInput parse_input(const ElementFormat& source, const std::string& text, BitsFirst bits_first,
                         Spelling spelling) {
  const auto width = static_cast<std::size_t>((source.bits + 3) / 4);
  const std::string_view view = text;
  const bool has_prefix = view.starts_with("0x") || view.starts_with("0X");
  if (has_prefix && is_hex(view.substr(2))) return from_bits(source, text, view.substr(2));
  const auto number = parse_number(text);
  if (view.size() == width && is_hex(view)) {
    if (number && bits_first == BitsFirst::kNo) {
      throw Refusal(filled(
          "input {} could be bits of {} or a number; write 0x{} for the bits or {}.0 for the "
          "number, or name the source with {} to mean bits",
          printable(text), source.name, text, text, spelled(spelling, "source")));
    }
    return from_bits(source, text, view);
  }
  if (!number) {
    throw Refusal(
        filled("input {} is neither {} hexadecimal digits of {} nor a number (1.0625, -3e-5, "
               "0x1.8p-3, inf, nan; at most 4096 digits, exponents to +-9999)",
               printable(text), width, source.name));
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

std::uint64_t parse_bits(std::string_view argument, const std::string& text, std::uint64_t mask) {
  const bool has_prefix = text.starts_with("0x") || text.starts_with("0X");
  const std::optional<std::uint64_t> bits =
      parse_hex(std::string_view(text).substr(has_prefix ? 2 : 0));
  if (!bits || (*bits & ~mask) != 0) {
    throw Refusal(
        filled("{} {}: give hexadecimal bits up to {:x}", argument, printable(text), mask));
  }
  return *bits;
}

}  // namespace mx::golden

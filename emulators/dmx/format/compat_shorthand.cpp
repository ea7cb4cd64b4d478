// What the package's own parser takes, faults included.
#include "emulators/dmx/format/reader.hpp"
#include "emulators/dmx/format/shorthand.hpp"

namespace mx::emulators::dmx {
namespace {

Problem no_match() { return {"TypeError: 'NoneType' object is not subscriptable"}; }

Problem key_error(char letter) { return {std::string("KeyError: ") + letter}; }

/// A pattern of literals (letters of either case) and integers, which `%` stands for.
bool matches(Reader& reader, std::string_view pattern, std::span<std::int64_t> integers) {
  std::size_t next = 0;
  for (const char c : pattern) {
    if (c != '%') {
      if (!reader.literal(std::string_view(&c, 1), true)) return false;
      continue;
    }
    const std::optional<std::int64_t> value = reader.loose_integer();
    if (!value) return false;
    integers[next++] = *value;
  }
  return true;
}

/// The flag fields up to the closing parenthesis at the end: every field takes one character or
/// more, the first as many as it can. An empty answer: no match.
std::string_view flags(Reader& reader, std::size_t fields, bool last_is_letter) {
  const std::string_view rest = reader.rest();
  if (rest.size() < fields + 1 || rest.back() != ')') return {};
  const std::string_view all = rest.substr(0, rest.size() - 1);
  for (const char c : all) {
    if (!is_word(c)) return {};
  }
  if (last_is_letter && !is_letter(all.back())) return {};
  return all;
}

/// Is the first of `fields` fields exactly this letter?
bool first_is(std::string_view all, std::size_t fields, char letter) {
  return all.size() == fields && all[0] == letter;
}

Checked<FixedPoint> fixed_point(std::string_view text) {
  Reader reader(text);
  std::int64_t integers[2] = {};
  if (!matches(reader, "XP[%,%](", integers)) return no_match();
  const std::string_view all = flags(reader, 3, false);
  if (all.empty()) return no_match();
  const auto rounding = rounding_of(all.back());
  if (!rounding) return key_error(all.back());
  const FixedPoint format{integers[0], integers[1], first_is(all, 3, 'C'),
                          all[all.size() - 2] == 'S', *rounding};
  if (std::string why = problem_of(format); !why.empty()) return Problem{std::move(why)};
  return format;
}

/// An integer as a constructor's parameter: what is out of an int's range is out of every range.
int narrowed(std::int64_t value) {
  constexpr std::int64_t kFar = 1'000'000'000;
  return static_cast<int>(value > kFar ? kFar : value < -kFar ? -kFar : value);
}

Checked<FloatingPoint> floating_point(std::string_view text) {
  Reader reader(text);
  std::int64_t integers[4] = {};
  if (!matches(reader, "FP[%|%|%,%](", integers)) return no_match();
  const std::string_view all = flags(reader, 2, true);
  if (all.empty()) return no_match();
  const auto rounding = rounding_of(all.back());
  if (!rounding) return key_error(all.back());
  const FloatingPoint format{.mantissa = narrowed(integers[2]),
                             .exponent = narrowed(integers[1]),
                             .bias = narrowed(integers[3]),
                             .flush_subnormal = first_is(all, 2, 'F'),
                             .is_unsigned = integers[0] == 0,
                             .rounding = *rounding};
  if (std::string why = problem_of(format); !why.empty()) return Problem{std::move(why)};
  return format;
}

template <typename Made>
Checked<Format> checked(const Made& format) {
  if (std::string why = problem_of(format); !why.empty()) return Problem{std::move(why)};
  return Format(format);
}

Checked<Format> block_floating_point(std::string_view text) {
  Reader reader(text);
  std::int64_t integers[2] = {};
  if (!matches(reader, "BFP[%|8]{%}(", integers)) return no_match();
  const std::string_view all = flags(reader, 2, true);
  if (all.empty()) return no_match();
  const auto rounding = rounding_of(all.back());
  if (!rounding) return key_error(all.back());
  return checked(BlockFloatingPoint{.precision = narrowed(integers[0]),
                                    .block_size = integers[1],
                                    .symmetric = first_is(all, 2, 'S'),
                                    .rounding = *rounding});
}

/// Whether a tail ">{size}" ends the text.
std::optional<std::int64_t> tail(std::string_view text) {
  Reader reader(text);
  std::int64_t size[1] = {};
  if (!matches(reader, ">{%}", size) || !reader.at_end()) return std::nullopt;
  return size[0];
}

struct Nested {
  std::string_view inner;
  std::int64_t size = 0;
};

/// inner>{size}, the shortest inner text of one character or more.
std::optional<Nested> nested(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (const auto size = tail(text.substr(i))) return Nested{text.substr(0, i), *size};
  }
  return std::nullopt;
}

Checked<Format> scaled(std::string_view text) {
  constexpr std::string_view kOpen = "SBFP<";
  for (std::size_t i = kOpen.size() + 1; i + 1 < text.size(); ++i) {
    if (text.substr(i, 2) != "><") continue;
    const std::optional<Nested> scaler = nested(text.substr(i + 2));
    if (!scaler) continue;
    const auto block = fixed_point(text.substr(kOpen.size(), i - kOpen.size()));
    if (!block) return Problem{std::string(block.problem())};
    const auto inner = floating_point(scaler->inner);
    if (!inner) return Problem{std::string(inner.problem())};
    return checked(ScaledBlockFloatingPoint{*block, *inner, scaler->size});
  }
  return no_match();
}

Checked<Format> mxfp(std::string_view text) {
  constexpr std::string_view kOpen = "MXFP<";
  if (text.starts_with(kOpen)) {
    const std::optional<Nested> element = nested(text.substr(kOpen.size()));
    if (!element) return no_match();
    const auto inner = floating_point(element->inner);
    if (!inner) return Problem{std::string(inner.problem())};
    return checked(Mxfp{*inner, element->size});
  }
  Reader reader(text);
  std::int64_t integers[4] = {};
  if (!matches(reader, "MXFP%[E%M%]{%}", integers) || !reader.at_end()) return no_match();
  const auto [precision, exponent, mantissa, size] = integers;
  if (precision != exponent + mantissa + 1) return Problem{"AssertionError: "};
  FloatingPoint element{.mantissa = narrowed(mantissa),
                        .exponent = narrowed(exponent),
                        .bias = 0,
                        .flush_subnormal = false};
  if (exponent >= 1 && exponent <= 8) element.bias = (1 << (exponent - 1)) - 1;
  if (std::string why = problem_of(element); !why.empty()) return Problem{std::move(why)};
  return checked(Mxfp{element, size});
}

Checked<Format> mxint(std::string_view text) {
  Reader reader(text);
  std::int64_t integers[2] = {};
  if (!matches(reader, "MXINT%{%}", integers) || !reader.at_end()) return no_match();
  return checked(BlockFloatingPoint{
      .precision = narrowed(integers[0]), .block_size = integers[1], .is_mxint = true});
}

template <typename Made>
Checked<Format> as_format(const Checked<Made>& made) {
  if (!made) return Problem{std::string(made.problem())};
  return Format(*made);
}

}  // namespace

Checked<Format> compat_shorthand(std::string_view text) {
  if (text.starts_with("SAME")) return Format(Same{});
  if (text.starts_with("XP")) return as_format(fixed_point(text));
  if (text.starts_with("FP")) return as_format(floating_point(text));
  if (text.starts_with("BFP")) return block_floating_point(text);
  if (text.starts_with("SBFP")) return scaled(text);
  if (text.starts_with("MXFP")) return mxfp(text);
  if (text.starts_with("MXINT")) return mxint(text);
  return Problem{"ValueError: unrecognized format shorthand: " + std::string(text)};
}

}  // namespace mx::emulators::dmx

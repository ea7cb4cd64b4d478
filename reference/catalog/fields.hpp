// Descriptors as text: every field of spec F6.1 by name, and formats that users
// describe with some of them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/format/format.hpp"

namespace mx {

/// One field of a descriptor.
struct FormatField {
  std::string_view name;
  std::string_view values;   ///< "float | exp_only | ...", "0..16"
  std::string_view summary;  ///< a half sentence, with what holds where the field is left out
};

/// The fields a description may have besides the name, in the order of spec F6.1.
[[nodiscard]] std::span<const FormatField> format_fields();

/// The fields that describe a format, in that order, each as it can be read back; fields that mean
/// nothing for its kind are left out. A tapered format has none.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string>> describe_format(
    const ElementFormat& format);

/// Tokens of the descriptor's enums: "pos_and_neg", "ieee_top", "outer_one_per_sign", ...
[[nodiscard]] std::string_view kind_token(const ElementFormat& format);
[[nodiscard]] std::string_view zero_token(ZeroKind kind);
[[nodiscard]] std::string_view inf_token(InfKind kind);
[[nodiscard]] std::string_view nan_token(NanKind kind);

/// Why a description is refused: the field, its value as given ("" where it was left out), what is
/// wrong and what to do.
struct FormatProblem {
  std::string field;
  std::string value;
  std::string reason;
  std::string remedy;
  /// "field 'bits', value '99': bits lies outside 1..64; give 1 to 64"
  [[nodiscard]] std::string text() const;
};

/// A format under description. Only what differs from the rest has to be said: a float needs two of
/// bits, exp_bits and man_bits; a fixed format bits and frac_bits.
class FormatDraft {
 public:
  /// Sets a field from its text: a token, true or false, a whole number, or a code in decimal or
  /// with 0x. A field can be set once.
  [[nodiscard]] std::optional<FormatProblem> set(std::string_view field, std::string_view value);
  /// Fills in what was not said and checks the fields.
  [[nodiscard]] std::optional<FormatProblem> fill(ElementFormat& format) const;
  /// The same, and checks every code (spec F6.2).
  [[nodiscard]] std::optional<FormatProblem> finish(ElementFormat& format) const;

 private:
  [[nodiscard]] std::optional<FormatProblem> complete(ElementFormat& format) const;
  [[nodiscard]] bool has(std::string_view field) const { return given_.contains(field); }
  [[nodiscard]] FormatProblem problem(std::string_view field, std::string_view reason,
                                      std::string_view remedy) const;
  ElementFormat format_;
  bool is_exponent_only_ = false;
  std::map<std::string, std::string, std::less<>> given_;
};

/// "name=tiny, bits=5, exp_bits=3": pairs separated by commas, but for those in parentheses. Text
/// without '=' is refused.
[[nodiscard]] std::optional<FormatProblem> split_pairs(
    std::string_view text, std::vector<std::pair<std::string, std::string>>& pairs);

/// A text without the parentheses around all of it, and blanks within them.
[[nodiscard]] std::string_view without_parentheses(std::string_view text);

/// A format as such pairs on one line, its name first: the way it is kept in files.
[[nodiscard]] std::string format_text(const ElementFormat& format);

/// The way back, checked as FormatDraft does. The name is left empty in `format`.
[[nodiscard]] std::optional<FormatProblem> parse_format_text(std::string_view text,
                                                             std::string& name,
                                                             ElementFormat& format);

/// Can a format be called so? A letter, then letters, digits and underscores, 64 at most.
[[nodiscard]] bool is_format_name(std::string_view name);

}  // namespace mx

// Texts of the form  name(key=value, key=value):  how the functions of the emulated systems are
// spelt. Keys are the parameters' documented names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/policy/checked.hpp"

namespace mx::emulators {

struct Argument {
  std::string key;
  std::string value;
  std::size_t position = 0;  ///< of the key, counted from 0 in the text that was read
};

/// A call that was read. Its arguments are taken one by one; problem() then names the first that
/// did not fit, or one that nobody asked for.
class Call {
 public:
  /// Blanks may stand around names, `=` and `,`. A key may stand once; a call without arguments may
  /// leave the parentheses out.
  [[nodiscard]] static Checked<Call> read(std::string_view text);

  [[nodiscard]] const std::string& name() const { return name_; }

  /// A decimal integer within limits; `fallback` where the key is absent, which is a problem if it
  /// is empty too.
  [[nodiscard]] std::int64_t integer(std::string_view key, std::optional<std::int64_t> fallback,
                                     std::int64_t least, std::int64_t most);
  /// True or False, also true/false/1/0.
  [[nodiscard]] bool boolean(std::string_view key, std::optional<bool> fallback);
  /// The text as it stands.
  [[nodiscard]] std::string word(std::string_view key, std::optional<std::string_view> fallback);
  [[nodiscard]] bool has(std::string_view key) const;

  /// Records a problem of an argument: the first one stays.
  void refuse(std::string_view key, std::string_view why);

  /// "" where every argument was taken and fitted.
  [[nodiscard]] std::string problem() const;

 private:
  const Argument* take(std::string_view key);

  std::string name_;
  std::vector<Argument> arguments_;
  std::vector<bool> taken_;
  std::string problem_;
};

}  // namespace mx::emulators

// The options of the C ABI: names and values to policies, and the messages about those that are
// none.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "backend/tensor/choice.hpp"
#include "mxgold.h"
#include "reference/policy/fields.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::abi {

/// The caller's message buffer, always NUL-terminated, cut where it is too short.
class Message {
 public:
  Message(char* text, std::size_t size) : text_(text), size_(text == nullptr ? 0 : size) {
    write({});
  }
  void write(std::initializer_list<std::string_view> parts);

 private:
  char* text_;
  std::size_t size_;
};

/// The options that are no policies: where these start from, and who computes.
struct Start {
  const Profile* profile = nullptr;
  std::string_view variant;
  backend::Choice backend = backend::Choice::kAuto;

  [[nodiscard]] static bool is_one(std::string_view name) {
    return name == "profile" || name == "variant" || name == "backend";
  }
};

/// Looks for the profile, its variant and the backend among the options. MXGOLD_BAD_VALUE for an
/// unknown one, and for a variant without a profile.
[[nodiscard]] mxgold_status find_start(const mxgold_option* options, std::size_t count,
                                       Start& start, Message& message);

/// Replaces the default policy by that of the profile, if there is one. The names are those of the
/// formats: rows go by name, which family members do not carry. MXGOLD_BAD_VALUE where the profile
/// does not speak of the conversion or has no such variant.
[[nodiscard]] mxgold_status start_conversion(const Start& start, const char* source,
                                             const char* destination, ConversionConfig& conversion,
                                             Message& message);
[[nodiscard]] mxgold_status start_quantizer(const Start& start, const char* source,
                                            QuantizerConfig& config, Message& message);

/// Applies the other options in order; those of quantizers alone are legal where `config` is not
/// null.
[[nodiscard]] mxgold_status apply(const mxgold_option* options, std::size_t count,
                                  Policies& policies, QuantizerConfig* config, Message& message);

}  // namespace mx::abi

// The options of the C ABI: names and values to policies, and the messages about those that are
// none.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
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

/// Says that no format, or block format, is called that, or that it is known by name only;
/// MXGOLD_UNKNOWN_FORMAT.
mxgold_status unknown_format(std::string_view kind, std::string_view name, Message& message);

/// The options that are no policies: where these start from, and who computes.
struct Start {
  const Profile* profile = nullptr;
  std::string variant;  ///< with what blocks_as adds to it
  backend::Choice backend = backend::Choice::kAuto;
  Masks masks = 0;  ///< what the profile leaves open of the answers, once its row is found

  [[nodiscard]] static bool is_one(std::string_view name) {
    return name == "profile" || name == "variant" || name == "blocks_as" || name == "backend";
  }
};

/// Looks for the profile, its variant, whose block rules it takes and the backend among the
/// options. MXGOLD_BAD_VALUE for an unknown one, and for a variant or block rules without a
/// profile.
[[nodiscard]] mxgold_status find_start(const mxgold_option* options, std::size_t count,
                                       Start& start, Message& message);

/// Sets the block size that the options give a format, by which a profile's row is found too.
/// MXGOLD_BAD_VALUE for no number in 1..1024, and where a block is a whole axis or tensor.
[[nodiscard]] mxgold_status set_block_size(const mxgold_option* options, std::size_t count,
                                           BlockFormat& format, Message& message);

/// Replaces the default policy by that of the profile, if there is one. The names are those of the
/// formats: rows go by name, which family members do not carry. MXGOLD_BAD_VALUE where the profile
/// does not speak of the conversion or has no such variant.
[[nodiscard]] mxgold_status start_conversion(Start& start, const char* source,
                                             const char* destination, ConversionConfig& conversion,
                                             Message& message);
[[nodiscard]] mxgold_status start_quantizer(Start& start, const char* source,
                                            QuantizerConfig& config, Message& message);

/// Applies the other options in order. A conversion, whose scope is kElement, refuses those of
/// blocks with MXGOLD_BAD_VALUE.
[[nodiscard]] mxgold_status apply(const mxgold_option* options, std::size_t count, FieldScope scope,
                                  Policies& policies, Message& message);

}  // namespace mx::abi

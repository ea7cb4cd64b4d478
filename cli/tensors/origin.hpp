// How an operand came about, as its file says it: what has to be said of everything made of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cli/tensors/plan.hpp"

namespace mx::cli {

/// What the metadata of a file of codes or of values says about them.
struct Origin {
  std::string path;
  /// How it was made, by the keys of quantize's metadata.
  std::map<std::string, std::string> fields;
  std::optional<Hadamard> hadamard;  ///< the values are under this transform
  std::string profile;               ///< of codes: which they were made by
  /// open_elements, open_scales, open_masks, or none: of what the file holds and of the values that
  /// its codes were made from.
  std::map<std::string, std::string> open;
  std::string open_profile;  ///< which leaves that open
};

/// Does a file hold codes, by its metadata? What `mxgold dequantize`, `dot` and `mma` wrote is
/// values.
[[nodiscard]] bool holds_codes(const std::map<std::string, std::string>& metadata);

/// The open_* of a file's metadata, checked, since they go on to what is made of it; of a file of
/// products those of an operand (".a"). Error kBadInput naming the field.
[[nodiscard]] std::map<std::string, std::string> stored_open(
    std::string_view file, const std::map<std::string, std::string>& metadata,
    std::string_view operand = "");

/// Of a file of `mxgold quantize` with this recipe. `tensor` is the one that is read, "" for all.
[[nodiscard]] Origin origin_of_codes(const std::string& path, const Recipe& recipe,
                                     const std::map<std::string, std::string>& metadata,
                                     const std::string& tensor = "");
/// Of any other file: what `mxgold dequantize`, `dot` and `mma` hand on, and casts of systems.
/// Error kBadInput for a wrong field.
[[nodiscard]] Origin origin_of_values(const std::string& path,
                                      const std::map<std::string, std::string>& metadata);

/// How many of something the file's profile leaves open: "open_elements", "open_scales".
[[nodiscard]] std::uint64_t open_count(const Origin& origin, const std::string& key);

/// Says on stderr what is open of a file, if anything: what is made of it is one choice of several.
void tell_open(std::string_view subcommand, const Origin& origin);

/// An orthogonal transform of both operands along K cancels in their products only where it is the
/// same one. Error kBadInput, naming both, where it is not; says so on stderr where it is.
void match_transforms(std::string_view subcommand, const Origin& a, const Origin& b);

/// "under the Hadamard transform d7e8, signs first", or that it is under none.
[[nodiscard]] std::string transform_text(const Origin& origin);

/// Error kBadInput for values under a transform where nothing undoes it; `what` they are.
void refuse_transformed(const Origin& origin, std::string_view what);

/// Adds what is open of the values that codes or a cast were made from: "open_elements.input".
void add_open_input(const Origin& values, std::map<std::string, std::string>& metadata);

/// Adds the fields of an operand, keys followed by its name: "format.a".
void add_origin(const Origin& origin, std::string_view operand,
                std::map<std::string, std::string>& metadata);

}  // namespace mx::cli

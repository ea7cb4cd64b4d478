// Block formats as text: the fields of spec F15, group BlockDesc, by name.
#pragma once

#include <set>

#include "reference/catalog/catalog.hpp"
#include "reference/catalog/fields.hpp"

namespace mx {

/// The fields a description of a block format may have besides the name.
[[nodiscard]] std::span<const FormatField> block_fields();

/// The fields that describe a block format, each as it can be read back; those at their default are
/// left out. Sublevels, cut elements and other datums of -0 have no fields.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string>> describe_block(
    const BlockFormat& format);

/// A block format under description. Element and scale are names that the catalog knows.
class BlockDraft {
 public:
  explicit BlockDraft(FormatCatalog& catalog) : catalog_(catalog) {}
  /// Sets a field from its text. A field can be set once.
  [[nodiscard]] std::optional<FormatProblem> set(std::string_view field, std::string_view value);
  /// Checks that element and scale are there and that the rule fits them.
  [[nodiscard]] std::optional<FormatProblem> finish(BlockFormat& format) const;

 private:
  FormatCatalog& catalog_;
  BlockFormat format_;
  std::set<std::string, std::less<>> given_;
};

}  // namespace mx

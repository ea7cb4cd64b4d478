// A configuration as named fields, and back: the header of a vector file, its manifest and every
// report spell configurations through this one list.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/configuration/configuration.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::golden {

/// Field and value, in the order in which they are written. Values have no line feeds and no "; ".
using ConfigurationFields = std::vector<std::pair<std::string, std::string>>;

/// Every field of a configuration, the document of its profile included.
[[nodiscard]] ConfigurationFields fields_of(const Configuration& configuration);

/// What is wrong with a field.
struct FieldProblem {
  std::string field;
  std::string what;  ///< "is \"x\", expected ...", or "is missing"
};

/// The configuration that fields spell; names of formats that it needs are kept in `catalog`.
/// Returns the first problem, or nothing. Fields that the operation does not have are ignored.
[[nodiscard]] std::optional<FieldProblem> parse_fields(
    Operation operation, const std::map<std::string, std::string>& fields, FormatCatalog& catalog,
    Configuration& configuration);

/// "e4m3fn ties_to_even ...": a configuration in one line for a person: formats, rounding, rule and
/// every policy that is not its default.
[[nodiscard]] std::string summary_of(const Configuration& configuration);

}  // namespace mx::golden

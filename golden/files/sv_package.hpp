// Where the fields of a .mem word lie, as a SystemVerilog package.
#pragma once

#include <string>
#include <string_view>

#include "golden/vectors/header.hpp"

namespace mx::golden {

/// A package of constants and a packed structure for the words of the .mem file of a header: Count,
/// Width, Head and Tail; of each field its words, bits a word and highest bit.
/// docs/vector-kinds.md describes it. `name` is an identifier.
[[nodiscard]] std::string sv_package(const VectorHeader& header, std::string_view name);

/// Is the text spelt like an identifier of SystemVerilog: a letter or '_', then letters, digits and
/// '_'?
[[nodiscard]] bool is_sv_identifier(std::string_view text);

}  // namespace mx::golden

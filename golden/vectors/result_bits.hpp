// How many bits the words of a result have.
#pragma once

#include "golden/configuration/configuration.hpp"
#include "golden/vectors/record.hpp"

namespace mx::golden {

/// Bits that a word of a result field may have set in answers of a configuration; `field` is of
/// records that have it.
[[nodiscard]] unsigned result_bits(const Configuration& configuration, const FieldShape& field);

}  // namespace mx::golden

// The formats of a record's words, for what is said of them.
#pragma once

#include <cstdint>
#include <string>

#include "golden/configuration/configuration.hpp"
#include "golden/vectors/record.hpp"
#include "reference/format/format.hpp"

namespace mx::bridge {

/// The format whose codes a field holds; bits == 0 where its words are no codes of one format:
/// flags, random words, what systems store.
[[nodiscard]] ElementFormat format_of(const golden::Configuration& configuration,
                                      golden::Field field);

}  // namespace mx::bridge

// How GoogleTest prints the library's types, found by argument-dependent lookup: as the words that
// users write. A parameter without a printer stands as bytes in the names of its tests, which
// tests/conventions/testplan.py refuses; a struct of one test prints itself beside its definition.
#pragma once

#include <ostream>

#include "reference/dot/model.hpp"
#include "reference/format/format.hpp"
#include "reference/format/table.hpp"
#include "reference/p3109/operation.hpp"
#include "reference/policy/policy.hpp"
#include "reference/policy/scale_rule.hpp"

namespace mx {

inline void PrintTo(const ElementFormat& format, std::ostream* out) { *out << format.name; }
inline void PrintTo(const BlockFormat& format, std::ostream* out) { *out << format.name; }
inline void PrintTo(ScaleRule rule, std::ostream* out) { *out << token_of(rule); }
inline void PrintTo(DotMode mode, std::ostream* out) { *out << token_of(mode); }
inline void PrintTo(P3109Operation operation, std::ostream* out) { *out << token_of(operation); }

}  // namespace mx

// SPDX-License-Identifier: Apache-2.0
// The parts of the table of structures, each where it stands.
#pragma once

#include <vector>

#include "golden/structure/structure.hpp"

namespace mx::golden {

/// Operands: bits dropped, bytes and lanes in another order, random words of others.
void add_operand_structures(std::vector<Structure>& list);
/// Codes: another format, bytes, nibbles and lanes in another order.
void add_code_structures(std::vector<Structure>& list);
/// Elements: what rounding sees, carries, subnormals, overflow, signs.
void add_element_structures(std::vector<Structure>& list);
/// Scales: a maximum that does not see everything.
void add_scale_structures(std::vector<Structure>& list);

}  // namespace mx::golden

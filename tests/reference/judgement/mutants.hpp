// Deliberately wrong references: the negative controls of the comparisons in element_sweep.hpp and
// block_sweep.hpp. Each is one mistake somebody has made (spec V8.2 and R8.3).
#pragma once

#include <span>
#include <string_view>

#include "tests/reference/judgement/block_sweep.hpp"
#include "tests/reference/judgement/element_sweep.hpp"

namespace mx::oracle {

struct ElementMutant {
  std::string_view name;
  Implementation implementation;
};

struct BlockMutant {
  std::string_view name;
  BlockImplementation implementation;
};

[[nodiscard]] std::span<const ElementMutant> element_mutants();
[[nodiscard]] std::span<const BlockMutant> block_mutants();

/// The comparison every element implementation must pass: fp32 thresholds of e4m3fn and e2m1fn,
/// exponents and specials, every rounding and overflow policy.
[[nodiscard]] Report judge_elements(const Implementation& implementation);
/// The comparison every block implementation must pass: directed fp32 blocks, every rule, all six
/// formats.
[[nodiscard]] Report judge_blocks(const BlockImplementation& implementation);

}  // namespace mx::oracle

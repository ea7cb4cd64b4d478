// What a waiver has to say so that it covers a cause: for whoever reads the verdict to copy.
#pragma once

#include <span>
#include <vector>

#include "golden/answers/waiver.hpp"
#include "sim/judge/causes.hpp"

namespace mx::sim {

/// Gives causes their `waiver`: what the cause is by its names, else what the first answer it
/// explains has changed; where that makes every answer that the cause explains, bit for bit, and
/// every right one right. The answers are those that the causes were found in.
void add_cause_waivers(const golden::VectorHeader& header, std::span<const golden::AnswerAt> wrong,
                       std::span<const golden::AnswerAt> right, std::vector<Cause>& causes);

}  // namespace mx::sim

// What waivers by cause and by input ask of single answers.
#pragma once

#include "golden/deviation/waiver.hpp"

namespace mx::golden {

/// Compares answers with those of a device that does what a waiver says, and records with the
/// coverage model's words. Waivers must have no problem.
[[nodiscard]] WaiverJudgeMaker waiver_judge();

}  // namespace mx::golden

// A build of sim/lanes/lane_sweep.sv in a library of its own, as its caller sees it. That library
// is compiled with this file, too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mx::sim {

/// What all words of a call have in common.
struct LaneSetting {
  std::uint32_t config_word = 0;  ///< spec R5.6; scale rule and block policies are not read
  std::uint8_t scale = 127;       ///< scale code
  std::uint8_t random = 0;        ///< the random word of every lane
};

/// What that library exports as `mx_lane_functions`.
struct LaneFunctions {
  std::size_t lanes;  ///< words of a beat
  /// `seed`: of the values that state starts at. `fault`: as RtlFunctions has it.
  void* (*make)(int seed, int fault);
  void (*destroy)(void* model);
  /// Feeds `beats` times `lanes` words and takes as many codes; the answer is how many beats came
  /// out: others than `beats` mean that the bench is broken, and the codes mean nothing.
  std::size_t (*run)(void* model, const LaneSetting& setting, const std::uint32_t* words,
                     std::size_t beats, std::uint8_t* codes);
};

}  // namespace mx::sim

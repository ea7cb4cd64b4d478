// mxgold identify over casts: which casts of the emulated systems explain the output tensors of an
// implementation.
#pragma once

#include <string>

#include "cli/base/error.hpp"
#include "cli/options/common.hpp"

namespace mx::cli {

struct CastIdentification {
  std::string log;     ///< a vector file of op cast, or
  std::string input;   ///< the tensors that went in and
  std::string output;  ///< those of the same names that came out
  Names casts;         ///< none: the named formats of every system
  bool is_verbose = false;
  bool is_json = false;
};

/// Prints which casts and settings give all outputs, or the nearest, in five lines. kPass where one
/// explains everything, kBadInput where none could be compared.
[[nodiscard]] Exit identify_casts(const CastIdentification& what);

}  // namespace mx::cli

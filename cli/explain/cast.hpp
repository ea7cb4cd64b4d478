// mxgold explain ... --format 'dmx:...': a row through a cast, strict beside compat.
#pragma once

#include <string>
#include <vector>

namespace mx::cli {

struct CastExplanation {
  std::string cast;
  std::vector<std::string> inputs;  ///< numbers or bits of the source
  std::string source = "fp32";
  bool names_source = false;
  std::vector<std::uint32_t> random;
  bool is_json = false;
};

/// Prints what the system says of the format, and every element under both modes. Throws Error
/// kUsage where the inputs or the text do not fit.
void explain_cast(const CastExplanation& what);

}  // namespace mx::cli

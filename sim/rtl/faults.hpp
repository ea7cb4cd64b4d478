// Defects on purpose of our RTL: sim/rtl/faults.txt, and the sources with all of them in one copy.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mx::sim {

/// A text of a source, and what stands there instead.
struct RtlEdit {
  std::string file, right, wrong;
};

/// A named defect of rtl/.
struct RtlFault {
  int number = 0;  ///< what the plusarg mx_fault chooses it by; from 1 on
  std::string token;
  std::string
      builds;  ///< which see it: "whole", "whole,beats", "beats", "lfsr", "amax", or a unit's name
  std::string breaks;  ///< the clause, and where it stands
  std::vector<RtlEdit> edits;

  /// Is it one of 32 lanes, which `--dut rtl:FAULT` has?
  [[nodiscard]] bool is_whole() const { return builds.starts_with("whole"); }
  /// Is it one of a unit beside the quantizer, which `--dut rtl:UNIT,FAULT` has?
  [[nodiscard]] bool is_of_other_unit() const { return builds.starts_with("mx_"); }
  /// The top module that shows it.
  [[nodiscard]] std::string_view unit() const {
    if (builds == "lfsr") return "mx_lfsr";
    if (builds == "amax") return "mx_amax";
    return is_of_other_unit() ? std::string_view(builds) : "mx_quantizer";
  }
  [[nodiscard]] bool is_of_quantizer() const { return unit() == "mx_quantizer"; }
};

/// What a list in the form of sim/rtl/faults.txt says. Throws golden::VectorError, with the line.
[[nodiscard]] std::vector<RtlFault> parse_rtl_faults(std::string_view text);

/// Those of sim/rtl/faults.txt; none where the build has no RTL.
[[nodiscard]] std::span<const RtlFault> rtl_faults();
/// The one of a token, or nullptr.
[[nodiscard]] const RtlFault* find_rtl_fault(std::string_view token);

/// A source by its name without a folder.
struct RtlSource {
  std::string name;
  std::string text;
};

/// Where a copy of the sources reads which of its faults there is: in the top module, before this
/// text. No file: nowhere, the package is the caller's.
struct FaultChoice {
  std::string_view file = "mx_quantizer.sv";
  std::string_view before = "  // Policies that are not enabled are constant 0.\n";
};

/// Every fault in one copy of the sources; the plusarg `+mx_fault=N` chooses one, 0 or nothing
/// none. Throws golden::VectorError where a text does not stand exactly once in its file.
[[nodiscard]] std::vector<RtlSource> with_faults(std::vector<RtlSource> sources,
                                                 std::span<const RtlFault> faults,
                                                 const FaultChoice& choice = {});

}  // namespace mx::sim

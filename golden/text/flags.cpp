#include "golden/text/flags.hpp"

#include <array>
#include <utility>

#include "reference/block/quantizer.hpp"
#include "reference/element/encode.hpp"

namespace mx::golden {

std::vector<std::string_view> flag_names(std::uint16_t flags) {
  constexpr std::array<std::pair<int, std::string_view>, 13> kNames = {
      {{kFlagInexact, "inexact"},
       {kFlagOverflow, "overflow"},
       {kFlagSaturated, "saturated"},
       {kFlagUnderflow, "underflow"},
       {kFlagInvalid, "invalid"},
       {kFlagToZero, "to_zero"},
       {kFlagDivideByZero, "divide_by_zero"},
       {kBlockScaleClamped, "scale_clamped"},
       {kBlockZero, "zero_block"},
       {kBlockHasInf, "inf"},
       {kBlockHasNan, "nan"},
       {kBlockNanScale, "nan_scale"},
       {kBlockCodesMasked, "codes_masked"}}};
  std::vector<std::string_view> names;
  for (const auto& [bit, name] : kNames) {
    if ((flags & bit) != 0) names.push_back(name);
  }
  return names;
}

}  // namespace mx::golden

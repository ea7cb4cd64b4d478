#include "sim/report/elements.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "golden/bytes/number_text.hpp"

namespace mx::sim {

using golden::with_commas;

std::string left_out_text(const ElementCounts& codes) {
  using Count = std::pair<std::uint64_t, std::string_view>;
  const std::array<Count, 4> counts = {Count{codes.dont_care, "don't-care"},
                                       {codes.open, "open"},
                                       {codes.unobserved, "unobserved"},
                                       {codes.waived, "waived"}};
  std::string text;
  for (const auto& [count, name] : counts) {
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? " (" : ", ", with_commas(count), name);
  }
  return text.empty() ? text : text + ")";
}

std::string elements_text(const Tally& tally) {
  if (tally.codes.left_out() == 0) return with_commas(tally.elements) + " elements";
  return fmt::format("{} of {} elements{}", with_commas(tally.codes.compared),
                     with_commas(tally.elements), left_out_text(tally.codes));
}

}  // namespace mx::sim

#include "reference/casts/operands.hpp"

#include <algorithm>

namespace mx::casts {

std::vector<std::string_view> operands_of(const Cast& cast) {
  const auto* const reads = dynamic_cast<const ReadsOperands*>(&cast);
  return reads == nullptr ? std::vector<std::string_view>{} : reads->operands();
}

std::string operand_problem(const Cast& cast, const std::vector<std::string_view>& names) {
  const std::vector<std::string_view> known = operands_of(cast);
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(known.begin(), known.end(), *name) == known.end()) {
      std::string list;
      for (const std::string_view each : known) {
        list.append(list.empty() ? "" : ", ").append(each);
      }
      return "TypeError: " + cast.text() + " takes no operand '" + std::string(*name) +
             "'; it takes " + (list.empty() ? "none" : list);
    }
    if (std::find(names.begin(), name, *name) != name) {
      return "TypeError: operand '" + std::string(*name) + "' is given twice";
    }
  }
  return {};
}

}  // namespace mx::casts

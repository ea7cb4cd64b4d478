#include "oracle/unit/unit.hpp"

#include <stdexcept>

#include "oracle/unit/parts.hpp"

namespace mx::oracle {

std::uint64_t unit_dot(const UnitConfig& config, const DotSide& a, const DotSide& b,
                       std::uint64_t c) {
  const unit::Dot dot{config, a, b};
  switch (config.unit.sum) {
    case UnitSum::kAligned:
      return unit::groups(dot, c);
    case UnitSum::kPairsThenC:
      return unit::pairs(dot, c);
    case UnitSum::kScaledGroups:
      return unit::scaled_groups(dot, c);
    case UnitSum::kExact:
      return unit::exact(dot, c);
    case UnitSum::kTree:
      return unit::tree(dot, c);
    case UnitSum::kTwoStages:
    case UnitSum::kTwoStagesApart:
      return unit::two_stages(dot, c);
  }
  throw std::logic_error("sum outside the enum");
}

}  // namespace mx::oracle

#include "sim/block/observes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>
#include <vector>

namespace mx::sim {
namespace {

struct Part {
  std::string_view name;
  bool Observes::*given;
};
constexpr std::array kParts = {Part{"scale", &Observes::scale}, Part{"code", &Observes::codes},
                               Part{"flags", &Observes::flags}, Part{"keep", &Observes::keep},
                               Part{"last", &Observes::last}};

}  // namespace

std::string Observes::text() const {
  std::vector<std::string_view> names;
  for (const Part& part : kParts) {
    if (this->*part.given) names.push_back(part.name);
  }
  return fmt::format("{}", fmt::join(names, ","));
}

Observes Observes::operator&(const Observes& other) const {
  Observes both;
  for (const Part& part : kParts) both.*part.given = this->*part.given && other.*part.given;
  return both;
}

BlockOut Observes::completed(const BlockOut& actual, const BlockOut& expected) const {
  BlockOut out = actual;
  if (!codes) out.codes = expected.codes;
  const auto given = static_cast<std::uint16_t>((scale ? 0xFF : 0) | (flags ? 0xFF00 : 0));
  out.status = static_cast<std::uint16_t>((actual.status & given) | (expected.status & ~given));
  if (!keep) out.keep = expected.keep;
  if (!last) out.last = expected.last;
  return out;
}

Checked<Observes> parse_observes(std::span<const std::string> names) {
  if (names.size() == 1 && names.front() == "all") return Observes{};
  Observes observes{false, false, false, false, false};
  for (const std::string& name : names) {
    const Part* found = nullptr;
    for (const Part& part : kParts) found = part.name == name ? &part : found;
    if (found == nullptr) {
      return Problem{
          fmt::format("'{}' is no part of an answer; there are {}", name, Observes{}.text())};
    }
    observes.*found->given = true;
  }
  if (!observes.scale && !observes.codes && !observes.flags) {
    return Problem{"nothing is observed; give scale, code or flags"};
  }
  return observes;
}

}  // namespace mx::sim

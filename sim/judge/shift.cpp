#include "sim/judge/shift.hpp"

#include <fmt/format.h>

#include "golden/bytes/number_text.hpp"

namespace mx::sim {
namespace {

// Fewer wrong answers that fit a neighbour may be chance.
constexpr std::uint64_t kFewest = 3;

}  // namespace

void ShiftFinder::extend(Row& row, std::uint64_t number, bool belongs, bool is_wrong,
                         bool may_start, const Before& before) {
  if (!belongs) {
    row = {};
    return;
  }
  if (row.length == 0) {
    if (!is_wrong || !may_start) return;
    row = {.first = number, .is_after_right = before.last};
  }
  ++row.length;
  row.wrong += is_wrong ? 1 : 0;
}

void ShiftFinder::see(std::uint64_t number, bool is_right, bool is_previous,
                      bool previous_is_next) {
  if (number != 0) {
    extend(next_, number - 1, previous_is_next, !before_.last, before_previous_.last,
           before_previous_);
  }
  extend(previous_, number, is_previous, !is_right, before_.last || before_.last_but_one, before_);
  if (next_.wrong > longest_next_.wrong) longest_next_ = next_;
  if (previous_.wrong > longest_previous_.wrong) longest_previous_ = previous_;
  before_previous_ = before_;
  before_ = {.last = is_right, .last_but_one = before_.last};
}

std::string ShiftFinder::text(std::string_view thing) const {
  const bool is_lost = longest_next_.wrong >= longest_previous_.wrong;
  const Row& row = is_lost ? longest_next_ : longest_previous_;
  if (row.wrong < kFewest) return {};
  const std::string where =
      fmt::format("from {0} {1} on, {2} answers are each the answer to the {3} {0}", thing,
                  row.first, golden::with_commas(row.length), is_lost ? "next" : "previous");
  if (is_lost) return fmt::format("{}: one answer was lost at {} {}", where, thing, row.first);
  if (!row.is_after_right) {
    return fmt::format("{}: one answer too many came before {} {}", where, thing, row.first);
  }
  return fmt::format("{}: the answer to {} {} was doubled", where, thing, row.first - 1);
}

}  // namespace mx::sim

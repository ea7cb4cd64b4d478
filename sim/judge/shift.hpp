// Answers that are right for the question after or before their own: one was lost, or one came
// twice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mx::sim {

/// Is shown the places of a run in order.
class ShiftFinder {
 public:
  /// `is_right`: the answer here is the one expected here. `is_previous`: it is the one expected
  /// one place before. `previous_is_next`: the answer one place before is the one expected here.
  void see(std::uint64_t number, bool is_right, bool is_previous, bool previous_is_next);

  /// Is no place in sight that a neighbour's answer would explain?
  [[nodiscard]] bool is_quiet() const {
    return before_.last && next_.length == 0 && previous_.length == 0;
  }

  /// "" or, in a few words, from where on answers are those of a neighbour. `thing`: "record".
  [[nodiscard]] std::string text(std::string_view thing) const;

 private:
  /// Places in a row whose answers are all those of the same neighbour. The first is wrong, and
  /// what came before was right, but for at most one answer too many.
  struct Row {
    std::uint64_t first = 0;
    std::uint64_t length = 0;
    std::uint64_t wrong = 0;
    bool is_after_right = false;
  };
  /// Which of the places before one had right answers: the last, and the last but one.
  struct Before {
    bool last = true;
    bool last_but_one = true;
  };
  static void extend(Row& row, std::uint64_t number, bool belongs, bool is_wrong, bool may_start,
                     const Before& before);

  Row next_, previous_;  ///< answers of the next place, and of the previous one
  Row longest_next_, longest_previous_;
  Before before_;           ///< this place
  Before before_previous_;  ///< the place before it
};

}  // namespace mx::sim

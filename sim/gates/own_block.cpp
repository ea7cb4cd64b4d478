// SPDX-License-Identifier: Apache-2.0
#include "sim/gates/own_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "sim/compile/compiled.hpp"
#include "sim/gates/control.hpp"
#include "sim/gates/equivalence.hpp"
#include "sim/gates/handshake.hpp"
#include "sim/gates/place.hpp"
#include "sim/gates/still.hpp"
#include "sim/gates/strashed.hpp"

namespace mx::sim {
namespace {

constexpr std::string_view kForeign = "MXGOLD FOREIGN ";

/// Registers of data that hold what is the block's own.
using RegisterSet = std::vector<bool>;

/// A cycle, as registers of data see it.
struct BlockCycle {
  std::size_t own = 0;  ///< number of a set
  Bits seen;            ///< of the handshake, what decides what becomes of the set
  bool enters = false, draws = false;
  auto operator<=>(const BlockCycle&) const = default;
};

/// The set of a place, and whether it is to be followed.
struct Known {
  std::size_t own = 0;
  bool is_open = true;
};

constexpr std::array kOffers{Offers{false, false}, Offers{false, true}, Offers{true, false},
                             Offers{true, true}};

class OwnBlock {
 public:
  OwnBlock(const Circuit& rtl, std::string withheld)
      : withheld_(std::move(withheld)),
        control_(rtl),
        data_(control_.data()),
        handshake_(control_),
        held_(rtl, control_,
              handshake_.step(handshake_.flowing(), {.is_valid = true, .is_ready = true}).seen),
        stream_(held_.inputs()),
        still_(held_.inputs()),
        still_in_stream_(held_.wires(stream_)),
        still_wires_(held_.wires(still_)) {
    sets_.emplace_back(data_.next.size());
  }

  OwnBlockQuestion made() {
    compare_handshake();
    for (const std::size_t r : held_.rings()) {
      compare(fmt::format("{} looks at itself", held_.name_of_register(r)), 1, 0);
    }
    follow();
    for (const auto& [place, known] : own_) answer_at(place, known.own);
    compare("no block leaves", has_left_ ? 0 : 1, 0);
    compare("ready or valid look at what no reset sets", has_open_ ? 1 : 0, 0);
    compare("more or less leaves or is drawn than was taken", has_more_ ? 1 : 0, 0);
    OwnBlockQuestion question;
    std::vector<std::string> names = held_.names();
    names.insert(names.end(), compared_.begin(), compared_.end());
    question.stream = stream_.aiger(left_, names);
    question.still = still_.aiger(right_, names);
    question.places = own_.size();
    question.cycles = next_.size();
    question.outputs = left_.size();
    question.handshake = control_.registers().size();
    question.foreign = foreign_;
    return question;
  }

 private:
  void compare(std::string name, Literal left, Literal right) {
    if (left < 2 && right < 2 && left != right && foreign_.empty()) foreign_ = name;
    compared_.push_back(std::move(name));
    left_.push_back(left);
    right_.push_back(right);
  }

  /// Ready and valid, and what their registers hold next, are the same whatever else there is.
  void compare_handshake() {
    const std::vector<Literal> first = held_.wires_of_any(stream_, false);
    const std::vector<Literal> second = held_.wires_of_any(still_, true);
    for (const Literal each : control_.driven()) {
      compare(fmt::format("handshake {}", compared_.size()), literal_of(first, each),
              literal_of(second, each));
    }
  }

  /// All places, and of each the registers that hold the block's own: the fewest of all ways there.
  void follow() {
    std::deque<Place> open = {Place{}};
    own_.emplace(Place{}, Known{});
    while (!open.empty() && !has_more_ && !has_open_) {
      const Place place = open.front();
      open.pop_front();
      Known& known = own_.at(place);
      known.is_open = false;
      const std::size_t own = known.own;
      for (const Offers& offers : kOffers) {
        const HandshakeStep step = handshake_.step(place.handshake, offers);
        has_open_ |= step.is_open;
        has_more_ |= place.held == Place::kMostBeats || (step.is_leaving && place.held == 0) ||
                     (step.is_drawing && place.undrawn == 0);
        for (const bool is_marked : {false, true}) {
          const std::optional<Move> move = moved(place, step, offers, is_marked);
          if (!move) continue;
          const std::size_t set = set_behind(own, step.seen, *move);
          const auto [at, is_new] = own_.emplace(move->next, Known{set, false});
          const std::size_t both = is_new ? set : met(at->second.own, set);
          const bool is_less = is_new || both != at->second.own;
          if (is_less && !at->second.is_open) open.push_back(move->next);
          at->second = {both, at->second.is_open || is_less};
        }
      }
    }
  }

  std::size_t set_behind(std::size_t own, const Bits& seen, const Move& move) {
    if (move.next.ahead == Place::kNone) return 0;
    const BlockCycle cycle = cycle_of(own, seen, move.enters, move.draws);
    const auto [at, is_new] = next_.emplace(cycle, 0);
    if (is_new) at->second = number_of(own_behind(cycle));
    return at->second;
  }

  BlockCycle cycle_of(std::size_t own, const Bits& seen, bool enters, bool draws) {
    const auto [at, is_new] = decides_.emplace(std::tuple(own, enters, draws), 0);
    if (is_new) at->second = held_.decides(sets_[own], enters, draws);
    return {own, {seen.zeros & at->second, seen.ones & at->second}, enters, draws};
  }

  std::vector<Literal> wires_in(const BlockCycle& cycle) {
    std::vector<Literal> inputs, registers;
    for (std::size_t i = 0; i < data_.inputs.size(); ++i) {
      const bool is_own = i < control_.first_seen() && data_.inputs[i] != withheld_ &&
                          held_.is_own(i, cycle.enters, cycle.draws);
      inputs.push_back(is_own ? held_.own_input(i) : held_.other_input(i));
    }
    for (std::size_t r = 0; r < data_.next.size(); ++r) {
      registers.push_back(sets_[cycle.own][r] ? held_.own_register(r) : held_.other_register(r));
    }
    held_.set_seen(cycle.seen, inputs);
    std::vector<Literal> wires = stream_.added(data_, inputs, registers);
    sides_.note(stream_);
    return wires;
  }

  /// By gates that are the same: what is more may be the same too, and is not looked for.
  RegisterSet own_behind(const BlockCycle& cycle) {
    const std::vector<Literal> wires = wires_in(cycle);
    RegisterSet own(data_.next.size());
    for (std::size_t r = 0; r < own.size(); ++r) {
      if (control_.has(r)) continue;
      const Literal made = literal_of(wires, data_.next[r]);
      const bool holds = made == held_.own_register(r);
      own[r] = holds || made == literal_of(still_in_stream_, data_.next[r]);
      if (!own[r] && sides_.is_both(made) && foreign_.empty()) {
        foreign_ = fmt::format("{} looks at {}", held_.name_of_register(r),
                               sides_.other_of(stream_, made));
      }
      if (!own[r] || holds) continue;
      compare(fmt::format("cycle {} {}", next_.size(), held_.name_of_register(r)), made,
              literal_of(still_wires_, data_.next[r]));
    }
    leave_behind(cycle, own);
    return own;
  }

  /// What waits and was handed on is of no more use: it only makes sets many.
  void leave_behind(const BlockCycle& cycle, RegisterSet& own) {
    for (std::size_t r = 0; r < own.size(); ++r) {
      if (!own[r] || held_.waits(r, cycle.seen)) continue;
      for (const std::size_t each : held_.looks(r)) {
        if (own[each] && held_.waits(each, cycle.seen)) own[each] = false;
      }
    }
  }

  std::size_t met(std::size_t one, std::size_t other) {
    if (one == other) return one;
    const auto [at, is_new] = met_.emplace(std::minmax(one, other), 0);
    if (!is_new) return at->second;
    RegisterSet both = sets_[one];
    for (std::size_t r = 0; r < both.size(); ++r) both[r] = both[r] && sets_[other][r];
    return at->second = number_of(both);
  }
  std::size_t number_of(const RegisterSet& set) {
    const auto at = std::ranges::find(sets_, set);
    if (at != sets_.end()) return static_cast<std::size_t>(at - sets_.begin());
    sets_.push_back(set);
    return sets_.size() - 1;
  }

  /// The answer of the marked block, where it is offered.
  void answer_at(const Place& place, std::size_t own) {
    if (place.ahead != 0) return;
    const std::uint64_t decides = held_.decides_answers();
    for (const Offers& offers : kOffers) {
      const HandshakeStep step = handshake_.step(place.handshake, offers);
      if (!step.is_leaving) continue;
      has_left_ = true;
      const Bits seen{step.seen.zeros & decides, step.seen.ones & decides};
      const BlockCycle cycle{own, seen, false, draws_own(place, step)};
      if (!answered_.insert(cycle).second) continue;
      const std::vector<Literal> wires = wires_in(cycle);
      for (std::size_t i = 0; i < data_.outputs.size(); ++i) {
        if (!port::is_answer(data_.outputs[i])) continue;
        const Literal made = literal_of(wires, data_.driven[i]);
        const Literal right = literal_of(still_in_stream_, data_.driven[i]);
        // A register that holds the answer already: held still, it is what stands before it.
        const bool is_held = held_.is_register(made) &&
                             literal_of(still_in_stream_, data_.next[made / 2 - 1]) == right;
        compare(fmt::format("answer {} {}", answered_.size(), data_.outputs[i]), made,
                is_held ? made : literal_of(still_wires_, data_.driven[i]));
      }
    }
  }

  std::string withheld_;
  Control control_;
  const Circuit& data_;
  Handshake handshake_;
  Still held_;
  Strashed stream_, still_;
  std::vector<Literal> still_in_stream_, still_wires_;  ///< of the data held still
  std::vector<RegisterSet> sets_;                       ///< the first is empty
  std::unordered_map<Place, Known, PlaceHash> own_;
  std::map<std::tuple<std::size_t, bool, bool>, std::uint64_t> decides_;  ///< of sets
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> met_;        ///< of two sets
  std::map<BlockCycle, std::size_t> next_;                                ///< the set behind each
  std::set<BlockCycle> answered_;
  std::vector<std::string> compared_;
  std::vector<Literal> left_, right_;
  Sides sides_{held_};
  std::string foreign_;
  bool has_left_ = false, has_more_ = false, has_open_ = false;
};

}  // namespace

OwnBlockQuestion own_block_question(const Circuit& rtl, const std::string& withheld) {
  return OwnBlock(rtl, withheld).made();
}

std::string ask_own_block(const std::filesystem::path& folder, const std::string& one,
                          const std::string& withheld) {
  Circuit rtl = read_circuit(folder / "rtl.aig", folder / "rtl.map");
  if (!one.empty()) rtl = with_one(rtl, one, port::kValid);
  const OwnBlockQuestion made = own_block_question(rtl, withheld);
  write_file_below(folder / "stream.aig", made.stream);
  write_file_below(folder / "still.aig", made.still);
  return fmt::format(
      "MXGOLD OWN BLOCK: {} registers of {} are the handshake; {} places, {} cycles; {} bits "
      "compared\n{}{}\n",
      made.handshake, rtl.next.size(), made.places, made.cycles, made.outputs, kForeign,
      made.foreign);
}

std::string foreign_of(const std::string& log) {
  const std::string_view line = line_behind(log, "\nOutput ");
  const std::string_view output = line.substr(0, line.find(':'));
  const std::string_view foreign = line_behind(log, kForeign);
  if (output.empty() || foreign.empty() || output == foreign) {
    return std::string(foreign.empty() ? output : foreign);
  }
  return fmt::format("{}: {}", output, foreign);
}

}  // namespace mx::sim

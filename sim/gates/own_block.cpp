// SPDX-License-Identifier: Apache-2.0
#include "sim/gates/own_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "sim/compile/compiled.hpp"
#include "sim/gates/equivalence.hpp"
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
  std::size_t own = 0;             ///< number of a set
  std::vector<Literal> handshake;  ///< what its registers hold, then valid and ready: constants
  bool enters = false, draws = false;
  auto operator<=>(const BlockCycle&) const = default;
};

constexpr std::array kOffers{Offers{false, false}, Offers{false, true}, Offers{true, false},
                             Offers{true, true}};

class OwnBlock {
 public:
  OwnBlock(const Circuit& rtl, std::string withheld)
      : rtl_(rtl),
        withheld_(std::move(withheld)),
        handshake_(rtl),
        held_(rtl, handshake_),
        stream_(held_.inputs()),
        still_(held_.inputs()),
        still_in_stream_(held_.wires(stream_)),
        still_wires_(held_.wires(still_)) {
    sets_.emplace_back(rtl.next.size());
  }

  OwnBlockQuestion made() {
    compare_handshake();
    for (const std::size_t r : held_.rings()) {
      compare(fmt::format("{} looks at itself", held_.name_of_register(r)), 1, 0);
    }
    follow();
    for (const auto& [place, set] : own_) answer_at(place);
    compare("no block leaves", has_left_ ? 0 : 1, 0);
    compare("more or less leaves or is drawn than was taken", has_more_ ? 1 : 0, 0);
    OwnBlockQuestion question;
    std::vector<std::string> names = held_.names();
    names.insert(names.end(), compared_.begin(), compared_.end());
    question.stream = stream_.aiger(left_, names);
    question.still = still_.aiger(right_, names);
    question.places = own_.size();
    question.cycles = next_.size();
    question.outputs = left_.size();
    question.handshake = handshake_.registers().size();
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
    for (const Literal each : handshake_.driven()) {
      compare(fmt::format("handshake {}", compared_.size()), literal_of(first, each),
              literal_of(second, each));
    }
  }

  /// All places, and of each the registers that hold the block's own: the fewest of all ways there.
  void follow() {
    std::set<Place> open;
    for (const HandshakeState state : handshake_.after_reset()) {
      own_.emplace(Place{state}, 0);
      open.insert(Place{state});
    }
    while (!open.empty() && !has_more_) {
      const Place place = *open.begin();
      open.erase(open.begin());
      for (const Offers& offers : kOffers) {
        const HandshakeStep step = handshake_.step(place.handshake, offers);
        has_more_ |= place.held == Place::kMostBeats || (step.is_leaving && place.held == 0) ||
                     (step.is_drawing && place.undrawn == 0);
        for (const bool is_marked : {false, true}) {
          const std::optional<Move> move = moved(place, step, offers, is_marked);
          if (!move) continue;
          const std::size_t set = set_behind(place, offers, *move);
          const auto [at, is_new] = own_.emplace(move->next, set);
          const std::size_t both = is_new ? set : met(at->second, set);
          if (is_new || both != at->second) open.insert(move->next);
          at->second = both;
        }
      }
    }
  }

  std::size_t set_behind(const Place& place, Offers offers, const Move& move) {
    if (move.next.ahead == Place::kNone) return 0;
    BlockCycle cycle = cycle_of(place, offers);
    cycle.enters = move.enters;
    cycle.draws = move.draws;
    const auto [at, is_new] = next_.emplace(cycle, 0);
    if (is_new) at->second = number_of(own_behind(cycle));
    return at->second;
  }

  [[nodiscard]] BlockCycle cycle_of(const Place& place, Offers offers) const {
    return {.own = own_.at(place), .handshake = held_.seen(place.handshake, offers)};
  }

  std::vector<Literal> wires_in(const BlockCycle& cycle) {
    std::vector<Literal> inputs, registers;
    for (std::size_t i = 0; i < rtl_.inputs.size(); ++i) {
      const bool is_own = held_.is_random(i) ? cycle.draws : cycle.enters;
      const bool is_withheld = rtl_.inputs[i] == withheld_;
      inputs.push_back(is_own && !is_withheld ? held_.own_input(i) : held_.other_input(i));
    }
    for (std::size_t r = 0; r < rtl_.next.size(); ++r) {
      registers.push_back(sets_[cycle.own][r] ? held_.own_register(r) : held_.other_register(r));
    }
    held_.set_handshake(cycle.handshake, inputs, registers);
    std::vector<Literal> wires = stream_.added(rtl_, inputs, registers);
    note_sides();
    return wires;
  }

  /// By gates that are the same: what is more may be the same too, and is not looked for.
  RegisterSet own_behind(const BlockCycle& cycle) {
    const std::vector<Literal> wires = wires_in(cycle);
    RegisterSet own(rtl_.next.size());
    for (std::size_t r = 0; r < own.size(); ++r) {
      if (handshake_.has(r)) continue;
      const Literal made = literal_of(wires, rtl_.next[r]);
      const bool holds = made == held_.own_register(r);
      own[r] = holds || made == literal_of(still_in_stream_, rtl_.next[r]);
      if (!own[r] && sides_[made / 2] == kBoth && foreign_.empty()) {
        foreign_ = fmt::format("{} looks at {}", held_.name_of_register(r), foreign_to(made));
      }
      if (!own[r] || holds) continue;
      compare(fmt::format("cycle {} {}", next_.size(), held_.name_of_register(r)), made,
              literal_of(still_wires_, rtl_.next[r]));
    }
    return own;
  }

  std::size_t met(std::size_t one, std::size_t other) {
    RegisterSet both = sets_[one];
    for (std::size_t r = 0; r < both.size(); ++r) both[r] = both[r] && sets_[other][r];
    return number_of(both);
  }
  std::size_t number_of(const RegisterSet& set) {
    const auto at = std::ranges::find(sets_, set);
    if (at != sets_.end()) return static_cast<std::size_t>(at - sets_.begin());
    sets_.push_back(set);
    return sets_.size() - 1;
  }

  /// The answer of the marked block, where it is offered.
  void answer_at(const Place& place) {
    if (place.ahead != 0) return;
    for (const Offers& offers : kOffers) {
      const HandshakeStep step = handshake_.step(place.handshake, offers);
      if (!step.is_leaving) continue;
      has_left_ = true;
      BlockCycle cycle = cycle_of(place, offers);
      cycle.draws = draws_own(place, step);
      if (!answered_.insert(cycle).second) continue;
      const std::vector<Literal> wires = wires_in(cycle);
      for (std::size_t i = 0; i < rtl_.outputs.size(); ++i) {
        if (!held_.is_answer(i)) continue;
        const Literal made = literal_of(wires, rtl_.driven[i]);
        const Literal right = literal_of(still_in_stream_, rtl_.driven[i]);
        // A register that holds the answer already: held still, it is what stands before it.
        const bool is_held = held_.is_register(made) &&
                             literal_of(still_in_stream_, rtl_.next[made / 2 - 1]) == right;
        compare(fmt::format("answer {} {}", answered_.size(), rtl_.outputs[i]), made,
                is_held ? made : literal_of(still_wires_, rtl_.driven[i]));
      }
    }
  }

  // Which wires of the stream look at the block, at everything else, at both.
  static constexpr std::uint8_t kOwn = 1, kOther = 2, kBoth = 3;
  void note_sides() {
    if (sides_.empty()) {
      for (std::size_t i = 0; i <= stream_.inputs(); ++i) {
        sides_.push_back(i == 0 ? 0 : held_.is_other(i) ? kOther : kOwn);
      }
    }
    for (std::size_t wire = sides_.size(); wire < stream_.size(); ++wire) {
      const auto& [left, right] = *stream_.gate_of(static_cast<Literal>(2 * wire));
      sides_.push_back(sides_[left / 2] | sides_[right / 2]);
    }
  }

  std::string foreign_to(Literal made) const {
    std::vector<std::size_t> open = {made / 2};
    std::set<std::size_t> seen;
    std::string first;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::size_t wire = open[i];
      if ((sides_[wire] & kOther) == 0 || !seen.insert(wire).second) continue;
      if (wire <= stream_.inputs()) {
        const std::string name = held_.name_of(wire);
        if (first.empty() || name < first) first = name;
      } else {
        const auto* const gate = stream_.gate_of(static_cast<Literal>(2 * wire));
        for (const Literal each : *gate) open.push_back(each / 2);
      }
    }
    return first;
  }

  const Circuit& rtl_;
  std::string withheld_;
  Handshake handshake_;
  Still held_;
  Strashed stream_, still_;
  std::vector<Literal> still_in_stream_, still_wires_;  ///< of the RTL held still
  std::vector<RegisterSet> sets_;                       ///< the first is empty
  std::map<Place, std::size_t> own_;                    ///< the set of each place
  std::map<BlockCycle, std::size_t> next_;              ///< the set behind each cycle
  std::set<BlockCycle> answered_;
  std::vector<std::string> compared_;
  std::vector<Literal> left_, right_;
  std::vector<std::uint8_t> sides_;
  std::string foreign_;
  bool has_left_ = false;
  bool has_more_ = false;
};

}  // namespace

OwnBlockQuestion own_block_question(const Circuit& rtl, const std::string& withheld) {
  return OwnBlock(rtl, withheld).made();
}

std::string ask_own_block(const std::filesystem::path& folder, const std::string& withheld) {
  const Circuit rtl = read_circuit(folder / "rtl.aig", folder / "rtl.map");
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

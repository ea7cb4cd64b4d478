#include "sim/shrink/shrink.hpp"

#include <algorithm>
#include <utility>

#include "golden/configuration/policies.hpp"
#include "sim/shrink/simpler.hpp"

namespace mx::sim {
namespace {

class Search {
 public:
  Search(Case failure, const ShrinkOptions& options)
      : now_(std::move(failure)), options_(options) {}

  Shrunk run() {
    cut_tail();
    bool has_changed = true;
    while (has_changed && !is_over_) {
      has_changed = drop_schedule();
      has_changed |= drop_questions();
      now_ = without_idle_configurations(now_);
      has_changed |= unite_configurations();
      has_changed |= drop_policies();
      has_changed |= drop_cycles();
      has_changed |= bring_cycles_forward();
      has_changed |= rest_words();
      has_changed |= scale_questions();
      has_changed |= simplify_words();
      if (!has_changed) has_changed = merge_words();
    }
    now_ = without_idle_configurations(now_);
    return {std::move(now_), tries_, !is_over_};
  }

 private:
  /// Takes a candidate in place of the case where it fails too.
  bool take(Case candidate) {
    is_over_ = is_over_ || tries_ >= options_.most_tries ||
               std::chrono::steady_clock::now() >= options_.deadline;
    if (is_over_) return false;
    ++tries_;
    if (!options_.fails(candidate)) return false;
    now_ = std::move(candidate);
    return true;
  }

  /// Tries to remove parts [first, last) of `size`, all of them, halves, down to single ones;
  /// `remove` says whether they are gone, `moves_up` whether those behind then have their numbers.
  template <typename Remove>
  bool remove_chunks(std::size_t size, bool moves_up, Remove remove) {
    bool has_changed = false;
    for (std::size_t chunk = size; chunk != 0; chunk /= 2) {
      for (std::size_t first = 0; first < size;) {
        const std::size_t last = std::min(first + chunk, size);
        if (!remove(first, last)) {
          first = last;
          continue;
        }
        has_changed = true;
        if (moves_up) {
          size -= last - first;
        } else {
          first = last;
        }
      }
    }
    return has_changed;
  }

  template <typename Change>
  bool change(Change change) {
    if (is_over_) return false;
    Case candidate = now_;
    if (!change(candidate)) return false;
    return take(std::move(candidate));
  }

  /// What comes after the failure plays no part, while stalls and resets are those that led to it.
  void cut_tail() {
    for (std::size_t part = now_.questions.size() / 2; part != 0; part /= 2) {
      const std::size_t size = now_.questions.size();
      if (part >= size) continue;
      change([&](Case& c) { return erase(c.questions, size - part, size); });
    }
  }

  bool drop_schedule() {
    bool has_changed = change([](Case& c) { return drop(c.reset, ResetPlan{}); });
    has_changed |= change([](Case& c) { return drop(c.input_stall, StallPlan{}); });
    has_changed |= change([](Case& c) { return drop(c.output_stall, StallPlan{}); });
    return has_changed;
  }
  template <typename Plan>
  static bool drop(Plan& plan, const Plan& none) {
    return std::exchange(plan, none) != none;
  }

  bool drop_questions() {
    return remove_chunks(now_.questions.size(), true, [&](std::size_t first, std::size_t last) {
      if (last - first == now_.questions.size()) return false;
      return change([&](Case& c) { return erase(c.questions, first, last); });
    });
  }
  template <typename List>
  static bool erase(List& list, std::size_t first, std::size_t last) {
    const auto at = list.begin();
    list.erase(at + static_cast<std::ptrdiff_t>(first), at + static_cast<std::ptrdiff_t>(last));
    return true;
  }

  /// A step in each of the three lists of cycles.
  template <typename Step>
  bool in_each_list(Step step) {
    bool has_changed = step([](Case & c) -> auto& { return c.reset.cycles; });
    has_changed |= step([](Case & c) -> auto& { return c.input_stall.cycles; });
    has_changed |= step([](Case & c) -> auto& { return c.output_stall.cycles; });
    return has_changed;
  }

  /// Listed cycles, one by one.
  bool drop_cycles() {
    return in_each_list([this](auto cycles) { return drop_cycles_of(cycles); });
  }
  template <typename Cycles>
  bool drop_cycles_of(Cycles cycles) {
    return remove_chunks(cycles(now_).size(), true, [&](std::size_t first, std::size_t last) {
      return change([&](Case& c) { return erase(cycles(c), first, last); });
    });
  }

  /// Listed cycles earlier, so that less has to come before them: next to the one before, half way,
  /// by one.
  bool bring_cycles_forward() {
    return in_each_list([this](auto cycles) { return bring_forward(cycles); });
  }
  template <typename Cycles>
  bool bring_forward(Cycles cycles) {
    bool has_changed = false;
    for (std::size_t i = 0; i < cycles(now_).size(); ++i) {
      const std::uint64_t least = i == 0 ? 0 : cycles(now_)[i - 1] + 1;
      const std::uint64_t cycle = cycles(now_)[i];
      for (const std::uint64_t earlier : {least, (least + cycle) / 2, cycle - 1}) {
        if (cycle <= least || earlier >= cycle) continue;
        const auto move = [&](Case& c) {
          cycles(c)[i] = earlier;
          return true;
        };
        if (!change(move)) continue;
        has_changed = true;
        break;
      }
    }
    return has_changed;
  }

  /// One configuration for two questions.
  bool unite_configurations() {
    bool has_changed = false;
    for (std::size_t i = 0; i < now_.questions.size(); ++i) {
      for (std::uint32_t config = 0; config < now_.questions[i].config; ++config) {
        has_changed |= change([&](Case& c) {
          if (!has_same_slots(c.configs[config], c.configs[c.questions[i].config])) return false;
          c.questions[i].config = config;
          return true;
        });
      }
    }
    return has_changed;
  }
  [[nodiscard]] bool has_same_slots(const golden::Configuration& a,
                                    const golden::Configuration& b) const {
    return options_.slots(a) == options_.slots(b);
  }

  bool drop_policies() {
    bool has_changed = false;
    for (std::size_t config = 0; config < now_.configs.size(); ++config) {
      for (const PolicyField& field : policy_fields()) {
        has_changed |= change([&](Case& c) {
          return set_to_default(c.configs[config], field) && is_allowed(c.configs[config]);
        });
      }
    }
    return has_changed;
  }
  [[nodiscard]] bool is_allowed(const golden::Configuration& configuration) const {
    return golden::problem_of(configuration).empty() && options_.refusal(configuration).empty();
  }
  static bool set_to_default(golden::Configuration& configuration, const PolicyField& field);

  bool rest_words() {
    const std::vector<Place> places = places_in_use();
    return remove_chunks(places.size(), false, [&](std::size_t first, std::size_t last) {
      return change([&](Case& c) {
        bool has_any = false;
        for (std::size_t i = first; i < last; ++i) {
          std::uint64_t& word = c.questions[places[i].question].words[places[i].word];
          has_any |= std::exchange(word, places[i].slot.rest) != places[i].slot.rest;
        }
        return has_any;
      });
    });
  }

  struct Place {
    std::size_t question = 0, word = 0;
    Slot slot;
  };
  [[nodiscard]] std::vector<Place> places_in_use() const {
    std::vector<Place> places;
    for (std::size_t q = 0; q < now_.questions.size(); ++q) {
      const Question& question = now_.questions[q];
      const std::vector<Slot> slots = options_.slots(now_.configs[question.config]);
      for (std::size_t i = 0; i < slots.size(); ++i) {
        if (question.words[i] != slots[i].rest) places.push_back({q, i, slots[i]});
      }
    }
    return places;
  }

  /// All numbers of a question times a power of two, the largest towards 1.
  bool scale_questions() {
    bool has_changed = false;
    for (std::size_t q = 0; q < now_.questions.size(); ++q) {
      const int away = largest_exponent(now_.questions[q]);
      for (const int by : {away, away / 2, away > 0 ? 1 : -1}) {
        if (away == 0 || by == 0) continue;
        if (!change([&](Case& c) { return scale_down(c.questions[q], c, by); })) continue;
        has_changed = true;
        break;
      }
    }
    return has_changed;
  }
  [[nodiscard]] int largest_exponent(const Question& question) const {
    const std::vector<Slot> slots = options_.slots(now_.configs[question.config]);
    int largest = 0;
    bool has_any = false;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].format == nullptr || question.words[i] == slots[i].rest) continue;
      const int exponent = exponent_over_one(slots[i], question.words[i]);
      largest = has_any ? std::max(largest, exponent) : exponent;
      has_any = true;
    }
    return largest;
  }
  bool scale_down(Question& question, const Case& c, int by) const {
    const std::vector<Slot> slots = options_.slots(c.configs[question.config]);
    bool has_any = false;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::uint64_t scaled = scaled_down(slots[i], question.words[i], by);
      has_any |= std::exchange(question.words[i], scaled) != scaled;
    }
    return has_any;
  }

  bool simplify_words() {
    bool has_changed = false;
    for (const Place& place : places_in_use()) {
      while (simplify(place)) has_changed = true;
    }
    return has_changed;
  }
  bool simplify(const Place& place) {
    const std::uint64_t word = now_.questions[place.question].words[place.word];
    return std::ranges::any_of(simpler_words(place.slot, word), [&](std::uint64_t simpler) {
      return change([&](Case& c) {
        c.questions[place.question].words[place.word] = simpler;
        return true;
      });
    });
  }

  /// One number in place of two: what the second does beside the first, a bit of the first may do
  /// as well, in either's place (words of other kinds may belong to it).
  bool merge_words() {
    constexpr std::size_t kMost = 4;  // each pair takes a try for each bit
    const std::vector<Place> places = places_in_use();
    if (places.size() > kMost) return false;
    for (const Place& gone : places) {
      for (const Place& kept : places) {
        const bool is_pair = gone.question == kept.question && gone.word != kept.word;
        if (!is_pair || !is_number(gone.slot) || gone.slot.format != kept.slot.format) continue;
        for (const Others others : {Others::kStay, Others::kFull}) {
          if (merge(gone, kept, kept, others) || merge(kept, gone, kept, others)) return true;
        }
      }
    }
    return false;
  }
  /// What becomes of the words that are no numbers (random ones): nothing, or all their bits.
  enum class Others : std::uint8_t { kStay, kFull };

  /// The number of `from` with another bit in the place `to`; the place `gone` at rest.
  bool merge(const Place& gone, const Place& to, const Place& from, Others others) {
    const std::vector<Place> places = places_in_use();
    const std::uint64_t word = now_.questions[from.question].words[from.word];
    return std::ranges::any_of(with_another_bit(from.slot, word), [&](std::uint64_t other) {
      return change([&](Case& c) {
        c.questions[gone.question].words[gone.word] = gone.slot.rest;
        c.questions[to.question].words[to.word] = other;
        for (const Place& each : places) {
          const bool is_other = each.question == to.question && !is_number(each.slot);
          if (others == Others::kFull && is_other) {
            c.questions[each.question].words[each.word] = each.slot.mask;
          }
        }
        return true;
      });
    });
  }

  Case now_;
  const ShrinkOptions& options_;
  std::uint64_t tries_ = 0;
  bool is_over_ = false;
};

// N of the random words is part of how they are put, so it stays.
bool Search::set_to_default(golden::Configuration& configuration, const PolicyField& field) {
  const std::optional<Policies> now = golden::policies_of(configuration);
  const bool is_one = golden::is_policy_of(configuration.operation(), field);
  if (!now || !is_one || field.name == "random_bits") return false;
  Policies policies = *now;
  const std::string wanted = field.read(golden::default_policies(configuration));
  if (field.read(policies) == wanted || !field.write(policies, wanted)) return false;
  configuration = golden::with_policies(std::move(configuration), policies);
  return true;
}

}  // namespace

Shrunk shrink(Case failure, const ShrinkOptions& options) {
  return Search(std::move(failure), options).run();
}

}  // namespace mx::sim

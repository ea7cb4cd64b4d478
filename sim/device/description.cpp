#include "sim/device/description.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/bytes/error.hpp"
#include "golden/vectors/record.hpp"
#include "sim/record/offer.hpp"

namespace mx::sim {

bool Description::has(const DescribedSide& side, bench::What what) {
  return std::ranges::any_of(side.ports, [&](const DescribedPort& port) {
    return std::ranges::find(port.parts, what, &DescribedPart::what) != port.parts.end();
  });
}

const DescribedPart* Description::part_of(const DescribedSide& side, std::string_view field) {
  const auto found_in = [&](const std::vector<DescribedPart>& parts) -> const DescribedPart* {
    const auto found = std::ranges::find_if(parts, [&](const DescribedPart& part) {
      return part.what == bench::What::kWords && part.field == field;
    });
    return found == parts.end() ? nullptr : &*found;
  };
  for (const DescribedPort& port : side.ports) {
    if (const DescribedPart* const part = found_in(port.parts)) return part;
  }
  return side.packed ? found_in(side.packed->words) : nullptr;
}

namespace {

/// Every part that carries words of the record.
std::vector<const DescribedPart*> words_of(const DescribedSide& side) {
  std::vector<const DescribedPart*> words;
  const auto add = [&](const std::vector<DescribedPart>& parts) {
    for (const DescribedPart& part : parts) {
      if (part.what == bench::What::kWords) words.push_back(&part);
    }
  };
  for (const DescribedPort& port : side.ports) add(port.parts);
  if (side.packed) add(side.packed->words);
  return words;
}

/// An operand may drive several ports; a result that stood in two places would be that of the last.
void check_fields(const Description& description) {
  const auto refuse = [&](const DescribedPart& part, const std::string& what) {
    throw golden::VectorError(fmt::format("{}: {} {}", description.path, part.place, what));
  };
  for (const DescribedPart* const part : words_of(description.input)) {
    if (!golden::is_result(*parse_token<golden::Field>(part->field))) continue;
    refuse(*part, fmt::format("drives {}, which is no operand", part->field));
  }
  std::map<std::string, const DescribedPart*> seen;
  for (const DescribedPart* const part : words_of(description.output)) {
    if (!golden::is_result(*parse_token<golden::Field>(part->field))) {
      refuse(*part, fmt::format("gives {}, which is no result", part->field));
    }
    const auto [first, is_new] = seen.try_emplace(part->field, part);
    if (is_new) continue;
    refuse(*part, fmt::format("gives {}, which {} gives already; name each result field once",
                              part->field, first->second->place));
  }
}

/// Values of a select are words of its field, as those under configuration are.
void check_choices(const Description& description) {
  for (const DescribedPort& port : description.input.ports) {
    for (const DescribedPart& part : port.parts) {
      for (const auto& [text, value] : part.choices) {
        const std::string known = wrong_word(description.operation, part.field, text);
        if (known.empty()) continue;
        throw golden::VectorError(fmt::format("{}: {}.values.{} is no value of {}; give {}",
                                              description.path, part.place, text, part.field,
                                              known));
      }
    }
  }
}

}  // namespace

void check_together(const Description& description) {
  const auto refuse = [&](std::string_view place, std::string_view what) {
    throw golden::VectorError(fmt::format("{}: {} {}", description.path, place, what));
  };
  check_fields(description);
  check_choices(description);
  const DescribedSide& in = description.input;
  const DescribedSide& out = description.output;
  const bool has_slot_valid = out.packed && !out.packed->slot_valid.empty();
  const bool has_valid = !out.valid.empty() || has_slot_valid;
  if (in.packed && (!in.packed->slot_valid.empty() || !in.packed->slot_ready.empty())) {
    refuse("input.packed", "takes whole beats: slot_valid and slot_ready are of outputs");
  }
  if (in.packed) {
    for (const DescribedPort& port : in.ports) {
      for (const DescribedPart& part : port.parts) {
        if (part.what == bench::What::kTie) continue;
        throw golden::VectorError(fmt::format(
            "{}: {} stands beside input.packed, whose beats belong to two blocks at a time; there "
            "may be constants alone",
            description.path, part.place));
      }
    }
  }
  if (out.packed && !has_valid) refuse("output.packed", "needs slot_valid, or output.valid");
  if (out.packed && !out.ports.empty()) {
    refuse("output.ports", "says nothing beside output.packed");
  }
  if (has_valid && in.valid.empty()) {
    refuse("output.valid", "needs input.valid: nothing else tells what is asked");
  }
  if (description.clock.empty()) {
    if (description.reset) refuse("clock", "is missing: reset needs a clock");
    if (has_valid || !in.valid.empty()) refuse("clock", "is missing: valid needs a clock");
    if (description.latency.value_or(0) != 0) refuse("latency", "needs a clock");
    if (in.beats != 1 || out.beats != 1) refuse("clock", "is missing: beats need a clock");
  } else if (!has_valid && !description.latency) {
    refuse("latency", "is missing: without output.valid it says when the answer is there");
  }
  if (in.valid.empty() && (in.beats != 1 || in.packed)) {
    refuse("input.valid", "is missing: blocks of several beats need it");
  }
  if (!has_valid && out.beats > in.beats) {
    refuse("output.beats", "has more than input.beats; that needs output.valid");
  }
}

}  // namespace mx::sim

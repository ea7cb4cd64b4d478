#include "sim/device/protocol_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace mx::sim {
namespace {

using bench::What;
using golden::Reach;

Reach reach_if(bool is_reachable) { return is_reachable ? Reach::kOpen : Reach::kUnreachable; }

bool takes_short(const Description& d) {
  return Description::has(d.input, What::kKeep) && Description::has(d.input, What::kLast);
}

}  // namespace

DeviceProtocol::DeviceProtocol(const Description& d, const golden::VectorHeader& header) {
  const bool is_clocked = !d.clock.empty();
  const bool has_beats = !d.input.packed && d.input.beats > 1;
  const bool has_several = header.configs.size() > 1;
  const bool is_short = header.lengths == golden::Lengths::kVary && takes_short(d);
  facts_ = fmt::format("configurations {}; lengths {}", has_several ? "several" : "one",
                       is_short ? "vary" : "full");
  add_lengths("input_stall", "cycles without valid before a block", true);
  if (has_beats) add_lengths("bubble", "cycles without valid between two beats of a block", true);
  if (!d.output.valid.empty() && !d.output.packed) {
    // Without ready every answer is taken at once.
    const bool can_wait = !d.output.ready.empty();
    add_lengths("output_stall", "cycles that an answer waits for ready", can_wait);
    add("handshake", "valid and ready of the output",
        {{"valid 0 ready 0", can_wait},
         {"valid 1 ready 0", can_wait},
         {"valid 0 ready 1", true},
         {"valid 1 ready 1", true}});
  }
  const bool has_drain = is_clocked && (!d.output.valid.empty() || d.output.packed);
  // What is combinational has answered before the cycle ends.
  add("idle", "cycles in which the payload pins show noise",
      {{"empty", true},
       {"between_blocks", is_clocked},
       {"inside_block", has_beats},
       {"after_last", has_drain}});
  if (has_beats) {
    add_beats("beats", "beats of a block", 1, d.input.beats);
    for (std::size_t i = 0; i + 1 < points_.back().bins.size(); ++i) {
      points_.back().bins[i].reach = reach_if(is_short);
    }
  }
  if (d.reset) add_resets(d);
  add("configuration", "of a block and the one before", {{"same", true}, {"other", has_several}});
  if (d.last_rule == bench::LastRule::kPasses) {
    add("last", "the last signal of a block", {{"0", true}, {"1", true}});
  }
}

/// A reset needs as many edges as the file says, one at least where it is synchronous.
void DeviceProtocol::add_resets(const Description& d) {
  const unsigned least = std::max(d.reset->cycles, d.reset->is_synchronous ? 1U : 0U);
  const bool has_valid = !d.input.valid.empty();
  golden::Coverpoint pulse("reset_pulse", "clock edges in a reset, and valid meanwhile");
  for (unsigned bits = 0; bits < 8; ++bits) {
    const unsigned edges = bits >> 1;
    const bool is_long = edges >= std::min(least, 3U);
    const bool is_offered = (bits & 1) == 0 || has_valid;
    pulse.bins.push_back(
        {fmt::format("{}{} edges, valid {}", edges, edges == 3 ? "+" : "", bits & 1), 0,
         reach_if(is_long && is_offered)});
  }
  points_.push_back(std::move(pulse));
  add("reset_while", "what is inside when a reset comes",
      {{"nothing", true}, {"blocks", !d.clock.empty()}});
  if (!d.input.packed && d.input.beats > 1) {
    add_beats("reset_input_beat", "the beat that was to enter when a reset came", 0, d.input.beats);
  }
  if (!d.output.packed && d.output.beats > 1) {
    add_beats("reset_output_beat", "the beat that was to come out when a reset came", 0,
              d.output.beats);
  }
}

void DeviceProtocol::add(std::string name, std::string meaning,
                         std::initializer_list<std::pair<const char*, bool>> bins) {
  golden::Coverpoint& point = points_.emplace_back(std::move(name), std::move(meaning));
  for (const auto& [bin, is_reachable] : bins) {
    point.bins.push_back({bin, 0, reach_if(is_reachable)});
  }
}

void DeviceProtocol::add_lengths(std::string name, std::string meaning, bool has_stalls) {
  add(std::move(name), std::move(meaning),
      {{"0", true},
       {"1", has_stalls},
       {"2-3", has_stalls},
       {"4-15", has_stalls},
       {"16+", has_stalls}});
}

void DeviceProtocol::add_beats(std::string name, std::string meaning, unsigned first,
                               unsigned beats) {
  golden::Coverpoint& point = points_.emplace_back(std::move(name), std::move(meaning));
  for (unsigned i = 0; i < beats; ++i) {
    point.bins.push_back({std::to_string(first + i), 0, Reach::kOpen});
  }
}

bool DeviceProtocol::hear(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = line.rfind(' ');
  if (first == std::string_view::npos || second == first) return false;
  const auto number = [&](std::string_view text, std::uint64_t& value) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    return problem == std::errc() && end == text.data() + text.size();
  };
  std::uint64_t bin = 0;
  std::uint64_t hits = 0;
  if (!number(line.substr(first + 1, second - first - 1), bin)) return false;
  if (!number(line.substr(second + 1), hits)) return false;
  const std::string_view name = line.substr(0, first);
  if (name == "cycles") {
    cycles_ += hits;
    return true;
  }
  const auto point = std::ranges::find(points_, name, &golden::Coverpoint::name);
  if (point == points_.end()) return true;
  if (bin >= point->bins.size()) return false;
  point->bins[bin].hits += hits;
  return true;
}

golden::Covergroup DeviceProtocol::group(std::string_view device) const {
  golden::Covergroup group;
  group.name = fmt::format("protocol of {}", device);
  group.configuration = fmt::format("protocol; device {}; {}", device, facts_);
  group.samples = cycles_;
  group.points = points_;
  return group;
}

}  // namespace mx::sim

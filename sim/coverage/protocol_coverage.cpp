#include "sim/coverage/protocol_coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace mx::sim {
namespace {

using golden::Coverpoint;
using golden::Reach;

/// spec V10: stall lengths.
constexpr std::array<const char*, 5> kLengths = {"0", "1", "2-3", "4-15", "16+"};
std::size_t length_bin(std::uint64_t cycles) {
  if (cycles <= 1) return static_cast<std::size_t>(cycles);
  return cycles <= 3 ? 2 : cycles <= 15 ? 3 : 4;
}

Coverpoint of_lengths(const char* name, const char* meaning) {
  Coverpoint point(name, meaning);
  for (const char* each : kLengths) point.bins.push_back({each, 0, Reach::kOpen});
  return point;
}

Coverpoint of_names(const char* name, const char* meaning,
                    std::initializer_list<const char*> bins) {
  Coverpoint point(name, meaning);
  for (const char* each : bins) point.bins.push_back({each, 0, Reach::kOpen});
  return point;
}

/// 0 to the depth, and more, which the depth says there is not.
Coverpoint of_fill(const char* name, const char* meaning, std::uint32_t depth) {
  Coverpoint point(name, meaning);
  for (std::uint32_t n = 0; n <= depth; ++n) {
    point.bins.push_back({std::to_string(n), 0, Reach::kOpen});
  }
  point.bins.push_back({"more", 0, Reach::kUnreachable});
  return point;
}

/// Bit 0: valid in, 1: ready in, 2: valid out, 3: ready out. A device of a known depth refuses a
/// block only while it shows an answer.
Coverpoint of_handshakes() {
  Coverpoint point("handshake", "valid and ready of both sides");
  for (unsigned bits = 0; bits < 16; ++bits) {
    const bool is_refusing = (bits >> 1 & 1) == 0 && (bits >> 2 & 1) == 0;
    point.bins.push_back(
        {fmt::format("in {}{} out {}{}", bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1), 0,
         is_refusing ? Reach::kUnreachable : Reach::kOpen});
  }
  return point;
}

}  // namespace

ProtocolCoverage::ProtocolCoverage(std::optional<std::uint32_t> depth, std::size_t configs)
    : depth_(depth),
      input_stall_(of_lengths("input_stall", "cycles without valid before a block")),
      output_stall_(of_lengths("output_stall", "cycles that an answer waits for ready")),
      reset_pulse_("reset_pulse", "clock edges in a reset, and valid meanwhile"),
      change_(of_names("configuration", "of a block and the one before", {"same", "other"})),
      kept_("kept_lanes", "lanes of a block that take part"),
      last_(of_names("last", "the last signal of a block", {"0", "1"})) {
  for (unsigned bits = 0; bits < 8; ++bits) {
    reset_pulse_.bins.push_back(
        {fmt::format("{} edges, valid {}", bits >> 1, bits & 1), 0, Reach::kOpen});
  }
  // A run of one configuration never changes it.
  if (configs < 2) change_.bins[1].reach = Reach::kUnreachable;
  // A block has an element (spec F12.1).
  for (std::size_t lanes = 1; lanes <= kLanes; ++lanes) {
    kept_.bins.push_back({std::to_string(lanes), 0, Reach::kOpen});
  }
  kept_.bins.push_back({"with_holes", 0, Reach::kOpen});
  if (!depth_) return;
  handshake_ = of_handshakes();
  input_wait_ = of_lengths("input_wait", "cycles that a block waits for ready");
  bubble_ = of_lengths("bubble", "cycles without an answer between two");
  row_ = of_lengths("row", "blocks taken in cycles that follow each other");
  row_.bins[0].reach = Reach::kUnreachable;  // a row has a block
  fill_ = of_fill("fill", "blocks inside the device", *depth_);
  reset_fill_ = of_fill("reset_fill", "blocks that a reset forgets", *depth_);
  reset_while_ = of_names("reset_while", "what waits when a reset comes",
                          {"nothing", "block", "answer", "both"});
  idle_ = of_names("idle", "cycles in which the payload pins show noise",
                   {"between_blocks", "empty_pipe", "after_last"});
}

void ProtocolCoverage::start() {
  stalled_ = waited_ = row_now_ = held_ = gap_ = 0;
  had_block_ = had_answer_ = false;
}

std::size_t ProtocolCoverage::fill_bin(std::uint64_t in_flight) const {
  return static_cast<std::size_t>(std::min<std::uint64_t>(in_flight, *depth_ + 1));
}

void ProtocolCoverage::sample(const Cycle& cycle) {
  ++cycles_;
  sample_input(cycle);
  sample_output(cycle);
  if (!depth_) return;
  handshake_.hit((cycle.offer != nullptr ? 1U : 0U) | (cycle.takes ? 2U : 0U) |
                 (cycle.shows ? 4U : 0U) | (cycle.ready ? 8U : 0U));
  fill_.hit(fill_bin(cycle.in_flight));
  if (cycle.offer == nullptr) idle_.hit(cycle.in_flight == 0 ? kEmptyPipe : kBetweenBlocks);
}

void ProtocolCoverage::sample_input(const Cycle& cycle) {
  const bool is_taken = cycle.offer != nullptr && cycle.takes;
  if (!is_taken && row_now_ != 0) {
    if (depth_) row_.hit(length_bin(row_now_));
    row_now_ = 0;
  }
  if (cycle.offer == nullptr) {
    ++stalled_;
    return;
  }
  if (!is_taken) {
    ++waited_;
    return;
  }
  ++row_now_;
  input_stall_.hit(length_bin(stalled_));
  if (depth_) input_wait_.hit(length_bin(waited_));
  stalled_ = waited_ = 0;
  sample_block(*cycle.offer);
}

void ProtocolCoverage::sample_output(const Cycle& cycle) {
  if (!cycle.shows) {
    ++gap_;
    return;
  }
  if (!cycle.ready) {
    ++held_;
    return;
  }
  output_stall_.hit(length_bin(held_));
  // What comes before the first answer is the latency, no bubble.
  if (depth_ && had_answer_) bubble_.hit(length_bin(gap_));
  had_answer_ = true;
  held_ = gap_ = 0;
}

void ProtocolCoverage::sample_block(const BlockIn& block) {
  const int kept = std::popcount(block.keep);
  const bool is_prefix = kept != 0 && std::countr_one(block.keep) == kept;
  kept_.hit(is_prefix ? static_cast<std::size_t>(kept) - 1 : kLanes);
  last_.hit(block.last ? 1 : 0);
  if (had_block_) change_.hit(block.config == config_ ? 0 : 1);
  had_block_ = true;
  config_ = block.config;
}

void ProtocolCoverage::sample(const ResetCycle& reset) {
  reset_pulse_.hit(std::size_t{reset.edges & 3U} << 1 | (reset.offering ? 1U : 0U));
  if (depth_) {
    reset_fill_.hit(fill_bin(reset.in_flight));
    reset_while_.hit((reset.block_waits ? 1U : 0U) | (reset.answer_waits ? 2U : 0U));
  }
  start();
}

std::vector<Coverpoint*> ProtocolCoverage::points() {
  return {&handshake_,   &input_stall_, &input_wait_,  &output_stall_, &bubble_, &row_,  &fill_,
          &reset_pulse_, &reset_fill_,  &reset_while_, &idle_,         &change_, &kept_, &last_};
}

void ProtocolCoverage::add(const ProtocolCoverage& other) {
  ProtocolCoverage copy = other;
  const std::vector<Coverpoint*> own = points(), more = copy.points();
  for (std::size_t p = 0; p < own.size(); ++p) {
    for (std::size_t b = 0; b < own[p]->bins.size(); ++b) {
      own[p]->bins[b].hits += more[p]->bins[b].hits;
    }
  }
  cycles_ += other.cycles_;
}

golden::Covergroup ProtocolCoverage::group(std::string_view device) const {
  golden::Covergroup group;
  group.name = fmt::format("protocol of {}", device);
  group.configuration = fmt::format("protocol; device {}; holds {}; configurations {}", device,
                                    depth_ ? std::to_string(*depth_) : "unknown",
                                    change_.bins[1].reach == Reach::kOpen ? "several" : "one");
  group.samples = cycles_;
  ProtocolCoverage copy = *this;
  for (const Coverpoint* point : copy.points()) {
    if (!point->bins.empty()) group.points.push_back(*point);
  }
  return group;
}

std::optional<golden::Covergroup> model_of_protocol(std::string_view configuration) {
  constexpr std::string_view kDevice = "protocol; device ", kHolds = "; holds ",
                             kConfigs = "; configurations ";
  constexpr std::uint32_t kDeepest = 1 << 16;
  // A device's name may hold anything: the others are looked for from the end.
  const std::size_t configs = configuration.rfind(kConfigs);
  const std::size_t holds = configuration.rfind(kHolds);
  if (!configuration.starts_with(kDevice) || configs == std::string_view::npos ||
      holds == std::string_view::npos || holds > configs || holds < kDevice.size()) {
    return {};
  }
  const std::string_view held =
      configuration.substr(holds + kHolds.size(), configs - holds - kHolds.size());
  std::optional<std::uint32_t> depth;
  if (held != "unknown") {
    const auto [end, problem] =
        std::from_chars(held.data(), held.data() + held.size(), depth.emplace());
    if (problem != std::errc() || end != held.data() + held.size() || *depth > kDeepest) return {};
  }
  const bool has_several = configuration.substr(configs + kConfigs.size()) == "several";
  golden::Covergroup group =
      ProtocolCoverage(depth, has_several ? 2 : 1)
          .group(configuration.substr(kDevice.size(), holds - kDevice.size()));
  if (group.configuration != configuration) return {};
  return group;
}

}  // namespace mx::sim

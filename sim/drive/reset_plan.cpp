#include "sim/drive/reset_plan.hpp"

#include <charconv>

namespace mx::sim {
namespace {

// Sweep: intervals 1 .. 48 cover empty, filling and full pipelines of up to 48 stages.
constexpr std::uint64_t kSweepLength = 48;
// Random: bounded, because a device that answers in large batches would never finish otherwise.
constexpr std::uint64_t kRandomResets = 64;
constexpr std::uint32_t kRandomSpan = 300;

}  // namespace

std::optional<ResetPlan> ResetPlan::parse(std::string_view text) {
  if (text == "none") return ResetPlan{Kind::kNone, {}};
  if (text == "sweep") return ResetPlan{Kind::kSweep, {}};
  if (text == "random") return ResetPlan{Kind::kRandom, {}};
  ResetPlan plan{Kind::kAt, {}};
  const char* position = text.data();
  const char* const end = position + text.size();
  while (true) {
    std::uint64_t cycle = 0;
    const auto [next, error] = std::from_chars(position, end, cycle);
    if (error != std::errc{}) return std::nullopt;
    if (!plan.cycles.empty() && cycle <= plan.cycles.back()) return std::nullopt;
    plan.cycles.push_back(cycle);
    if (next == end) return plan;
    if (*next != ',') return std::nullopt;
    position = next + 1;
  }
}

std::string ResetPlan::text() const {
  switch (kind) {
    case Kind::kNone:
      return "none";
    case Kind::kSweep:
      return "sweep";
    case Kind::kRandom:
      return "random";
    case Kind::kAt:
      break;
  }
  std::string list;
  for (const std::uint64_t cycle : cycles) {
    if (!list.empty()) list.push_back(',');
    list.append(std::to_string(cycle));
  }
  return list;
}

ResetSchedule::ResetSchedule(const ResetPlan& plan, std::uint64_t key, std::uint32_t substream)
    : plan_(&plan),
      stream_(key, StreamUse::kReset, substream),
      shapes_(key, StreamUse::kResetShape, substream) {
  if (plan.kind != ResetPlan::Kind::kNone) {
    next_ = 0;
    advance();
  }
}

void ResetSchedule::advance() {
  ++count_;
  const std::uint64_t never = ~std::uint64_t{0};
  switch (plan_->kind) {
    case ResetPlan::Kind::kNone:
      next_ = never;
      break;
    case ResetPlan::Kind::kSweep:
      next_ = count_ > kSweepLength ? never : next_ + count_;
      break;
    case ResetPlan::Kind::kRandom:
      next_ = count_ > kRandomResets ? never : next_ + 1 + stream_.below(kRandomSpan);
      break;
    case ResetPlan::Kind::kAt:
      next_ = count_ > plan_->cycles.size() ? never : plan_->cycles[count_ - 1];
      break;
  }
}

}  // namespace mx::sim

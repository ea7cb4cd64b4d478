// The program that a device file becomes: the user's module, Verilated, between the records of a
// run and their answers. What is the module's own stands in mx_device.cpp, which is written from
// the description, so that a compiler cache knows the rest. usage: device SEED STALL RESET
#include <verilated.h>

#include <cstdlib>
#include <exception>
#include <memory>

#include "sim/bench/made.hpp"

namespace mx::bench {
namespace {

constexpr std::size_t kSegment = 512;  // transactions

// Mixed schedules: eight segments in turn, half of them at full speed.
void choose(const std::string& stall, const std::string& reset, Schedule& schedule) {
  using sim::Stall;
  const std::uint32_t turn = schedule.segment % 8;
  if (stall != "mix") {
    schedule.input_stall = schedule.output_stall = *sim::parse_stall(stall);
  } else if (turn == 0) {
    schedule.input_stall = schedule.output_stall = Stall::kRandom;
  } else if (turn == 2) {
    schedule.input_stall = schedule.output_stall = Stall::kLight;
  } else if (turn == 4) {
    schedule.output_stall = Stall::kHeavy;
  } else if (turn == 6) {
    schedule.input_stall = Stall::kHeavy;
  }
  if (reset != "mix") {
    schedule.reset = *sim::ResetPlan::parse(reset);
  } else if (turn == 1) {
    schedule.reset.kind = sim::ResetPlan::Kind::kSweep;
  } else if (turn == 0) {
    schedule.reset.kind = sim::ResetPlan::Kind::kRandom;
  }
}

void run(Records& records, std::uint64_t seed, const std::string& stall, const std::string& reset) {
  const Tables& tables = made_tables();
  VerilatedContext context;
  // 2: variables start at random values; the seed must not be 0, which draws one from the system.
  context.randReset(2);
  context.randSeed(static_cast<int>(seed % 0x7FFFFFFE) + 1);
  const std::unique_ptr<Device> device = make_device(&context);
  Grouping grouping(tables, records);
  sim::Stream last(seed, sim::StreamUse::kOrder);
  Schedule schedule;
  schedule.seed = seed;
  for (std::uint64_t read = 0; read < records.count(); ++schedule.segment) {
    std::vector<Transaction> transactions;
    while (transactions.size() < kSegment) {
      std::optional<Transaction> next = grouping.next();
      if (!next) break;
      const bool fills = next->elements == tables.elements;
      next->last = tables.last_rule == LastRule::kEnds || !fills || (last.next() & 1) != 0;
      read += next->operands.size();
      transactions.push_back(std::move(*next));
    }
    choose(stall, reset, schedule);
    std::uint64_t answered = 0;
    Segment(*device, tables, records, schedule, transactions, [&](const Transaction& done) {
      for (const Words& words : done.answers) records.answer(words);
      // A slow device has its answers seen before the patience with it ends.
      if (++answered % 32 == 0) records.flush();
    }).run();
    records.flush();
    if (context.gotFinish()) throw Complaint("the device called $finish");
  }
}

int bench(int count, char** words) {
  if (count != 4) return 2;
  const char* const in = std::getenv("MXGOLD_IN");
  const char* const out = std::getenv("MXGOLD_OUT");
  if (in == nullptr || out == nullptr) return 2;
  Records records(in, out);
  try {
    run(records, std::strtoull(words[1], nullptr, 10), words[2], words[3]);
  } catch (const std::exception& problem) {
    records.complain(problem.what());
  }
  return 0;
}

}  // namespace
}  // namespace mx::bench

int main(int count, char** words) {
  try {
    return mx::bench::bench(count, words);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 3;
  }
}

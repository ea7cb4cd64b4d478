// Our RTL in simulation: through the whole harness beside a bare loop, and beside a yardstick. CPU
// time of the process, whose threads do nothing else meanwhile.
#include <ctime>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/goals/inputs.hpp"
#include "bench/goals/rows.hpp"
#include "bench/goals/values.hpp"
#include "bench/rtl/yardsticks.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "sim/dut/verilated.hpp"
#include "sim/report/run.hpp"

namespace mx::goals {

namespace {

constexpr std::size_t kBlocks = 1U << 14;

sim::Configurations configurations() {
  const BlockFormat* format = find_block_format("mxfp8_e4m3");
  if (format == nullptr) throw std::invalid_argument("no mxfp8_e4m3");
  return {{QuantizerConfig{formats::fp32, *format, {}, {}}, {}}};
}

/// The yardstick knows no fp32 subnormals under small scales.
bool is_small(const sim::BlockIn& block) {
  constexpr std::uint32_t kSmall = 64U << 23;
  return std::ranges::all_of(block.source,
                             [](std::uint32_t word) { return (word & 0x7FFFFFFF) < kSmall; });
}

/// Blocks that are made before anything is timed, none of them small.
class HeldBlocks : public sim::BlockSource {
 public:
  HeldBlocks() {
    const Array<float> values = block_values(kBlocks * kBlock);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      std::memcpy(blocks_[i].source.data(), values.data() + i * kBlock, sizeof(blocks_[i].source));
      if (i > 0 && is_small(blocks_[i])) blocks_[i] = blocks_[i - 1];
    }
  }
  [[nodiscard]] std::uint64_t size() const override { return blocks_.size(); }
  [[nodiscard]] const sim::Configurations& configs() const override { return configs_; }
  void fill(std::uint64_t first, std::span<sim::BlockIn> blocks) const override {
    std::copy_n(blocks_.begin() + static_cast<std::ptrdiff_t>(first), blocks.size(),
                blocks.begin());
  }
  [[nodiscard]] std::string describe(std::uint64_t index) const override {
    return "block " + std::to_string(index);
  }
  [[nodiscard]] std::span<const sim::BlockIn> blocks() const { return blocks_; }

 private:
  sim::Configurations configs_ = configurations();
  std::vector<sim::BlockIn> blocks_{kBlocks};
};

using Make = std::unique_ptr<sim::Dut> (*)();

/// The pins of a device and nothing else: a block a cycle, never a stall.
class BareLoop {
 public:
  BareLoop(const HeldBlocks& source, Make make) : source_(source), dut_(make()) {
    dut_->configure({source.configs(), 1});
  }
  void run() {
    answers_.clear();
    const std::span<const sim::BlockIn> blocks = source_.blocks();
    dut_->reset({.blocks = blocks.size(), .edges = 2});
    sim::Observed seen;
    std::size_t offered = 0;
    while (answers_.size() < blocks.size()) {
      const bool offers = offered < blocks.size();
      dut_->tick({.offer = offers ? &blocks[offered] : nullptr, .ready = true}, seen);
      if (offers && seen.ready) ++offered;
      if (seen.valid) answers_.push_back(seen.block);
    }
  }
  [[nodiscard]] std::span<const sim::BlockOut> answers() const { return answers_; }

 private:
  const HeldBlocks& source_;
  std::unique_ptr<sim::Dut> dut_;
  std::vector<sim::BlockOut> answers_;
};

/// Work and the CPU time that the process took for it.
Contestant timed(std::string name, std::function<void()> work) {
  const auto seconds = std::make_shared<double>();
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  return {std::move(name),
          [work = std::move(work), seconds, now] {
            const double start = now();
            work();
            *seconds = now() - start;
          },
          [seconds] { return *seconds; }};
}

/// "" where the answers are the model's: codes, scale, and status where there is one.
std::string difference_of(const HeldBlocks& source, std::span<const sim::BlockOut> answers,
                          std::uint16_t status_bits) {
  if (answers.size() != source.blocks().size()) return "not every block was answered";
  sim::ReferenceModel model(source.configs());
  return first_difference(source.blocks().size(), [&](std::size_t i) {
    sim::BlockOut expected;
    model.answer(source.blocks()[i], expected);
    const auto want = static_cast<std::uint16_t>(expected.status & status_bits);
    const auto got = static_cast<std::uint16_t>(answers[i].status & status_bits);
    const bool is_equal = expected.codes == answers[i].codes && want == got;
    return Pair{static_cast<double>(want), static_cast<double>(got), is_equal};
  });
}

constexpr std::uint16_t kWholeStatus = 0xFFFF;
constexpr std::uint16_t kScaleAlone = 0x00FF;

/// Driver, model, scoreboard and coverage of the protocol, as `mxgold run` has them without stalls.
void run_checked(const HeldBlocks& source) {
  sim::RunOptions options;
  options.schedule = {.stall = sim::Stall::kNone, .reset = sim::ResetPlan{}};
  const sim::RunResult result = sim::run(
      source, [] { return sim::make_rtl_dut(); }, options);
  if (result.exit_code() != 0 || result.checked() != source.size()) {
    throw std::runtime_error("the checked run of our RTL failed");
  }
}

Row harness_row(const Setting&) {
  const auto source = std::make_shared<const HeldBlocks>();
  const auto loop = std::make_shared<BareLoop>(*source, sim::make_rtl_dut);
  Row row{.id = "R2", .what = "blocks through our RTL, every bit judged / its pins alone, 2^14"};
  row.goal = 1 / 1.15;
  row.clock = Clock::kOwn;
  row.items = static_cast<double>(kBlocks);
  row.ours = timed("mxgold run", [source] { run_checked(*source); });
  row.theirs = {timed("a bare loop", [source, loop] { loop->run(); })};
  row.difference = [source, loop] { return difference_of(*source, loop->answers(), kWholeStatus); };
  row.mask = "blocks are made before, none of zeros; the model's answers are in our time";
  return row;
}

Row beside_yardstick(const char* what, double goal, Make make) {
  const auto source = std::make_shared<const HeldBlocks>();
  const auto ours = std::make_shared<BareLoop>(*source, make);
  const auto yardstick = std::make_shared<LoopBlock>();
  const auto answers = std::make_shared<std::vector<sim::BlockOut>>(kBlocks);
  Row row{.id = "R3", .what = what, .goal = goal};
  row.clock = Clock::kOwn;
  row.items = static_cast<double>(kBlocks);
  row.ours = timed("rtl", [source, ours] { ours->run(); });
  row.theirs = {timed("bench/rtl/loop_block.sv", [source, yardstick, answers] {
    yardstick->run(source->blocks(), *answers);
  })};
  row.difference = [source, ours, answers] {
    const std::string difference = difference_of(*source, ours->answers(), kWholeStatus);
    return difference.empty() ? difference_of(*source, *answers, kScaleAlone) : difference;
  };
  row.mask = "the yardstick has no clock, handshake, flags or choices; no blocks of zeros";
  return row;
}

}  // namespace

std::vector<RowPlan> rtl_rows() {
  const auto full = [](const Setting&) {
    return beside_yardstick("blocks through our full RTL / the yardstick, 2^14", 0,
                            sim::make_rtl_dut);
  };
  const auto single = [](const Setting&) {
    return beside_yardstick("blocks through our RTL of one format / the yardstick, 2^14", 1,
                            make_single_format_dut);
  };
  return {
      {.id = "R2", .make = harness_row}, {.id = "R3", .make = single}, {.id = "R3", .make = full}};
}

}  // namespace mx::goals

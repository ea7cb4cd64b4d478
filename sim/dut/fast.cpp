#include "sim/dut/fast.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <type_traits>

#include "fast/cuda/stream.hpp"
#include "fast/stochastic/stochastic_plan.hpp"
#include "reference/number/word_bytes.hpp"
#include "sim/block/fast_job.hpp"
#include "sim/block/model.hpp"
#include "sim/dut/kind.hpp"

namespace mx::sim {
namespace {

constexpr std::size_t kBatch = 4096;

/// f(plan, or why there is none) of the CPU path.
template <class Function>
auto with_cpu_plan(const QuantizerConfig& config, const Function& f) {
  const fast::BlockJob job = fast_job(config);
  if (is_stochastic(config.element.rounding)) return f(fast::StochasticBlockPlan::make(job));
  return f(fast::BlockPlan::make(job));
}

}  // namespace

void FastDut::configure(const Setup& setup) {
  configs_ = &setup.configs;
  if (target_ == FastTarget::kDevice && !fast::device_available()) {
    throw DutError(fmt::format("cuda: {}", fast::device_problem()));
  }
}

std::string FastDut::refusal(const QuantizerConfig& config) const {
  if (config.format.elements() != kLanes) return "the device takes blocks of 32";
  if (target_ == FastTarget::kCpu) {
    return with_cpu_plan(config, [](const auto& plan) { return std::string(plan.problem()); });
  }
  return std::string(fast::StreamPlan::make(fast_job(config)).problem());
}

void FastDut::reset(const Reset& reset) {
  static_cast<void>(reset);
  waiting_.clear();
  answers_.clear();
  next_answer_ = 0;
}

void FastDut::tick(const Drive& drive, Observed& observed) {
  observed.ready = waiting_.size() < kBatch && next_answer_ == answers_.size();
  observed.valid = next_answer_ < answers_.size();
  if (observed.valid) {
    observed.block = answers_[next_answer_];
    if (drive.ready) ++next_answer_;
  }
  if (drive.offer != nullptr && observed.ready) {
    waiting_.push_back(*drive.offer);
    if (waiting_.size() == kBatch) compute_batch();
  }
}

void FastDut::compute_batch() {
  if (waiting_.empty()) return;
  std::map<std::uint32_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < waiting_.size(); ++i) groups[waiting_[i].config].push_back(i);
  answers_.assign(waiting_.size(), BlockOut{});
  next_answer_ = 0;
  for (const auto& [config, members] : groups) {
    compute_group(config_at(*configs_, config), members);
  }
  waiting_.clear();
}

void FastDut::compute_group(const QuantizerConfig& config,
                            const std::vector<std::size_t>& members) {
  const std::size_t bytes = static_cast<std::size_t>(config.source.storage_bits) / 8;
  words_.resize(members.size() * kLanes * bytes);
  codes_.resize(members.size() * kLanes);
  scales_.resize(members.size());
  status_.resize(members.size());
  random_.clear();
  std::byte* word = words_.data();
  std::array<std::uint64_t, kLanes> source;
  for (const std::size_t member : members) {
    source_codes(waiting_[member], config.source, source);
    random_.insert(random_.end(), waiting_[member].random.begin(), waiting_[member].random.end());
    for (const std::uint64_t code : source) {
      store_word(word, bytes, code);
      word += bytes;
    }
  }
  quantize(config);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const BlockIn& block = waiting_[members[i]];
    BlockOut& answer = answers_[members[i]];
    std::memcpy(answer.codes.data(), codes_.data() + i * kLanes, kLanes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if ((block.keep >> lane & 1) == 0) answer.codes[lane] = 0;
    }
    // The scale code comes twice; both have to be right.
    answer.status =
        static_cast<std::uint16_t>((status_[i] & 0xFF00) | std::to_integer<unsigned>(scales_[i]));
    if ((status_[i] & 0xFF) != (answer.status & 0xFF)) {
      throw DutError(
          fmt::format("{}: scale {:02x} but status {:04x}", name(), answer.scale(), status_[i]));
    }
    answer.keep = block.keep;
    answer.last = block.last;
  }
}

void FastDut::quantize(const QuantizerConfig& config) {
  if (target_ == FastTarget::kCpu) {
    quantize_on_cpu(config);
    return;
  }
  const fast::StreamPlan plan = fast::StreamPlan::make(fast_job(config)).value();
  const fast::StreamLayout layout{{scales_.size(), kLanes, 1}};
  const fast::StreamRandom random{random_.data()};
  const fast::Status outcome =
      target_ == FastTarget::kDevice
          ? plan.copy_and_run(layout, words_, {codes_, scales_, status_}, random)
          : plan.run_on_host(layout, words_.data(), {codes_.data(), scales_.data(), status_.data()},
                             random);
  if (!outcome) throw DutError(fmt::format("{}: {}", name(), outcome.detail));
}

void FastDut::quantize_on_cpu(const QuantizerConfig& config) {
  // Codes and scales once as every caller has them, and once more beside the status words, which
  // come from a kernel of their own.
  const fast::BlockLayout layout{1, codes_.size(), 1};
  const fast::Draws draws{.given = random_};
  std::vector<std::byte> codes(codes_.size());
  std::vector<std::byte> scales(scales_.size());
  const bool is_taken = with_cpu_plan(config, [&](const auto& made) {
    const auto& plan = made.value();
    if constexpr (std::is_same_v<decltype(plan), const fast::StochasticBlockPlan&>) {
      return plan.quantize(layout, draws, words_, codes_, scales_) &&
             plan.quantize(layout, draws, words_, codes, scales, status_);
    } else {
      return plan.quantize(layout, words_, codes_, scales_) &&
             plan.quantize(layout, words_, codes, scales, status_);
    }
  });
  if (!is_taken || codes != codes_ || scales != scales_) {
    throw DutError("cpu: the answers with and without status differ");
  }
}

DutKind cpu_dut() {
  DutKind kind{.name = "cpu", .argument = "", .help = "the CPU path, by vectors"};
  kind.make = [](const DutRequest&) -> DutFactory {
    return [] { return std::make_unique<FastDut>(FastTarget::kCpu); };
  };
  return kind;
}

DutKind cuda_host_dut() {
  DutKind kind{.name = "cuda-host", .argument = "", .help = "the CUDA path on the host"};
  kind.make = [](const DutRequest&) -> DutFactory {
    return [] { return std::make_unique<FastDut>(FastTarget::kHost); };
  };
  return kind;
}

DutKind cuda_dut() {
  DutKind kind{.name = "cuda", .argument = "", .help = "the CUDA path on a device"};
  kind.make = [](const DutRequest&) -> DutFactory {
    return [] { return std::make_unique<FastDut>(FastTarget::kDevice); };
  };
  return kind;
}

}  // namespace mx::sim

#include "sim/report/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "sim/block/model.hpp"
#include "sim/judge/shift.hpp"
#include "sim/report/answer_digest.hpp"

namespace mx::sim {
namespace {

struct SegmentRange {
  std::uint32_t number = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

// The segments of this shard, cut to the range asked for.
std::vector<SegmentRange> plan(std::uint64_t size, const RunOptions& options) {
  std::vector<SegmentRange> segments;
  const std::uint64_t length = options.segment_blocks;
  const std::uint64_t end = std::min(size, options.last);
  if (options.first >= end) return segments;
  for (std::uint64_t s = options.first / length; s * length < end; ++s) {
    if (s % options.shards != options.shard) continue;
    segments.push_back({static_cast<std::uint32_t>(s), std::max(s * length, options.first),
                        std::min((s + 1) * length, end)});
  }
  return segments;
}

// Mixed schedules: sixteen segments in turn, nine of them at full speed.
void choose_schedule(const Schedule& schedule, DriveOptions& drive) {
  const std::uint32_t turn = drive.segment % 16;
  if (schedule.stall) {
    drive.input_stall = *schedule.stall;
    drive.output_stall = *schedule.stall;
  } else {
    switch (turn) {
      case 0:
      case 8:
        drive.input_stall = drive.output_stall = Stall::kRandom;
        break;
      case 2:
        drive.input_stall = drive.output_stall = Stall::kLight;
        break;
      case 4:
        drive.output_stall = Stall::kHeavy;
        break;
      case 6:
        drive.input_stall = Stall::kHeavy;
        break;
      case 10:
        drive.input_stall = drive.output_stall = Stall::kHeavy;
        break;
      default:
        break;
    }
  }
  if (schedule.reset) {
    drive.reset = *schedule.reset;
  } else if (turn == 1 || turn == 8) {
    drive.reset.kind = ResetPlan::Kind::kSweep;
  } else if (turn == 0) {
    drive.reset.kind = ResetPlan::Kind::kRandom;
  }
}

struct SegmentOutcome {
  DriveStats stats;
  std::string answers;  ///< as answer_bytes() has them
  std::uint64_t bad_blocks = 0;
  std::optional<std::string> failure;
};

// One thread: its device, its model, its scoreboard.
class Worker {
 public:
  Worker(const BlockSource& source, std::unique_ptr<Dut> dut, const RunOptions& options,
         std::chrono::steady_clock::time_point deadline)
      : source_(source),
        dut_(std::move(dut)),
        options_(options),
        observed_(options.observed & dut_->observes()),
        deadline_(deadline),
        model_(source.configs()),
        scoreboard_(options.compare, options.keep_mismatches, source.configs(), options.waivers),
        certificates_(source.configs(), options.make_certificate) {
    dut_->configure({source.configs(), options.seed});
    // A device that keeps time itself has no cycles.
    if (dut_->patience() != 0) protocol_.emplace(dut_->depth(), source.configs().size());
  }

  SegmentOutcome run(const SegmentRange& range) {
    const std::size_t size = range.last - range.first;
    blocks_.resize(size);
    expected_.resize(size);
    open_.resize(size);
    actual_.clear();
    source_.fill(range.first, blocks_);
    // What is open follows from the reference's own answer, whoever says what is expected.
    for (std::size_t i = 0; i < size; ++i) {
      model_.answer(blocks_[i], expected_[i]);
      open_[i] = model_.open(blocks_[i], expected_[i]);
      open_[i].observed = observed_;
    }
    if (options_.judge != Judge::kReference) ask_certificates(range.first);
    static_cast<void>(source_.answers(range.first, expected_));
    if (options_.judge != Judge::kReference) use_certificates();
    SegmentOutcome outcome;
    const std::uint64_t bad_before = scoreboard_.tallies().total().bad_blocks;
    try {
      outcome.stats =
          drive(*dut_, blocks_, drive_options(range), [&](std::size_t i, const BlockOut& answer) {
            actual_.push_back(answer);
            scoreboard_.check(range.first + i, blocks_[i], expected_[i], open_[i], answer,
                              i == 0 ? nullptr : &blocks_[i - 1]);
          });
    } catch (const DutError& error) {
      const std::string shift = shift_text(range.first);
      outcome.failure = error.what() + (shift.empty() ? shift : "; " + shift);
      return outcome;
    }
    outcome.bad_blocks = scoreboard_.tallies().total().bad_blocks - bad_before;
    if (outcome.bad_blocks != 0 && looks_reordered(expected_, completed_answers())) {
      outcome.failure = fmt::format(
          "{}: blocks changed places: the wrong answers are the right ones of near neighbours; "
          "broken: answers come in the order of the blocks (spec R6)",
          dut_->name());
    }
    outcome.answers = answer_bytes(actual_);
    return outcome;
  }

  [[nodiscard]] const Scoreboard& scoreboard() const { return scoreboard_; }
  [[nodiscard]] const std::optional<ProtocolCoverage>& protocol() const { return protocol_; }
  [[nodiscard]] const std::vector<Disagreement>& disagreements() const { return disagreements_; }
  [[nodiscard]] std::uint64_t disagreed() const { return disagreed_; }

 private:
  /// What certificates say of every block; they must agree with the reference. What a profile
  /// leaves open is nobody's.
  void ask_certificates(std::uint64_t first) {
    certified_.clear();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const BlockOut& own = expected_[i];
      CertifiedBlock& certified =
          certified_.emplace_back(certificates_.judge(blocks_[i], own.scale()));
      certified.lanes &= ~open_[i].lanes;
      if (open_[i].scale) certified.scale.reset();
      if (options_.judge != Judge::kBoth) continue;
      for (const Disagreement& each : disagreements_of(first + i, blocks_[i], own, certified)) {
        disagree(each);
      }
    }
  }

  /// The device is compared with certificates where what is expected is what they say, or, where
  /// they judge alone, in nothing else.
  void use_certificates() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const CertifiedBlock& certified = certified_[i];
      BlockOut& expected = expected_[i];
      BlockOpen& open = open_[i];
      open.certified = {true, certified.scale.has_value(), certified.lanes};
      if (options_.judge == Judge::kCertificate) {
        take(certified, expected, open);
        continue;
      }
      open.certified.scale = certified.scale == expected.scale();
      if (certified.lanes == kAllLanes && certified.codes == expected.codes) continue;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (certified.codes[lane] != expected.codes[lane]) open.certified.lanes &= ~(1U << lane);
      }
    }
  }

  /// Certificates alone: what none of them decides is open.
  static void take(const CertifiedBlock& certified, BlockOut& expected, BlockOpen& open) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if ((certified.lanes >> lane & 1) != 0) expected.codes[lane] = certified.codes[lane];
    }
    if (certified.scale) {
      expected.status = static_cast<std::uint16_t>((expected.status & 0xFF00) | *certified.scale);
    }
    open.lanes |= ~certified.lanes;
    open.scale = !certified.scale;
    open.flags = true;
  }

  void disagree(const Disagreement& found) {
    ++disagreed_;
    if (disagreements_.size() < options_.keep_mismatches) disagreements_.push_back(found);
  }

  DriveOptions drive_options(const SegmentRange& range) {
    DriveOptions drive = drive_of_segment(options_, range.number);
    drive.coverage = protocol_ ? &*protocol_ : nullptr;
    drive.first = range.first;
    drive.deadline = deadline_;
    return drive;
  }

  /// Where answers began to be those of a neighbouring block, if they did.
  [[nodiscard]] std::string shift_text(std::uint64_t first) const {
    const auto fits = [this](std::size_t answer, std::size_t block) {
      return agrees(options_.compare, expected_[block], open_[block], actual_[answer]);
    };
    ShiftFinder shift;
    for (std::size_t i = 0; i < actual_.size(); ++i) {
      shift.see(first + i, fits(i, i), i != 0 && fits(i, i - 1), i != 0 && fits(i - 1, i));
    }
    return shift.text("block");
  }

  /// What the device does not give is right.
  [[nodiscard]] std::vector<BlockOut> completed_answers() const {
    std::vector<BlockOut> answers;
    for (std::size_t i = 0; i < actual_.size(); ++i) {
      answers.push_back(observed_.completed(actual_[i], expected_[i]));
    }
    return answers;
  }

  const BlockSource& source_;
  std::unique_ptr<Dut> dut_;
  const RunOptions& options_;
  Observes observed_;
  std::chrono::steady_clock::time_point deadline_;
  ReferenceModel model_;
  Scoreboard scoreboard_;
  CertificateJudge certificates_;
  std::vector<CertifiedBlock> certified_;  ///< of the segment
  std::vector<Disagreement> disagreements_;
  std::uint64_t disagreed_ = 0;
  std::optional<ProtocolCoverage> protocol_;
  std::vector<BlockIn> blocks_;
  std::vector<BlockOut> expected_;
  std::vector<BlockOpen> open_;
  std::vector<BlockOut> actual_;
};

void add(DriveStats& sum, const DriveStats& part) {
  sum.cycles += part.cycles;
  sum.offered += part.offered;
  sum.collected += part.collected;
  sum.resets += part.resets;
  sum.input_stalls += part.input_stalls;
  sum.output_stalls += part.output_stalls;
}

// Shares the segments out and gathers what came of them.
class Pool {
 public:
  Pool(const BlockSource& source, const DutFactory& make_dut, const RunOptions& options)
      : source_(source),
        make_dut_(make_dut),
        options_(options),
        segments_(plan(source.size(), options)) {
    for (const SegmentRange& segment : segments_) result_.declared += segment.last - segment.first;
    if (result_.declared == 0) throw StimulusError("no blocks to run: zero cases are a failure");
    result_.configs = source.configs();
    result_.waivers = options.waivers;
    result_.judge = options.judge;
  }

  RunResult run() {
    const auto start = std::chrono::steady_clock::now();
    deadline_ = start + options_.time_limit;
    const unsigned threads =
        std::max(1U, std::min<unsigned>(options_.threads, static_cast<unsigned>(segments_.size())));
    if (threads == 1) {
      work();
    } else {
      std::vector<std::jthread> pool;
      start_into(pool, threads);
    }
    if (error_) std::rethrow_exception(error_);
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    finish();
    return std::move(result_);
  }

 private:
  /// Fewer where the machine has no more.
  void start_into(std::vector<std::jthread>& pool, unsigned threads) {
    try {
      while (pool.size() < threads) pool.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      if (pool.empty()) throw;
    }
  }

  void work() {
    try {
      Worker worker(source_, make_dut_(), options_, deadline_);
      while (!stop_) {
        const std::size_t next = next_++;
        if (next >= segments_.size()) break;
        SegmentOutcome outcome = worker.run(segments_[next]);
        // The driver looks at the clock now and then only.
        if (!outcome.failure && std::chrono::steady_clock::now() > deadline_) {
          outcome.failure = "the time limit is over (watchdog)";
        }
        report(next, outcome);
        // After a broken protocol the device's state is anyone's guess.
        if (outcome.failure || bad_ >= options_.stop_after) stop_ = true;
        look_for_signal();
      }
      gather(worker.scoreboard());
      gather(worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
  }

  /// A run that was asked to end does so between two segments, where its counts are right.
  void look_for_signal() {
    const int signal = options_.interrupted == nullptr ? 0 : options_.interrupted();
    if (signal == 0) return;
    const std::lock_guard lock(mutex_);
    result_.interrupted = signal;
    stop_ = true;
  }

  void report(std::size_t number, SegmentOutcome& outcome) {
    const SegmentRange& range = segments_[number];
    const std::lock_guard lock(mutex_);
    digest_.add(number, std::move(outcome.answers));
    add(result_.drive, outcome.stats);
    ++result_.segments;
    bad_ += outcome.bad_blocks;
    if (outcome.stats.resets != 0) ++result_.reset_segments;
    if (outcome.stats.input_stalls + outcome.stats.output_stalls != 0) ++result_.stalled_segments;
    if (outcome.failure) result_.failures.push_back({range.first, range.last, *outcome.failure});
    done_ += range.last - range.first;
    if (options_.progress) options_.progress(done_, result_.declared);
  }

  void gather(const Scoreboard& scoreboard) {
    const std::lock_guard lock(mutex_);
    result_.tallies += scoreboard.tallies();
    for (std::size_t w = 0; w < scoreboard.waivers().uses().size(); ++w) {
      result_.waivers.add_use(scoreboard.waivers().uses()[w], w);
    }
    result_.mismatches.insert(result_.mismatches.end(), scoreboard.mismatches().begin(),
                              scoreboard.mismatches().end());
    result_.right.insert(result_.right.end(), scoreboard.right().begin(), scoreboard.right().end());
    result_.first_of_each.insert(result_.first_of_each.end(), scoreboard.first_of_each().begin(),
                                 scoreboard.first_of_each().end());
  }

  void gather(const Worker& worker) {
    const std::lock_guard lock(mutex_);
    result_.disagreed += worker.disagreed();
    if (worker.protocol() && !result_.protocol) {
      result_.protocol = worker.protocol();
    } else if (worker.protocol()) {
      result_.protocol->add(*worker.protocol());
    }
    result_.disagreements.insert(result_.disagreements.end(), worker.disagreements().begin(),
                                 worker.disagreements().end());
  }

  static void keep_first_of_each(std::vector<Mismatch>& mismatches) {
    const auto config = [](const Mismatch& m) { return m.block.config; };
    std::ranges::sort(mismatches, {},
                      [&](const Mismatch& m) { return std::pair(config(m), m.index); });
    const auto rest =
        std::unique(mismatches.begin(), mismatches.end(),
                    [&](const Mismatch& a, const Mismatch& b) { return config(a) == config(b); });
    mismatches.erase(rest, mismatches.end());
  }

  void finish() {
    std::ranges::sort(result_.mismatches, {}, &Mismatch::index);
    if (result_.mismatches.size() > options_.keep_mismatches) {
      result_.mismatches.resize(options_.keep_mismatches);
    }
    std::ranges::sort(result_.disagreements, {}, &Disagreement::index);
    if (result_.disagreements.size() > options_.keep_mismatches) {
      result_.disagreements.resize(options_.keep_mismatches);
    }
    std::ranges::sort(result_.right, {}, &Mismatch::index);
    keep_first_of_each(result_.first_of_each);
    std::ranges::sort(result_.failures, {}, &ProtocolFailure::first);
    if (result_.checked() != result_.declared) return;
    result_.digest = digest_.finish();
  }

  const BlockSource& source_;
  const DutFactory& make_dut_;
  const RunOptions& options_;
  std::vector<SegmentRange> segments_;
  AnswerDigest digest_;
  std::chrono::steady_clock::time_point deadline_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> bad_ = 0;
  std::mutex mutex_;
  RunResult result_;
  std::uint64_t done_ = 0;
  std::exception_ptr error_;
};

}  // namespace

DriveOptions drive_of_segment(const RunOptions& options, std::uint32_t segment) {
  DriveOptions drive;
  drive.seed = options.seed;
  drive.segment = segment;
  choose_schedule(options.schedule, drive);
  return drive;
}

int RunResult::exit_code() const {
  constexpr int kByASignal = 128;  // as shells say it
  if (interrupted != 0) return kByASignal + interrupted;
  const Tally total = tallies.total();
  const bool is_nothing = failures.empty() && total.blocks == total.unjudged;
  if (disagreed != 0 && !is_nothing) return 6;
  if (!failures.empty()) return 4;
  if (total.bad_blocks != 0) return 1;
  if (total.blocks == total.unjudged) return 3;
  const bool complete =
      total.blocks == declared && drive.offered == declared && drive.collected == declared;
  if (!complete) return 4;
  return waivers.has_failed() ? 1 : 0;
}

RunResult run(const BlockSource& source, const DutFactory& make_dut, const RunOptions& options) {
  return Pool(source, make_dut, options).run();
}

std::vector<BlockRange> run_ranges(std::uint64_t size, const RunOptions& options) {
  std::vector<BlockRange> ranges;
  for (const SegmentRange& segment : plan(size, options)) {
    ranges.push_back({segment.first, segment.last});
  }
  return ranges;
}

}  // namespace mx::sim

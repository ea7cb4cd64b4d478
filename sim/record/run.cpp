#include "sim/record/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "golden/bytes/number_text.hpp"
#include "golden/configuration/judged_by.hpp"
#include "sim/record/interrupt.hpp"
#include "sim/record/ordered_digest.hpp"
#include "sim/record/worker.hpp"

namespace mx::sim {
namespace {

using Clock = std::chrono::steady_clock;

/// The segments of a run; all records are one where no others are asked for.
std::vector<Segment> segments_of(const golden::VectorHeader& header,
                                 const RecordRunOptions& options) {
  std::vector<Segment> segments = options.segments;
  if (segments.empty()) segments.push_back({0, options.first, options.first + header.count});
  const Clock::time_point now = Clock::now();
  const bool has_limit = options.time_limit < Clock::time_point::max() - now;
  for (Segment& each : segments) {
    if (has_limit) each.deadline = now + options.time_limit;
  }
  return segments;
}

/// A device that somebody else owns, where one is asked for, or one of a factory.
using Borrow = std::function<RecordDevice&(std::unique_ptr<RecordDevice>& own)>;

/// Shares the segments out and gathers what came of them.
class Pool {
 public:
  Pool(const golden::VectorHeader& header, const RecordInput& input, Borrow device,
       const RecordRunOptions& options)
      : header_(header),
        input_(input),
        device_(std::move(device)),
        options_(options),
        segments_(segments_of(header, options)) {
    for (const Segment& each : segments_) run_.declared += each.last - each.first;
    run_.by_config.resize(header.configs.size());
    run_.waivers = options.waivers;
    if (options.judge != Judge::kReference) run_.certified.resize(header.configs.size());
  }

  RecordRun run() {
    const Clock::time_point start = Clock::now();
    const unsigned threads =
        std::max(1U, std::min<unsigned>(options_.threads, static_cast<unsigned>(segments_.size())));
    if (threads == 1) {
      work();
    } else {
      std::vector<std::jthread> pool;
      start_into(pool, threads);
    }
    if (error_) std::rethrow_exception(error_);
    finish();
    run_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return std::move(run_);
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
      std::unique_ptr<RecordDevice> own;
      RunWorker worker(header_, input_, device_(own), options_);
      while (!stop_) {
        const std::size_t next = next_++;
        if (next >= segments_.size()) break;
        run_segment(worker, next);
      }
      const std::lock_guard lock(mutex_);
      run_.add(worker.finish());
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
  }

  void run_segment(RunWorker& worker, std::size_t number) {
    const std::uint64_t wrong = worker.wrong();
    std::uint64_t seen = worker.seen();
    std::optional<ProtocolFailure> failure;
    int signal = 0;
    try {
      failure = worker.run(segments_[number], [&](std::span<const std::byte> bytes) {
        const std::lock_guard lock(mutex_);
        digest_.add(number, bytes);
        if (options_.progress)
          options_.progress(worker.seen() - std::exchange(seen, worker.seen()));
      });
    } catch (const Interrupted& interrupted) {
      signal = interrupted.signal();
    }
    // A run that was asked to end does so between two segments, where its counts are right.
    if (signal == 0 && options_.interrupted != nullptr) signal = options_.interrupted();
    const std::lock_guard lock(mutex_);
    digest_.end(number);
    ++run_.segments;
    if (run_.shift.empty()) run_.shift = worker.shift_text();
    wrong_ += worker.wrong() - wrong;
    if (failure) run_.failures.push_back(*failure);
    if (signal != 0) run_.interrupted = signal;
    // After a broken protocol the device's state is anyone's guess.
    if (failure || signal != 0 || wrong_ >= options_.stop_after) stop_ = true;
  }

  void finish() {
    run_.sort(options_.keep_mismatches);
    std::ranges::sort(run_.failures, {}, &ProtocolFailure::first);
    for (const golden::Verdict& each : run_.by_config) run_.verdict += each;
    const bool is_whole = run_.verdict.vectors == run_.declared && run_.failures.empty();
    if (run_.interrupted == 0 && is_whole) run_.digest = digest_.finish();
  }

  const golden::VectorHeader& header_;
  const RecordInput& input_;
  Borrow device_;
  const RecordRunOptions& options_;
  std::vector<Segment> segments_;
  OrderedDigest digest_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::uint64_t wrong_ = 0;
  RecordRun run_;
  std::exception_ptr error_;
};

}  // namespace

int RecordRun::exit_code() const {
  constexpr int kByASignal = 128;  // as shells say it
  if (interrupted != 0) return kByASignal + interrupted;
  const bool is_nothing = failures.empty() && verdict.judged() == 0;
  if (disagreed != 0 && !is_nothing) return 6;
  if (!failures.empty()) return 4;
  if (verdict.mismatches != 0) return 1;
  if (verdict.judged() == 0) return 3;
  if (verdict.vectors != declared) return 4;
  return waivers.has_failed() ? 1 : 0;
}

const RecordMismatch* RecordRun::first_of(std::size_t config) const {
  const auto found = std::ranges::find(
      first_of_each, config, [](const RecordMismatch& m) { return m.expected.config(0); });
  return found == first_of_each.end() ? nullptr : &*found;
}

std::optional<CertificateCounts> RecordRun::certificates() const {
  if (certified.empty()) return std::nullopt;
  CertificateCounts sum;
  for (const CertificateCounts& each : certified) sum += each;
  return sum;
}

RecordRun run_records(const golden::VectorHeader& header, const RecordInput& input,
                      const RecordDeviceFactory& make, const RecordRunOptions& options) {
  const Borrow of_factory = [&](std::unique_ptr<RecordDevice>& own) -> RecordDevice& {
    own = make();
    return *own;
  };
  return Pool(header, input, of_factory, options).run();
}

RecordRun run_records(const golden::VectorHeader& header, const RecordInput& input,
                      RecordDevice& device, const RecordRunOptions& options) {
  RecordRunOptions alone = options;
  alone.threads = 1;
  const Borrow given = [&](std::unique_ptr<RecordDevice>&) -> RecordDevice& { return device; };
  return Pool(header, input, given, alone).run();
}

std::string record_verdict(const RecordRun& run, const golden::VectorHeader& header,
                           const RecordTold& told) {
  std::string what = fmt::format("{}, seed {}", header.set_id(), told.seed);
  if (header.seed != told.seed) what += fmt::format(" (the set's: {})", header.seed);
  what += fmt::format(", dut {}", told.device);
  for (const std::string& more :
       {golden::judged_by(header.configs).text(), std::string(told.note), run.shift}) {
    if (!more.empty()) what += "; " + more;
  }
  std::string coverage = run.verdict.coverage();
  if (const auto certificates = run.certificates()) coverage += "; " + text_of(*certificates);
  const std::string counts =
      fmt::format("{} of {} records checked, {} differ; {}; {}\n",
                  golden::with_commas(run.verdict.vectors), golden::with_commas(run.declared),
                  golden::with_commas(run.verdict.mismatches), coverage, what);
  if (run.interrupted != 0) {
    return fmt::format("INTERRUPTED by signal {} ({}): {}", run.interrupted,
                       strsignal(run.interrupted), counts);
  }
  if (run.exit_code() == 6) {
    return fmt::format(
        "FAIL judges disagree: the certificates contradict the reference in {} words, so no "
        "verdict on the device; {}",
        golden::with_commas(run.disagreed), counts);
  }
  if (!run.protocol().empty()) return fmt::format("FAIL protocol: {}; {}", run.protocol(), counts);
  const double rate = static_cast<double>(run.verdict.vectors) / 1e6 / std::max(run.seconds, 1e-9);
  return fmt::format(
      "{} records, {} configurations; {}; {}; {:.1f} s, {:.2f} M records/s; sha256:{}\n",
      run.waivers.headline(run.verdict), header.configs.size(), what, coverage, run.seconds, rate,
      run.digest);
}

}  // namespace mx::sim

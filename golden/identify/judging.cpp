#include "golden/identify/judging.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "golden/identify/record_judge.hpp"
#include "reference/parallel/threads.hpp"

namespace mx::golden {
namespace {

/// Records that a thread takes at a time.
constexpr std::uint64_t kPiece = 512;
/// Records after which subjects that are contradicted are let go for the first time; then after
/// twice as many, and so on.
constexpr std::uint64_t kFirstRound = 64;

void add(Tally& tally, const RecordMatch& verdict, std::size_t record) {
  if (verdict.left_open) ++tally.left_open;
  tally.counts += verdict.counts;
  if (!verdict.agrees && tally.contradicted++ == 0) tally.first = record;
}

void add(Tally& tally, const Tally& part) {
  tally.contradicted += part.contradicted;
  tally.left_open += part.left_open;
  tally.counts += part.counts;
  if (part.first && (!tally.first || *part.first < *tally.first)) tally.first = part.first;
}

class Judging {
 public:
  Judging(const ImplementationLog& log, std::span<const Subject> subjects, int threads)
      : log_(log),
        threads_(threads),
        judges_(log.surface.is_block ? block_judges(log, subjects) : element_judges(log, subjects)),
        tallies_(subjects.size()),
        gone_(subjects.size()),
        wanted_(subjects.size()) {
    for (std::size_t i = 0; i < wanted_.size(); ++i) wanted_[i] = i;
  }

  Judged to_the_end(std::uint64_t counted) {
    const std::size_t count = log_.records.size();
    marks_ = {.compared = std::vector<std::uint8_t>(count),
              .telling = std::vector<std::uint8_t>(count)};
    for (std::uint64_t first = 0; first < count && !wanted_.empty(); first += counted) {
      judge(first, std::min<std::uint64_t>(counted, count - first));
      let_go();
    }
    return {std::move(tallies_), std::move(marks_)};
  }

  std::vector<Tally> until_contradicted(std::span<const std::size_t> suspects) {
    lets_go_ = true;
    for (const std::size_t record : suspects) judge(record, 1);
    // The suspects come again: only now they count.
    for (const std::size_t i : wanted_) tallies_[i] = {};
    const std::uint64_t count = log_.records.size();
    std::uint64_t round = kFirstRound;
    for (std::uint64_t first = 0; first < count && !wanted_.empty(); round *= 2) {
      const std::uint64_t size = std::min(round, count - first);
      judge(first, size);
      first += size;
    }
    for (Tally& each : tallies_) {
      if (each.contradicted != 0) each = {.contradicted = 1, .first = each.first};
    }
    return std::move(tallies_);
  }

 private:
  void judge(std::uint64_t first, std::uint64_t count) {
    share_work(count, kPiece, threads_, [&](std::uint64_t from, std::uint64_t to) {
      judge_piece(first + from, first + to);
    });
    if (lets_go_) let_go();
  }

  void let_go() {
    std::erase_if(wanted_, [&](std::size_t i) { return tallies_[i].contradicted != 0; });
  }

  void judge_piece(std::uint64_t from, std::uint64_t to) {
    const std::unique_ptr<RecordJudge> judge = judges_->make();
    std::vector<Tally> parts(wanted_.size());
    for (std::uint64_t at = from; at < to; ++at) {
      judge->take(log_.records[at]);
      for (std::size_t i = 0; i < wanted_.size(); ++i) {
        std::atomic<bool>& gone = gone_[wanted_[i]];
        if (lets_go_ && gone.load(std::memory_order_relaxed)) continue;
        const RecordMatch verdict = judge->judge(wanted_[i]);
        add(parts[i], verdict, at);
        if (!verdict.agrees) gone.store(true, std::memory_order_relaxed);
        if (lets_go_) continue;
        if (verdict.counts.compared != 0) marks_.compared[at] = 1;
        if (!verdict.agrees) marks_.telling[at] = 1;
      }
    }
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < wanted_.size(); ++i) add(tallies_[wanted_[i]], parts[i]);
  }

  const ImplementationLog& log_;
  int threads_;
  std::unique_ptr<RecordJudges> judges_;
  std::vector<Tally> tallies_;
  std::vector<std::atomic<bool>> gone_;  ///< contradicted by some record
  std::vector<std::size_t> wanted_;      ///< subjects that are judged on
  bool lets_go_ = false;                 ///< stops at the first contradiction, and marks no record
  RecordMarks marks_;                    ///< of a record: written by the thread that judges it
  std::mutex mutex_;                     ///< of tallies_
};

}  // namespace

std::vector<Tally> judge_all(const ImplementationLog& log, std::span<const Subject> subjects,
                             int threads) {
  if (subjects.empty()) return {};
  return Judging(log, subjects, threads).to_the_end(log.records.size()).tallies;
}

Judged judge_and_mark(const ImplementationLog& log, std::span<const Subject> subjects, int threads,
                      std::uint64_t counted) {
  return Judging(log, subjects, threads).to_the_end(counted);
}

std::vector<Tally> judge_until_contradicted(const ImplementationLog& log,
                                            std::span<const Subject> subjects,
                                            std::span<const std::size_t> suspects, int threads) {
  if (subjects.empty()) return {};
  return Judging(log, subjects, threads).until_contradicted(suspects);
}

}  // namespace mx::golden

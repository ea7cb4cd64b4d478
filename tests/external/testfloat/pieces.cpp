#include "tests/external/testfloat/pieces.hpp"

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <ostream>

namespace mx::external {
namespace {

/// So many cases stay in the cache while every shard is asked.
constexpr std::size_t kBatch = 4096;

/// So many mismatches say what there is to say about a shard.
constexpr std::uint64_t kEnough = 1000;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::string text_of(const TestfloatModel& model, const FusedOperands& x,
                    const TestfloatAnswer& theirs, const Encoded& ours) {
  const int digits = (model.to().bits + 3) / 4;
  std::string text;
  for (const std::uint64_t operand : x) text += oracle::hex(operand, digits) + ' ';
  return text + oracle::hex(theirs.code, digits) + ' ' + oracle::hex(theirs.flags) +
         "\n    mxgold: " + oracle::hex(ours.code, digits) + ' ' +
         oracle::hex(testfloat_flags(ours.flags));
}

}  // namespace

PieceJudge::PieceJudge(FusedMachine& machine, std::span<const TestfloatShard> shards,
                       const Options& options)
    : machine_(machine), cases_(kBatch), answers_(kBatch) {
  for (const TestfloatShard& shard : shards) {
    parts_.push_back({shard,
                      TestfloatModel(shard.function, shard.mode.rounding, shard.tininess,
                                     options.out_of_range, options.wrong),
                      {}});
  }
}

std::size_t PieceJudge::make(std::uint64_t wanted) {
  const double begin = cpu_seconds();
  const auto room = std::span(cases_).first(std::min<std::uint64_t>(wanted, kBatch));
  const std::size_t made = machine_.make(room);
  at_ += made;
  times_.made += made;
  times_.making += cpu_seconds() - begin;
  is_broken_ |= made < room.size();
  return made;
}

void PieceJudge::skip(std::uint64_t cases) {
  const std::uint64_t last = at_ + cases;
  while (at_ < last && !is_broken_) (void)make(last - at_);
  if (is_broken_) check_count(last);
}

void PieceJudge::judge_part(Part& part, std::size_t made) {
  const auto cases = std::span(cases_).first(made);
  const double begin = cpu_seconds();
  machine_.answer(part.shard.mode.rounding, part.shard.tininess, cases, answers_);
  const double answered = cpu_seconds();
  for (std::size_t i = 0; i < made; ++i) {
    const Encoded ours = part.model(cases[i]);
    part.report.check(agrees(part.model, cases[i], ours, answers_[i]),
                      [&] { return text_of(part.model, cases[i], answers_[i], ours); });
  }
  const double end = cpu_seconds();
  times_.theirs += answered - begin;
  times_.ours += end - answered;
  times_.compared += made;
  part.seconds += end - begin;
}

void PieceJudge::check_count(std::uint64_t last) {
  std::string why;
  if (at_ != last) {
    why = "the generator ended after " + std::to_string(at_) + " cases of " + std::to_string(last);
  } else if (at_ == machine_.announced() && machine_.make(std::span(cases_).first(1)) != 0) {
    why = "the generator goes on after the " + std::to_string(at_) + " cases that it announced";
  }
  is_broken_ = !why.empty();
  if (!is_broken_) return;
  for (Part& part : parts_) {
    part.report.check(false, [&] { return why; });
  }
}

bool PieceJudge::has_seen_enough() const {
  return std::ranges::all_of(parts_,
                             [](const Part& p) { return p.report.mismatches() >= kEnough; });
}

void PieceJudge::judge(std::uint64_t cases, std::ostream& out) {
  const std::uint64_t first = at_, last = at_ + cases;
  std::vector<oracle::Report> before;
  for (Part& part : parts_) {
    before.push_back(part.report);
    part.seconds = 0;
  }
  while (at_ < last && !is_broken_ && !has_seen_enough()) {
    const std::size_t made = make(last - at_);
    for (Part& part : parts_) {
      if (part.report.mismatches() < kEnough) judge_part(part, made);
    }
  }
  if (!has_seen_enough()) check_count(last);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    out << "  " << part.shard.function.name << ' ' << part.shard.text() << ' ' << first << ".."
        << last << ": " << part.report.cases() - before[i].cases() << " of " << machine_.announced()
        << " compared, " << part.report.mismatches() - before[i].mismatches() << " differ, "
        << std::fixed << std::setprecision(1) << part.seconds << " s\n";
  }
  out.flush();
}

void PieceJudge::add_to(Verdict& verdict) const {
  for (const Part& part : parts_) {
    verdict.add(part.shard.function.name + ' ' + part.shard.text(), part.report);
  }
}

}  // namespace mx::external

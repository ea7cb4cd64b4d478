#include "tests/external/testfloat/linked/pieces.hpp"

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <ostream>

namespace mx::external {
namespace {

/// So many cases stay in the cache while every shard is asked.
constexpr std::size_t kBatch = 1024;

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
    : machine_(machine),
      cases_(kBatch),
      answers_(kBatch * shards.size()),
      exact_(fused_room(kBatch)) {
  for (const TestfloatShard& shard : shards) {
    const TestfloatModel model(shard.function, shard.mode.rounding, shard.tininess,
                               options.out_of_range, options.wrong);
    ways_.push_back({shard.mode.rounding, shard.tininess});
    parts_.push_back({shard,
                      FusedModel(model),
                      first_of_rounding(ways_, parts_.size()),
                      std::vector<Encoded>(kBatch),
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

void PieceJudge::skip(std::uint64_t cases, std::string_view place) {
  const std::uint64_t last = at_ + cases;
  if (!place.empty()) {
    is_broken_ = at_ != 0 || !machine_.leap(cases, place);
    if (is_broken_) return break_all("no place of the generator's after so many cases");
    at_ = last;
  }
  while (at_ < last && !is_broken_) (void)make(last - at_);
  if (is_broken_) check_count(last);
}

/// Both machines' answers to the cases that were made last.
void PieceJudge::answer(std::size_t made) {
  const auto cases = std::span(cases_).first(made);
  const double begin = cpu_seconds();
  machine_.answer(ways_, cases, answers_);
  const double answered = cpu_seconds();
  fuse_each(*parts_[0].shard.function.format, cases, exact_);
  for (Part& part : parts_) {
    const Part& twin = parts_[part.twin];
    const auto ours = std::span(part.ours).first(made);
    if (&twin == &part) {
      part.model.answer(exact_, ours);
    } else {
      part.model.answer(exact_, std::span(twin.ours).first(made), ours);
    }
  }
  times_.theirs += answered - begin;
  times_.ours += cpu_seconds() - answered;
}

void PieceJudge::compare(std::size_t made) {
  answer(made);
  const double begin = cpu_seconds();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    const TestfloatModel& model = part.model.whole();
    const auto ours = std::span(part.ours).first(made);
    const auto theirs = std::span(answers_).subspan(k * made, made);
    std::uint64_t differed = 0;
    for (std::size_t i = 0; i < made; ++i) {
      if (agrees(model, cases_[i], ours[i], theirs[i])) continue;
      part.report.check(false, [&] { return text_of(model, cases_[i], theirs[i], ours[i]); });
      ++differed;
    }
    part.report.add_equal(made - differed);
  }
  times_.ours += cpu_seconds() - begin;
  times_.compared += made * parts_.size();
}

void PieceJudge::check_count(std::uint64_t last) {
  std::string why;
  if (at_ != last) {
    why = "the generator ended after " + std::to_string(at_) + " cases of " + std::to_string(last);
  } else if (at_ == machine_.announced() && machine_.make(std::span(cases_).first(1)) != 0) {
    why = "the generator goes on after the " + std::to_string(at_) + " cases that it announced";
  }
  is_broken_ = !why.empty();
  if (is_broken_) break_all(why);
}

void PieceJudge::break_all(const std::string& why) {
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
  for (const Part& part : parts_) before.push_back(part.report);
  const double begin = times_.theirs + times_.ours;
  while (at_ < last && !is_broken_ && !has_seen_enough()) compare(make(last - at_));
  if (!has_seen_enough()) check_count(last);
  // The shards share most of the work: each is said to have taken as much as the others.
  const double seconds = (times_.theirs + times_.ours - begin) / static_cast<double>(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    out << "  " << part.shard.function.name << ' ' << part.shard.text() << ' ' << first << ".."
        << last << ": " << part.report.cases() - before[i].cases() << " of " << machine_.announced()
        << " compared, " << part.report.mismatches() - before[i].mismatches() << " differ, "
        << std::fixed << std::setprecision(1) << seconds << " s\n";
  }
  const std::string place = machine_.place();
  if (!place.empty() && !is_broken_) {
    out << "  " << parts_[0].shard.function.name << " place " << last << ' ' << place << '\n';
  }
  out.flush();
}

void PieceJudge::add_to(Verdict& verdict) const {
  for (const Part& part : parts_) {
    verdict.add(part.shard.function.name + ' ' + part.shard.text(), part.report);
  }
}

}  // namespace mx::external

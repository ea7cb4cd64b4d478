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
      theirs_(kBatch * shards.size()),
      ours_(kBatch),
      exact_(fused_room(kBatch)) {
  for (const TestfloatShard& shard : shards) {
    const TestfloatModel model(shard.function, shard.mode.rounding, shard.tininess,
                               options.out_of_range, options.wrong);
    const bool is_first = std::ranges::none_of(
        parts_, [&](const Part& part) { return part.shard.mode.rounding == shard.mode.rounding; });
    parts_.push_back({shard, FusedModel(model), is_first ? Turn::kFirst : Turn::kSecond, {}});
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

// A rule of tininess changes little: only what either machine looks at the rule for is asked under
// the second one too. What it is not asked for has passed under the first.
void PieceJudge::compare(std::size_t made) {
  const auto cases = std::span(cases_).first(made);
  const auto is_second = [](const Part& part) { return part.turn == Turn::kSecond; };
  const bool has_differed = ask(cases, Turn::kFirst);
  times_.compared += made * parts_.size();
  if (std::ranges::none_of(parts_, is_second)) return;
  choose_hanging(made, has_differed);
  (void)ask(hanging_, Turn::kSecond);
  for (Part& part : parts_) {
    if (is_second(part)) part.report.add_equal(made - hanging_.size());
  }
  times_.judged_twice += made;
  times_.hanging += hanging_.size();
}

/// Of the cases that were just asked; all where one has differed.
void PieceJudge::choose_hanging(std::size_t made, bool has_differed) {
  const double begin = cpu_seconds();
  const ElementFormat& format = *parts_[0].shard.function.format;
  hanging_.clear();
  for (std::size_t i = 0; i < made; ++i) {
    if (has_differed || machine_.has_tininess_read(i) || exact_.has_tininess_read(i, format)) {
      hanging_.push_back(cases_[i]);
    }
  }
  times_.ours += cpu_seconds() - begin;
}

/// Asks the parts whose turn it is. Did anything differ?
bool PieceJudge::ask(std::span<const FusedOperands> cases, Turn turn) {
  if (cases.empty()) return false;
  const auto theirs_of = [&](std::size_t k) {
    return std::span(theirs_).subspan(k * cases.size(), cases.size());
  };
  const double begin = cpu_seconds();
  machine_.take(cases);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const TestfloatShard& shard = parts_[k].shard;
    if (parts_[k].turn == turn) {
      machine_.answer({shard.mode.rounding, shard.tininess}, theirs_of(k));
    }
  }
  const double answered = cpu_seconds();
  fuse_each(*parts_[0].shard.function.format, cases, exact_);
  bool has_differed = false;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (parts_[k].turn == turn) has_differed |= judge_part(parts_[k], cases, theirs_of(k));
  }
  times_.theirs += answered - begin;
  times_.ours += cpu_seconds() - answered;
  return has_differed;
}

bool PieceJudge::judge_part(Part& part, std::span<const FusedOperands> cases,
                            std::span<const TestfloatAnswer> theirs) {
  const TestfloatModel& model = part.model.whole();
  const auto ours = std::span(ours_).first(cases.size());
  part.model.answer(exact_, ours);
  std::uint64_t differed = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (agrees(model, cases[i], ours[i], theirs[i])) continue;
    part.report.check(false, [&] { return text_of(model, cases[i], theirs[i], ours[i]); });
    ++differed;
  }
  part.report.add_equal(cases.size() - differed);
  return differed != 0;
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

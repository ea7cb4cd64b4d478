// A fused multiply-add judged in pieces: a range of cases, made once and asked in every shard.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "tests/external/judges/verdict.hpp"
#include "tests/external/testfloat/linked/fused.hpp"
#include "tests/external/testfloat/shards.hpp"

namespace mx::external {

/// CPU time of the parts of a judgement, in seconds, and over how many cases.
struct PieceTimes {
  double making = 0;
  double theirs = 0;
  double ours = 0;
  std::uint64_t made = 0;
  std::uint64_t compared = 0;      ///< in all shards
  std::uint64_t judged_twice = 0;  ///< cases, under both rules of tininess
  std::uint64_t hanging = 0;       ///< those of them that were asked under the second rule too
};

/// Goes through the machine's cases from the first to the last, forwards only.
class PieceJudge {
 public:
  PieceJudge(FusedMachine& machine, std::span<const TestfloatShard> shards, const Options& options);

  /// Lets so many cases go by: the first ones in a leap where the generator's place after them is
  /// known.
  void skip(std::uint64_t cases, std::string_view place = {});
  /// Judges the next cases in every shard and prints a line for each, and the generator's place. A
  /// generator that ends before them, or does not end with its last announced case, is a mismatch
  /// of every shard.
  void judge(std::uint64_t cases, std::ostream& out);
  /// Every shard has differed so often that there is nothing more to learn.
  [[nodiscard]] bool has_seen_enough() const;
  /// Nothing is left, or what ought to be is not.
  [[nodiscard]] bool is_over() const { return is_broken_ || at_ == machine_.announced(); }

  void add_to(Verdict& verdict) const;
  [[nodiscard]] const PieceTimes& times() const { return times_; }

 private:
  /// Of the shards with a rounding the first is under one rule of tininess, the second, if any,
  /// under the other.
  enum class Turn : std::uint8_t { kFirst, kSecond };

  struct Part {
    TestfloatShard shard;
    FusedModel model;
    Turn turn = Turn::kFirst;
    oracle::Report report;
  };

  [[nodiscard]] std::size_t make(std::uint64_t wanted);
  void compare(std::size_t made);
  void choose_hanging(std::size_t made, bool has_differed);
  [[nodiscard]] bool ask(std::span<const FusedOperands> cases, Turn turn);
  [[nodiscard]] bool judge_part(Part& part, std::span<const FusedOperands> cases,
                                std::span<const TestfloatAnswer> theirs);
  void break_all(const std::string& why);
  void check_count(std::uint64_t last);

  FusedMachine& machine_;
  std::vector<Part> parts_;
  std::vector<FusedOperands> cases_;
  std::vector<FusedOperands> hanging_;  ///< those of them that hang on the rule of tininess
  std::vector<TestfloatAnswer> theirs_;
  std::vector<Encoded> ours_;
  FusedExact exact_;
  std::uint64_t at_ = 0;  ///< so many cases were made
  bool is_broken_ = false;
  PieceTimes times_;
};

}  // namespace mx::external

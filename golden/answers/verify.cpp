#include "golden/answers/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "golden/answers/verdict.hpp"
#include "golden/stimulus/named_set.hpp"
#include "golden/vectors/protocol.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kPiece = 8192;

class Verifier {
 public:
  Verifier(const VectorHeader& header, std::span<const AnswererFactory> answerers,
           const ForEachPiece& for_each_piece)
      : header_(header),
        answerers_(answerers),
        for_each_piece_(for_each_piece),
        lines_(header.shape()),
        set_(header) {
    verdict_.set_is_checked = set_.is_checked();
    refuse_set(set_.count_problem());
  }

  void judge(const RecordBatch& golden) {
    std::vector<char> wrong(golden.size());
    for (const AnswererFactory& make : answerers_) judge_by(make, golden, wrong);
    judge_open(golden, wrong);
    refuse_set(set_.operand_problem(golden, verdict_.count));
    verdict_.disagreed +=
        static_cast<std::uint64_t>(std::ranges::count(wrong, static_cast<char>(1)));
    verdict_.count += golden.size();
  }
  [[nodiscard]] GoldenVerdict& verdict() { return verdict_; }

 private:
  /// A set that is not what its name says is wrong as a whole, whatever its answers are.
  void refuse_set(const std::string& problem) {
    if (verdict_.set_problem.empty()) verdict_.set_problem = problem;
  }

  void judge_by(const AnswererFactory& make, const RecordBatch& golden, std::vector<char>& wrong) {
    RecordBatch judged = golden;
    // What the judge leaves alone must not look like an answer.
    for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
      for (std::uint64_t& word : judged.all(field)) word ^= 1;
    }
    for_each_piece_(golden.size(), [&](std::size_t first, std::size_t last) {
      make(header_)->answer(judged, first, last);
    });
    if (same_answers(golden, judged)) return;
    for (std::size_t i = 0; i < golden.size(); ++i) {
      if (same_answer(golden, judged, i)) continue;
      note(golden, i, fmt::format("{} {}", make(header_)->name(), lines_.results(judged, i)),
           wrong);
    }
  }

  void judge_open(const RecordBatch& golden, std::vector<char>& wrong) {
    if (!golden.has(Field::kOpen)) return;
    const ReferenceAnswerer reference(header_);
    std::vector<std::uint64_t> words(golden.lanes(Field::kOpen));
    for (std::size_t i = 0; i < golden.size(); ++i) {
      const OpenAnswer open = reference.open(golden, i);
      store_open(open, words);
      if (open.by_profile()) ++verdict_.open;
      if (!std::ranges::equal(words, golden.of(Field::kOpen, i))) {
        note(golden, i, "the field open is not what the profile leaves open", wrong);
      }
    }
  }

  void note(const RecordBatch& golden, std::size_t i, const std::string& why,
            std::vector<char>& wrong) {
    wrong[i] = 1;
    if (!verdict_.first.empty()) return;
    verdict_.first = fmt::format("vector {}: operands {}\n  golden {}\n  {}\n", verdict_.count + i,
                                 lines_.operands(golden, i), lines_.results(golden, i), why);
  }

  const VectorHeader& header_;
  std::span<const AnswererFactory> answerers_;
  const ForEachPiece& for_each_piece_;
  RecordLines lines_;
  NamedSet set_;
  GoldenVerdict verdict_;
};

}  // namespace

GoldenVerdict verify_goldens(VectorReader& reader, std::span<const AnswererFactory> answerers,
                             const ForEachPiece& for_each_piece) {
  Verifier verifier(reader.header(), answerers, for_each_piece);
  RecordBatch batch;
  while (reader.read(batch, kPiece) != 0) verifier.judge(batch);
  verifier.verdict().digests = reader.digests();
  return verifier.verdict();
}

}  // namespace mx::golden

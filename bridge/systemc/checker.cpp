#include "mxgold_systemc/checker.hpp"

#include <algorithm>
#include <utility>

namespace mxgold {
namespace {

std::string hex(std::uint64_t value, int digits) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = digits - 1; i >= 0; --i) text += kDigits[value >> (4 * i) & 15];
  return text;
}

/// Texts of what differs, "; " between.
class Differences {
 public:
  void see(const std::string& what, std::uint64_t got, std::uint64_t wanted, int digits) {
    if (got == wanted) return;
    add(what + ": " + hex(got, digits) + ", expected " + hex(wanted, digits));
  }
  void add(const std::string& what) {
    if (count_++ < kShown) text_ += (text_.empty() ? "" : "; ") + what;
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::string text() const {
    return count_ <= kShown ? text_ : text_ + "; " + std::to_string(count_ - kShown) + " more";
  }

 private:
  static constexpr std::size_t kShown = 4;
  std::size_t count_ = 0;
  std::string text_;
};

}  // namespace

const char* text_of(Difference difference) {
  switch (difference) {
    case Difference::kValue:
      return "wrong";
    case Difference::kUnknown:
      return "unknown (X or Z)";
    case Difference::kLost:
      return "lost";
    case Difference::kExtra:
      return "extra";
    case Difference::kRandom:
      return "without random words";
    case Difference::kProtocol:
      return "protocol";
    case Difference::kGolden:
      return "file and model differ";
    case Difference::kIllegal:
      return "illegal configuration";
  }
  return "";
}

QuantizerChecker::QuantizerChecker(std::string name, const Build& build)
    : name_(std::move(name)), build_(build), models_(build) {}

void QuantizerChecker::note(Difference difference, std::uint64_t block, std::string text) {
  ++differences_;
  if (mismatches_.size() < kKept) mismatches_.push_back({difference, block, std::move(text)});
}

void QuantizerChecker::on_reset() {
  for (const Pending& each : pending_) counts_.discarded += each.is_whole ? 1U : 0U;
  pending_.clear();
}

void QuantizerChecker::on_in(const BeatIn& beat) {
  if (pending_.empty() || pending_.back().is_whole) {
    pending_.emplace_back();
    pending_.back().block.word = beat.tuser;
  }
  Pending& pending = pending_.back();
  const auto lanes = static_cast<std::size_t>(build_.lanes);
  const std::size_t first = lanes * static_cast<std::size_t>(pending.beats);
  for (std::size_t i = 0; i < lanes; ++i) pending.block.source[first + i] = beat.source[i];
  pending.block.keep |= std::uint64_t{beat.keep} << first;
  pending.last.push_back(beat.last);
  ++pending.beats;
  pending.is_whole = pending.beats == build_.beats() || beat.last;
  if (pending.is_whole) ++counts_.offered;
}

void QuantizerChecker::on_random(const BeatRandom& random) {
  const auto awaits = [](const Pending& each) { return each.random < each.beats; };
  const auto pending = std::find_if(pending_.begin(), pending_.end(), awaits);
  if (pending == pending_.end()) {
    return note(Difference::kRandom, counts_.answered, "a word is taken that no block awaits");
  }
  const auto lanes = static_cast<std::size_t>(build_.lanes);
  const std::size_t first = lanes * static_cast<std::size_t>(pending->random++);
  for (std::size_t i = 0; i < lanes; ++i) pending->block.random[first + i] = random[i];
}

void QuantizerChecker::on_out(const BeatOut& beat, const std::string& unknown) {
  if (pending_.empty() || !pending_.front().is_whole) {
    return note(Difference::kExtra, counts_.answered,
                "an answer comes out although no block is inside");
  }
  Pending& pending = pending_.front();
  if (pending.random <= pending.answered) {
    note(Difference::kRandom, counts_.answered, "an answer comes out before its random words");
    pending.is_wrong = true;
  }
  compare(pending, beat, unknown);
  for (std::size_t i = 0; i < static_cast<std::size_t>(build_.lanes); ++i) {
    pending.codes.push_back(beat.codes[i]);
  }
  if (++pending.answered < pending.beats) return;
  answered(pending, beat);
  pending_.pop_front();
}

void QuantizerChecker::compare(Pending& pending, const BeatOut& beat, const std::string& unknown) {
  const std::string place =
      build_.beats() == 1 ? "" : "beat " + std::to_string(pending.answered) + ": ";
  if (!unknown.empty()) {
    note(Difference::kUnknown, counts_.answered, place + unknown);
    pending.is_wrong = true;
  }
  BlockModel* const model = models_.find(pending.block.word);
  if (model == nullptr) {
    note(Difference::kIllegal, counts_.answered,
         "tuser " + hex(pending.block.word, 8) + ": " + models_.problem());
    pending.is_wrong = true;
    return;
  }
  const auto lanes = static_cast<std::size_t>(build_.lanes);
  std::array<std::uint8_t, kMaxBeatLanes + 2> open{};
  BeatOut right;
  // The next block may be asked of this model before the next beat of this one.
  pending.block.is_answered = false;
  model->answer(build_, pending.block, pending.answered, right, open.data());
  if (compares_open_) open.fill(0);
  Differences found;
  found.see("keep", beat.keep, right.keep, static_cast<int>(lanes + 3) / 4);
  found.see("last", beat.last ? 1 : 0,
            pending.last[static_cast<std::size_t>(pending.answered)] ? 1 : 0, 1);
  std::uint64_t words = 2;
  std::uint64_t left = 0;
  const auto see = [&](std::size_t at, const std::string& what, unsigned got, unsigned wanted) {
    if (open[at] != 0) {
      ++left;
      return;
    }
    ++words;
    found.see(what, got, wanted, 2);
  };
  see(lanes, "scale", beat.user & 0xFFU, right.user & 0xFFU);
  see(lanes + 1, "flags", beat.user >> 8U, right.user >> 8U);
  const auto first = lanes * static_cast<std::size_t>(pending.answered);
  for (std::size_t i = 0; i < lanes; ++i) {
    see(i, "code[" + std::to_string(first + i) + "]", beat.codes[i], right.codes[i]);
  }
  counts_.words += words;
  counts_.open += left;
  pending.words += words - 2;
  if (found.empty() || !unknown.empty()) return;
  see_shift(beat);
  note(Difference::kValue, counts_.answered, place + found.text());
  pending.is_wrong = true;
}

// Is a wrong answer the one to the next block? Then this block's is lost; told once.
void QuantizerChecker::see_shift(const BeatOut& beat) {
  if (is_shifted_ || build_.beats() != 1 || pending_.size() < 2) return;
  Pending& next = pending_[1];
  BlockModel* const model = models_.find(next.block.word);
  if (model == nullptr) return;
  BeatOut right;
  next.block.is_answered = false;
  model->answer(build_, next.block, 0, right, nullptr);
  if (right.codes != beat.codes || right.user != beat.user || right.keep != beat.keep) return;
  is_shifted_ = true;
  note(Difference::kLost, counts_.answered,
       "its answer never came: from here on answers are those to the next block");
}

void QuantizerChecker::answered(Pending& pending, const BeatOut& beat) {
  if (golden_ != nullptr) compare_golden(pending, beat.user);
  pending.codes.resize(static_cast<std::size_t>(build_.block_size), 0);
  digest_.add(pending.codes.data(), build_.block_size, beat.user);
  counts_.compared += pending.words != 0 ? 1U : 0U;
  counts_.wrong += pending.is_wrong ? 1U : 0U;
  ++counts_.answered;
}

// What leaves is right by the model where nothing was noted; so a difference is the file's.
void QuantizerChecker::compare_golden(const Pending& pending, std::uint16_t user) {
  if (counts_.answered >= golden_->vectors.size()) {
    return note(Difference::kExtra, counts_.answered, "more answers than the file has vectors");
  }
  const BlockVector& vector = golden_->vectors[counts_.answered];
  const auto is_open = [&](std::size_t i) { return i < vector.open.size() && vector.open[i] != 0; };
  Differences found;
  const std::size_t lanes = vector.codes.size();
  if (!is_open(lanes)) found.see("scale", vector.user & 0xFFU, user & 0xFFU, 2);
  if (!is_open(lanes + 1)) found.see("flags", vector.user >> 8U, user >> 8U, 2);
  for (std::size_t i = 0; i < lanes && i < pending.codes.size(); ++i) {
    if (is_open(i)) continue;
    found.see("code[" + std::to_string(i) + "]", vector.codes[i], pending.codes[i], 2);
  }
  if (found.empty() || pending.is_wrong) return;
  note(Difference::kGolden, counts_.answered, golden_->name + ": " + found.text());
}

void QuantizerChecker::on_unknown(const std::string& pin) {
  note(Difference::kUnknown, counts_.answered, pin + " is X or Z");
}

void QuantizerChecker::on_broken(const std::string& what) {
  note(Difference::kProtocol, counts_.answered, what);
}

void QuantizerChecker::finish() {
  if (is_finished_) return;
  is_finished_ = true;
  // What is lost explains what follows it, so it stands before the differences.
  std::vector<Mismatch> ends;
  const auto end = [&](Difference difference, std::string text) {
    ++differences_;
    ends.push_back({difference, counts_.answered, std::move(text)});
  };
  if (!pending_.empty()) {
    end(Difference::kLost, std::to_string(pending_.size()) + " of " +
                               std::to_string(counts_.offered) + " blocks have no answer");
  }
  if (golden_ != nullptr && counts_.offered - counts_.discarded != golden_->vectors.size()) {
    end(Difference::kLost, std::to_string(counts_.offered - counts_.discarded) + " of " +
                               std::to_string(golden_->vectors.size()) + " vectors of " +
                               golden_->name + " entered");
  }
  if (golden_ != nullptr && !golden_->damage.empty()) end(Difference::kGolden, golden_->damage);
  mismatches_.insert(mismatches_.begin(), ends.begin(), ends.end());
  if (pending_.empty() && counts_.answered != 0) digest_text_ = digest_.finish();
}

bool QuantizerChecker::passed() const {
  return is_finished_ && differences_ == 0 && counts_.compared != 0;
}

std::string QuantizerChecker::report() const {
  const std::string counts =
      std::to_string(counts_.answered - counts_.wrong) + "/" + std::to_string(counts_.offered) +
      " blocks; " + std::to_string(counts_.words) + " words compared, " +
      std::to_string(counts_.open) + " open, " + std::to_string(counts_.discarded) +
      " blocks discarded by resets, " + std::to_string(counts_.answered - counts_.compared) +
      " without a compared word";
  const char* const head = differences_ != 0       ? "FAIL "
                           : counts_.compared == 0 ? "NOTHING COMPARED "
                           : is_finished_          ? "PASS "
                                                   : "UNFINISHED ";
  std::string text =
      name_ + ": " + head + counts + "\n" + name_ + ": digest " + digest_text_ + "\n";
  for (const Mismatch& each : mismatches_) {
    text += name_ + ": block " + std::to_string(each.block) + ": " + text_of(each.difference) +
            ": " + each.text + "\n";
  }
  if (differences_ > mismatches_.size()) {
    text += name_ + ": " + std::to_string(differences_ - mismatches_.size()) + " more\n";
  }
  return text;
}

}  // namespace mxgold

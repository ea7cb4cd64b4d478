#include "sim/record/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "golden/bytes/number_text.hpp"
#include "golden/bytes/sha256.hpp"
#include "golden/configuration/judged_by.hpp"
#include "golden/vectors/record_codec.hpp"
#include "sim/dut/dut.hpp"
#include "sim/judge/shift.hpp"
#include "sim/record/interrupt.hpp"

namespace mx::sim {
namespace {

using golden::RecordBatch;

constexpr std::uint64_t kPieceLanes = 32768;
/// Right answers kept of each configuration, and their lanes in all: what rules out causes.
constexpr std::uint64_t kRights = 8;
constexpr std::size_t kRightLanes = 65536;

/// Records with the answers that are expected, that the reference gives, and that the device gave.
struct Answers {
  RecordBatch expected, own, actual;
};

/// Is the answer in record i the one expected in record j, in every word compared there?
bool is_answer_to(const RecordBatch& expected, std::size_t j, const golden::OpenAnswer& open,
                  const RecordBatch& actual, std::size_t i) {
  using golden::Field;
  for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
    const auto right = expected.of(field, j);
    const auto given = actual.of(field, i);
    for (std::size_t lane = 0; lane < right.size(); ++lane) {
      if (golden::is_wrong(expected, open, field, lane, right[lane], given[lane])) return false;
    }
  }
  return true;
}

class Runner {
 public:
  Runner(const golden::VectorHeader& header, const RecordInput& input,
         const RecordRunOptions& options)
      : header_(header),
        input_(input),
        options_(options),
        codec_(header.shape()),
        reference_(header),
        piece_(std::max<std::uint64_t>(1, kPieceLanes / static_cast<std::uint64_t>(header.lanes))) {
    result_.declared = header.count;
    result_.waivers = options.waivers;
    result_.by_config.resize(header.configs.size());
    if (options.judge == Judge::kReference) return;
    certificates_.emplace(header, options.make_certificate);
    result_.certificates.emplace();
  }

  RecordRun run(RecordDevice& device) {
    start_ = std::chrono::steady_clock::now();
    try {
      device.run(
          header_,
          [&](RecordBatch& batch) {
            if (is_over()) throw DutError(over_text(device.name()));
            return next(batch);
          },
          [&](const RecordBatch& batch) { take(batch); });
    } catch (const DutError& error) {
      result_.protocol = error.what();
    } catch (const Interrupted& interrupted) {
      result_.interrupted = interrupted.signal();
    }
    result_.shift = shift_.text("record");
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (result_.interrupted != 0) return std::move(result_);
    if (result_.protocol.empty() && is_over()) result_.protocol = over_text(device.name());
    if (result_.protocol.empty() && result_.verdict.vectors != header_.count) {
      result_.protocol = fmt::format("{}: {} of {} records answered", device.name(),
                                     result_.verdict.vectors, header_.count);
    }
    if (result_.protocol.empty()) result_.digest = golden::to_hex(digest_.finish());
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_over() const {
    return std::chrono::steady_clock::now() - start_ > options_.time_limit;
  }

  static std::string over_text(std::string_view device) {
    return fmt::format("{}: the time limit is over", device);
  }

  bool next(RecordBatch& batch) {
    if (offered_ == header_.count) return false;
    const std::uint64_t first = options_.first + offered_;
    const std::uint64_t n = std::min(piece_, header_.count - offered_);
    input_.fill(first, first + n, batch);
    if (!input_.has_answers && batch.has(golden::Field::kOpen)) {
      answer(batch, golden::reference_answerer());
      golden::fill_open(reference_, batch);
    }
    offered_ += n;
    // The device must not see what is expected.
    clear_results(batch);
    return true;
  }

  static void clear_results(RecordBatch& batch) {
    for (const golden::Field field :
         {golden::Field::kScale, golden::Field::kCode, golden::Field::kFlags}) {
      std::ranges::fill(batch.all(field), 0);
    }
  }

  void take(const RecordBatch& actual) {
    if (actual.empty()) return;
    const std::uint64_t first = options_.first + result_.verdict.vectors;
    Answers now;
    now.actual = actual;
    RecordBatch& expected = now.expected;
    RecordBatch& own = now.own;
    input_.fill(first, first + actual.size(), expected);
    own = expected;
    answer(own, golden::reference_answerer());
    if (!input_.has_answers) expected = own;
    std::vector<RecordBatch> others;
    if (!input_.has_answers) {
      for (const golden::AnswererFactory& judge : options_.judges) {
        others.push_back(expected);
        answer(others.back(), judge);
      }
    }
    for (std::size_t i = 0; i < actual.size(); ++i) {
      // What is open follows from the reference's own answer, whoever says what is expected.
      const golden::OpenAnswer open = open_of(own, i);
      if (certificates_) ask_certificates(own, expected, i, open, first + i);
      const bool is_right = check(expected, others, actual, i, first + i, open);
      see_shift(now, i, first + i, open, is_right);
    }
    keep_last(now);
    add_digest(actual);
    if (options_.progress) options_.progress(actual.size());
  }

  void ask_certificates(const RecordBatch& own, const RecordBatch& expected, std::size_t i,
                        const golden::OpenAnswer& open, std::uint64_t number) {
    std::vector<RecordDisagreement> found;
    certificates_->check(own, expected, i, open, number, *result_.certificates, found);
    result_.disagreed += found.size();
    for (RecordDisagreement& each : found) {
      if (result_.disagreements.size() == options_.keep_mismatches) break;
      result_.disagreements.push_back(std::move(each));
    }
  }

  void answer(RecordBatch& batch, const golden::AnswererFactory& make) const {
    clear_results(batch);
    options_.for_each_piece(batch.size(), [&](std::size_t first, std::size_t last) {
      make(header_)->answer(batch, first, last);
    });
  }

  [[nodiscard]] golden::OpenAnswer open_of(const RecordBatch& own, std::size_t i) const {
    golden::OpenAnswer open = reference_.open(own, i);
    open.observed = options_.observed;
    return open;
  }

  /// Is the answer right?
  bool check(const RecordBatch& expected, const std::vector<RecordBatch>& others,
             const RecordBatch& actual, std::size_t i, std::uint64_t number,
             const golden::OpenAnswer& open) {
    golden::Verdict verdict;
    const RecordBatch* wrong_by =
        golden::compare_answer(expected, actual, i, open, verdict) ? nullptr : &expected;
    golden::Waivers& waivers = result_.waivers;
    const golden::AnswerAt at{expected, actual, i, open, number};
    if (wrong_by == nullptr) waivers.see_right(at);
    if (wrong_by != nullptr && waivers.waive(at, verdict)) wrong_by = nullptr;
    waivers.take_unjudged(at, verdict);
    for (const RecordBatch& other : others) {
      golden::Verdict ignored;
      if (wrong_by != nullptr || golden::compare_answer(other, actual, i, open, ignored) ||
          waivers.covers({other, actual, i, open, number})) {
        continue;
      }
      wrong_by = &other;
      verdict.mismatches = 1;
    }
    result_.verdict += verdict;
    result_.by_config[actual.config(i)] += verdict;
    const auto noted = [&](const RecordBatch& answer) {
      RecordMismatch note{number, RecordBatch(codec_.shape()), RecordBatch(codec_.shape()), open};
      note.expected.append(answer, i, i + 1);
      note.actual.append(actual, i, i + 1);
      return note;
    };
    if (wrong_by == nullptr) {
      const std::uint64_t before = result_.by_config[actual.config(i)].vectors;
      const auto lanes = static_cast<std::size_t>(header_.lanes);
      const bool has_room = (result_.right.size() + 1) * lanes <= kRightLanes;
      // What a waiver covers is not right, and would speak against the causes of the rest.
      const bool is_kept = verdict.judged() != 0 && verdict.waived == 0 && before <= kRights;
      if (is_kept && has_room) result_.right.push_back(noted(expected));
      return true;
    }
    const bool is_first = result_.by_config[actual.config(i)].mismatches == 1;
    const bool is_kept = result_.mismatches.size() < options_.keep_mismatches;
    if (!is_first && !is_kept) return false;
    RecordMismatch mismatch = noted(*wrong_by);
    if (is_first) result_.first_of_each.push_back(mismatch);
    if (is_kept) result_.mismatches.push_back(std::move(mismatch));
    return false;
  }

  void see_shift(const Answers& now, std::size_t i, std::uint64_t number,
                 const golden::OpenAnswer& open, bool is_right) {
    const Answers& before = i == 0 ? last_ : now;
    const std::size_t k = i == 0 ? 0 : i - 1;
    const bool is_quiet = is_right && shift_.is_quiet();
    if (is_quiet || before.actual.empty()) return shift_.see(number, is_right, false, false);
    const bool is_previous =
        is_answer_to(before.expected, k, open_of(before.own, k), now.actual, i);
    shift_.see(number, is_right, is_previous,
               is_answer_to(now.expected, i, open, before.actual, k));
  }

  void keep_last(const Answers& now) {
    for (const auto part : {&Answers::expected, &Answers::own, &Answers::actual}) {
      last_.*part = RecordBatch(codec_.shape());
      (last_.*part).append(now.*part, now.actual.size() - 1, now.actual.size());
    }
  }

  void add_digest(const RecordBatch& actual) {
    const std::size_t operands = codec_.operand_bytes();
    packed_.resize(actual.size() * codec_.record_bytes());
    codec_.pack(storable(actual), 0, actual.size(), packed_.data());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      digest_.update(std::span(packed_).subspan(i * codec_.record_bytes() + operands,
                                                codec_.record_bytes() - operands));
    }
  }

  /// Words that are no codes, as the bits that a record has room for.
  [[nodiscard]] RecordBatch storable(RecordBatch batch) const {
    for (const golden::FieldShape& each : codec_.shape().fields) {
      if (!golden::is_result(each.field) || each.bytes == 8) continue;
      const std::uint64_t most = (std::uint64_t{1} << (8 * each.bytes)) - 1;
      for (std::uint64_t& word : batch.all(each.field)) word = std::min(word, most);
    }
    return batch;
  }

  const golden::VectorHeader& header_;
  const RecordInput& input_;
  const RecordRunOptions& options_;
  golden::RecordCodec codec_;
  golden::ReferenceAnswerer reference_;
  std::optional<RecordCertificates> certificates_;
  std::uint64_t piece_;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t offered_ = 0;
  RecordRun result_;
  ShiftFinder shift_;
  Answers last_;
  golden::Sha256 digest_;
  std::vector<std::byte> packed_;
};

}  // namespace

int RecordRun::exit_code() const {
  constexpr int kByASignal = 128;  // as shells say it
  if (interrupted != 0) return kByASignal + interrupted;
  const bool is_nothing = protocol.empty() && verdict.judged() == 0;
  if (disagreed != 0 && !is_nothing) return 6;
  if (!protocol.empty()) return 4;
  if (verdict.mismatches != 0) return 1;
  if (verdict.judged() == 0) return 3;
  return waivers.has_failed() ? 1 : 0;
}

const RecordMismatch* RecordRun::first_of(std::size_t config) const {
  const auto found = std::ranges::find(
      first_of_each, config, [](const RecordMismatch& m) { return m.expected.config(0); });
  return found == first_of_each.end() ? nullptr : &*found;
}

RecordRun run_records(const golden::VectorHeader& header, const RecordInput& input,
                      RecordDevice& device, const RecordRunOptions& options) {
  return Runner(header, input, options).run(device);
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
  if (run.certificates) coverage += "; " + text_of(*run.certificates);
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
  if (!run.protocol.empty()) return fmt::format("FAIL protocol: {}; {}", run.protocol, counts);
  const double rate = static_cast<double>(run.verdict.vectors) / 1e6 / std::max(run.seconds, 1e-9);
  return fmt::format(
      "{} records, {} configurations; {}; {}; {:.1f} s, {:.2f} M records/s; sha256:{}\n",
      run.waivers.headline(run.verdict), header.configs.size(), what, coverage, run.seconds, rate,
      run.digest);
}

}  // namespace mx::sim

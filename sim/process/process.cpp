#include "sim/process/process.hpp"

#include <fmt/format.h>

#include <deque>
#include <optional>
#include <vector>

#include "golden/vectors/protocol.hpp"
#include "sim/dut/dut.hpp"
#include "sim/dut/kind.hpp"
#include "sim/process/child.hpp"
#include "sim/record/interrupt.hpp"

namespace mx::sim {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kWriteAhead = std::size_t{1} << 18;  // bytes waiting for the pipe

std::string excerpt(std::string_view line) {
  constexpr std::size_t kShown = 60;
  std::string text;
  for (const char c : line.substr(0, kShown)) text += c >= ' ' && c <= '~' ? c : '?';
  return line.size() > kShown ? text + "..." : text;
}

}  // namespace

// One life of the program, from its start to the last answer.
class ProcessDevice::Conversation {
 public:
  Conversation(const ProcessOptions& options, const golden::VectorHeader& header,
               const NextRecords& next, const TakeAnswers& take)
      : options_(options),
        next_(next),
        take_(take),
        count_(header.count),
        shape_(header.shape()),
        lines_(shape_),
        longest_line_(golden::RecordCodec(header.shape()).line_chars(golden::Part::kResults) +
                      kSlack),
        child_(options.command, options.channel),
        out_(golden::protocol_header(header)),
        composed_(out_.size()) {}

  void run() {
    try {
      converse();
    } catch (const DutError&) {
      take_rest();
      throw;
    } catch (const Interrupted&) {
      take_rest();
      throw;
    }
  }

 private:
  struct Sent {
    golden::RecordBatch batch;
    std::vector<std::uint64_t> starts;  ///< of the records' lines in all that is written
    std::size_t answered = 0;
  };

  void converse() {
    while (answered_ < count_) {
      if (!at_end_ && out_.size() < kWriteAhead) send_more();
      const bool waits = out_.empty() || at_end_ || out_.size() >= kWriteAhead;
      pump(waits ? milliseconds(20) : milliseconds(0));
    }
    finish();
  }

  /// What was answered of a batch counts too.
  void take_rest() {
    if (in_flight_.empty() || in_flight_.front().answered == 0) return;
    const Sent& sent = in_flight_.front();
    golden::RecordBatch answered(shape_);
    answered.append(sent.batch, 0, sent.answered);
    in_flight_.clear();
    take_(answered);
  }

  void send_more() {
    golden::RecordBatch batch;
    if (!next_(batch)) {
      at_end_ = true;
      return;
    }
    std::vector<std::uint64_t> starts;
    starts.reserve(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      starts.push_back(composed_);
      const std::size_t before = out_.size();
      lines_.append_operands(batch, i, out_);
      composed_ += out_.size() - before;
    }
    in_flight_.push_back({std::move(batch), std::move(starts), 0});
  }

  void pump(milliseconds patience) {
    check_interrupt();
    const std::size_t before = out_.size();
    child_.exchange(out_, in_, patience);
    if (at_end_ && out_.empty() && child_.input_open()) child_.close_input();
    if (out_.size() != before) last_move_ = std::chrono::steady_clock::now();
    take_lines();
    watch();
  }

  /// What the program says beside its answers is no progress.
  void watch() {
    const milliseconds time_out = patience_now();
    const auto now = std::chrono::steady_clock::now();
    if (now - start_ > options_.time_limit) fail("is not done: the time limit is over");
    if (now - last_move_ <= time_out) return;
    if (answered_ == 0) {
      fail(fmt::format("gave no first answer for {} ms (time-out of the start)", time_out.count()));
    }
    fail(fmt::format("gave no answer for {} ms (time-out)", time_out.count()));
  }

  [[nodiscard]] milliseconds patience_now() const {
    return answered_ == 0 ? options_.start_time_out.value_or(options_.time_out) : options_.time_out;
  }

  void take_lines() {
    std::size_t start = 0;
    for (std::size_t end = in_.find('\n', scanned_); end != std::string::npos;
         end = in_.find('\n', start)) {
      const std::string_view line = std::string_view(in_).substr(start, end - start);
      if (line.starts_with(options_.answer_prefix)) {
        take_line(line.substr(options_.answer_prefix.size()));
      } else {
        child_.log(std::string(line) + '\n');
      }
      start = end + 1;
    }
    in_.erase(0, start);
    scanned_ = in_.size();
    if (in_.size() > longest_line_) {
      fail(fmt::format("answers with a line without end: '{}'", excerpt(in_)));
    }
    if (answered_ < count_ && child_.output_ended()) fail_ended();
  }

  /// What a program needs that also prints lines of its own.
  [[nodiscard]] std::string_view remedy() const {
    if (!options_.answer_prefix.empty() || options_.channel != Channel::kStdio) return "";
    return "; a program that prints other lines too needs --answer-prefix or --pipe fifo";
  }

  void take_line(std::string_view line) {
    if (options_.speaks_of_itself && line.starts_with('!')) {
      throw DutError(fmt::format("{}: {}", options_.name, line.substr(1)));
    }
    if (options_.speaks_of_itself && line.starts_with('=')) {
      if (options_.hear && options_.hear(line.substr(1))) return;
      fail(fmt::format("says '{}', which is no count", excerpt(line)));
    }
    if (answered_ == count_) {
      fail(fmt::format("has more to say after the last answer: '{}'{}", excerpt(line), remedy()));
    }
    if (in_flight_.empty()) {
      fail(fmt::format("answers before it was asked: '{}'{}", excerpt(line), remedy()));
    }
    Sent& sent = in_flight_.front();
    const std::string problem =
        options_.speaks_of_itself ? parse_marked(line, sent) : parse(line, sent);
    if (!problem.empty()) {
      // A line with unknown bits is an answer, not talk.
      const bool is_answer = problem.ends_with(golden::kUnknownBits);
      fail(fmt::format("answer line {} '{}': {}{}", answered_ + 1, excerpt(line), problem,
                       is_answer ? "" : remedy()));
    }
    // Whoever answers has taken the beginning of the question out of the pipe, in whatever pieces.
    if (taken_ <= sent.starts[sent.answered]) taken_ = child_.taken();
    if (taken_ <= sent.starts[sent.answered]) {
      fail(fmt::format("answers before it was asked: '{}' (the question is still unread){}",
                       excerpt(line), remedy()));
    }
    ++answered_;
    last_move_ = std::chrono::steady_clock::now();
    if (++sent.answered < sent.batch.size()) return;
    take_(sent.batch);
    in_flight_.pop_front();
    last_move_ = std::chrono::steady_clock::now();
  }

  std::string parse(std::string_view line, Sent& sent) {
    if (options_.observed.has_all() || line.find('-') == std::string_view::npos) {
      return lines_.parse_results(line, sent.batch, sent.answered);
    }
    const std::string full = lines_.without_dashes(
        line, [this](golden::Field field) { return !options_.observed.has(field); });
    return lines_.parse_results(full, sent.batch, sent.answered);
  }

  /// An answer, some of whose words may be no codes.
  std::string parse_marked(std::string_view line, Sent& sent) {
    if (!line.starts_with('?')) return parse(line, sent);
    const std::size_t space = std::min(line.find(' '), line.size() - 1);
    std::string marks(line.substr(1, space - 1));
    std::string problem = parse(line.substr(space + 1), sent);
    if (!problem.empty()) return problem;
    marks += ',';
    for (std::size_t comma = 0; (comma = marks.find(',')) != std::string::npos;) {
      std::size_t word = std::stoul(marks.substr(0, comma));
      marks.erase(0, comma + 1);
      for (const golden::FieldShape& each : shape_.fields) {
        if (!golden::is_result(each.field)) continue;
        const auto lanes = static_cast<std::size_t>(each.lanes);
        if (word < lanes) {
          sent.batch.of(each.field, sent.answered)[word] = golden::kNoCode;
          break;
        }
        word -= lanes;
      }
    }
    return {};
  }

  void finish() {
    if (child_.input_open()) child_.close_input();
    while (!child_.output_ended()) pump(milliseconds(20));
    if (!in_.empty() && options_.answer_prefix.empty()) take_line(in_);
    if (!in_.empty()) child_.log(in_ + '\n');
    const auto deadline = std::chrono::steady_clock::now() + options_.time_out;
    std::optional<std::string> end;
    while (!(end = child_.wait(milliseconds(20)))) {
      check_interrupt();
      if (std::chrono::steady_clock::now() < deadline) continue;
      fail(fmt::format("did not end within {} ms of its last answer", options_.time_out.count()));
    }
    if (!end->empty()) fail(fmt::format("answered everything, then ended with {}", *end));
  }

  [[noreturn]] void fail_ended() {
    const std::optional<std::string> end = child_.wait(milliseconds(500));
    const std::string how = !end           ? "closed its output"
                            : end->empty() ? "ended"
                                           : "died with " + *end;
    const std::string_view rest = in_.empty() ? "" : ", in the middle of a line";
    fail(fmt::format("{} after {} of {} answers{}", how, answered_, count_, rest));
  }

  [[noreturn]] void fail(std::string_view what) {
    const std::string words = child_.last_words();
    const std::string name =
        options_.name.empty() ? fmt::format("process '{}'", options_.command) : options_.name;
    throw DutError(
        fmt::format("{} {}{}", name, what, words.empty() ? "" : "; its last words: " + words));
  }

  static constexpr std::size_t kSlack = 1 << 16;

  const ProcessOptions& options_;
  const NextRecords& next_;
  const TakeAnswers& take_;
  std::uint64_t count_;
  golden::RecordShape shape_;
  golden::RecordLines lines_;
  std::size_t longest_line_;
  Child child_;
  std::string out_;
  std::uint64_t composed_;   ///< bytes of header and questions that were ever in out_
  std::uint64_t taken_ = 0;  ///< of them, those that the program is known to have read
  std::string in_;
  std::size_t scanned_ = 0;
  std::deque<Sent> in_flight_;
  bool at_end_ = false;
  std::uint64_t answered_ = 0;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_move_ = start_;
};

void ProcessDevice::run(const golden::VectorHeader& header, const NextRecords& next,
                        const TakeAnswers& take) {
  Conversation(options_, header, next, take).run();
}

DutKind process_dut() {
  return {.name = "process",
          .argument = ":COMMAND",
          .help = "a program of yours, see docs/howto/pipe.md",
          .is_program = true};
}

}  // namespace mx::sim

#include "sim/record/process.hpp"

#include <fmt/format.h>

#include <deque>
#include <optional>

#include "golden/vectors/protocol.hpp"
#include "sim/dut/dut.hpp"
#include "sim/dut/kind.hpp"
#include "sim/record/child.hpp"

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
        lines_(header.shape()),
        longest_line_(golden::RecordCodec(header.shape()).line_chars(golden::Part::kResults) +
                      kSlack),
        child_(options.command),
        out_(golden::protocol_header(header)) {}

  void run() {
    while (answered_ < count_) {
      if (!at_end_ && out_.size() < kWriteAhead) send_more();
      const bool waits = out_.empty() || at_end_ || out_.size() >= kWriteAhead;
      pump(waits ? milliseconds(20) : milliseconds(0));
      take_lines();
    }
    finish();
  }

 private:
  struct Sent {
    golden::RecordBatch batch;
    std::size_t answered = 0;
  };

  void send_more() {
    golden::RecordBatch batch;
    if (!next_(batch)) {
      at_end_ = true;
      return;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) lines_.append_operands(batch, i, out_);
    in_flight_.push_back({std::move(batch), 0});
  }

  void pump(milliseconds patience) {
    const std::size_t before = out_.size();
    const bool moved = child_.exchange(out_, in_, patience);
    if (at_end_ && out_.empty() && child_.input_open()) child_.close_input();
    const auto now = std::chrono::steady_clock::now();
    if (moved && (out_.size() != before || !in_.empty())) last_move_ = now;
    if (now - last_move_ > options_.time_out) {
      fail(fmt::format("gave no answer for {} ms (time-out)", wait_ms()));
    }
  }

  void take_lines() {
    std::size_t start = 0;
    for (std::size_t end = in_.find('\n', scanned_); end != std::string::npos;
         end = in_.find('\n', start)) {
      take_line(std::string_view(in_).substr(start, end - start));
      start = end + 1;
      if (answered_ == count_) break;
    }
    in_.erase(0, start);
    scanned_ = in_.size();
    if (answered_ == count_) scanned_ = 0;
    if (in_.size() > longest_line_) {
      fail(fmt::format("answers with a line without end: '{}'", excerpt(in_)));
    }
    if (answered_ < count_ && child_.output_ended()) fail_ended();
  }

  void take_line(std::string_view line) {
    if (in_flight_.empty()) {
      fail(fmt::format("answers before it was asked: '{}'", excerpt(line)));
    }
    Sent& sent = in_flight_.front();
    const std::string problem = parse(line, sent);
    if (!problem.empty()) {
      fail(fmt::format("answer line {} '{}': {}", answered_ + 1, excerpt(line), problem));
    }
    ++answered_;
    if (++sent.answered < sent.batch.size()) return;
    take_(sent.batch);
    in_flight_.pop_front();
  }

  std::string parse(std::string_view line, Sent& sent) {
    if (options_.observed.has_all() || line.find('-') == std::string_view::npos) {
      return lines_.parse_results(line, sent.batch, sent.answered);
    }
    const std::string full = lines_.without_dashes(
        line, [this](golden::Field field) { return !options_.observed.has(field); });
    return lines_.parse_results(full, sent.batch, sent.answered);
  }

  void finish() {
    if (child_.input_open()) child_.close_input();
    while (true) {
      if (!in_.empty()) {
        fail(fmt::format("has more to say after the last answer: '{}'", excerpt(in_)));
      }
      if (child_.output_ended()) break;
      pump(milliseconds(20));
    }
    const std::optional<std::string> end = child_.wait(options_.time_out);
    if (!end) fail(fmt::format("did not end within {} ms of its last answer", wait_ms()));
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

  [[noreturn]] void fail(std::string_view what) const {
    throw DutError(fmt::format("process '{}' {}", options_.command, what));
  }

  [[nodiscard]] long wait_ms() const { return static_cast<long>(options_.time_out.count()); }

  static constexpr std::size_t kSlack = 1 << 16;

  const ProcessOptions& options_;
  const NextRecords& next_;
  const TakeAnswers& take_;
  std::uint64_t count_;
  golden::RecordLines lines_;
  std::size_t longest_line_;
  Child child_;
  std::string out_;
  std::string in_;
  std::size_t scanned_ = 0;
  std::deque<Sent> in_flight_;
  bool at_end_ = false;
  std::uint64_t answered_ = 0;
  std::chrono::steady_clock::time_point last_move_ = std::chrono::steady_clock::now();
};

void ProcessDevice::run(const golden::VectorHeader& header, const NextRecords& next,
                        const TakeAnswers& take) {
  Conversation(options_, header, next, take).run();
}

DutKind process_dut() {
  return {.name = "process",
          .argument = ":COMMAND",
          .help = "a program of yours, see docs/plug-in-your-dut.md",
          .is_program = true};
}

}  // namespace mx::sim

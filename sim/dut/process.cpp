#include "sim/dut/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "golden/vectors/protocol.hpp"
#include "sim/dut/child.hpp"
#include "sim/dut/kind.hpp"

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

// One life of the program, from a reset to the last answer.
class ProcessDut::Conversation {
 public:
  Conversation(const ProcessOptions& options, std::uint64_t blocks)
      : options_(options), header_(options.header), child_(options.command) {
    header_.count = blocks;
    batch_.block_size = kLanes;
    batch_.random_words = header_.random_words;
    batch_.resize(1);
    out_ = golden::protocol_header(header_);
  }

  [[nodiscard]] bool accepts() const { return out_.size() < kWriteAhead; }

  void send(const BlockIn& block) {
    const std::uint64_t mask = header_.source.code_mask();
    batch_.config_word[0] = block.config_word;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const bool kept = (block.keep >> i & 1) != 0;
      batch_.source[i] = kept ? block.source[i] & mask : 0;
      if (!batch_.random.empty()) batch_.random[i] = block.random[i];
    }
    golden::append_operands(header_, batch_, 0, out_);
    in_flight_.push_back({block.keep, block.last});
  }

  void close_after_writing() { closing_ = true; }

  // The next answer if it is there; waits a little where there is nothing else to do.
  bool next(BlockOut& answer, bool idle) {
    if (take_line(answer)) return true;
    pump(idle && (out_.empty() || !in_flight_.empty()) ? milliseconds(20) : milliseconds(0));
    return take_line(answer);
  }

  void pop() {
    in_flight_.pop_front();
    line_ready_ = false;
    ++answered_;
  }

  void finish() {
    while (!child_.output_ended()) {
      pump(milliseconds(20));
      if (!in_.empty())
        fail(fmt::format("has more to say after the last answer: '{}'", excerpt(in_)));
    }
    const std::optional<std::string> end = child_.wait(options_.time_out);
    if (!end) fail(fmt::format("did not end within {} ms of its last answer", wait_ms()));
    if (!end->empty()) fail(fmt::format("answered everything, then ended with {}", *end));
  }

 private:
  struct Sent {
    std::uint32_t keep;
    bool last;
  };

  void pump(milliseconds patience) {
    const std::size_t before = out_.size();
    const bool moved = child_.exchange(out_, in_, patience);
    if (closing_ && out_.empty() && child_.input_open()) child_.close_input();
    const auto now = std::chrono::steady_clock::now();
    if (moved && (out_.size() != before || !in_.empty())) last_move_ = now;
    if (now - last_move_ > options_.time_out) {
      fail(fmt::format("gave no answer for {} ms (time-out)", wait_ms()));
    }
  }

  bool take_line(BlockOut& answer) {
    if (line_ready_) {
      answer = parsed_;
      return true;
    }
    if (in_flight_.empty()) {
      if (!in_.empty()) fail(fmt::format("answers before it was asked: '{}'", excerpt(in_)));
      return false;
    }
    const std::size_t end = in_.find('\n', scanned_);
    if (end == std::string::npos) {
      scanned_ = in_.size();
      if (child_.output_ended()) fail_ended();
      if (in_.size() > kLongestLine)
        fail(fmt::format("answers with a line without end: '{}'", excerpt(in_)));
      return false;
    }
    parse(std::string_view(in_).substr(0, end));
    in_.erase(0, end + 1);
    scanned_ = 0;
    answer = parsed_;
    return line_ready_ = true;
  }

  void parse(std::string_view line) {
    const std::string problem = golden::parse_results(header_, line, batch_, 0);
    if (!problem.empty()) {
      fail(fmt::format("answer line {} '{}': {}", answered_ + 1, excerpt(line), problem));
    }
    const Sent& sent = in_flight_.front();
    for (std::size_t i = 0; i < kLanes; ++i) {
      const bool kept = (sent.keep >> i & 1) != 0;
      parsed_.codes[i] = kept ? static_cast<std::uint8_t>(batch_.codes[i]) : std::uint8_t{0};
    }
    parsed_.status = batch_.status[0];
    parsed_.keep = sent.keep;
    parsed_.last = sent.last;
  }

  [[noreturn]] void fail_ended() {
    const std::optional<std::string> end = child_.wait(milliseconds(500));
    const std::string how = !end           ? "closed its output"
                            : end->empty() ? "ended"
                                           : "died with " + *end;
    const std::string_view rest = in_.empty() ? "" : ", in the middle of a line";
    fail(fmt::format("{} after {} of {} answers{}", how, answered_, header_.count, rest));
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw DutError(fmt::format("process '{}' {}", options_.command, what));
  }

  [[nodiscard]] long wait_ms() const { return static_cast<long>(options_.time_out.count()); }

  static constexpr std::size_t kLongestLine = 1 << 16;

  const ProcessOptions& options_;
  golden::VectorHeader header_;
  Child child_;
  golden::BlockBatch batch_;
  std::string out_;
  std::string in_;
  std::size_t scanned_ = 0;
  std::deque<Sent> in_flight_;
  BlockOut parsed_;
  bool line_ready_ = false;
  bool closing_ = false;
  std::uint64_t answered_ = 0;
  std::chrono::steady_clock::time_point last_move_ = std::chrono::steady_clock::now();
};

ProcessDut::ProcessDut(ProcessOptions options)
    : options_(std::move(options)), name_("process:" + options_.command) {}

ProcessDut::~ProcessDut() = default;

void ProcessDut::configure(const Setup& setup) { options_.header.context = setup.context; }

bool ProcessDut::supports(std::uint32_t config_word) const {
  return golden::config_word_problem(options_.header, config_word).empty();
}

void ProcessDut::reset(std::uint64_t blocks) {
  conversation_.reset();
  if (blocks != 0) conversation_ = std::make_unique<Conversation>(options_, blocks);
}

void ProcessDut::tick(const Drive& drive, Observed& observed) {
  observed.ready = false;
  observed.valid = false;
  if (!conversation_) return;
  observed.ready = conversation_->accepts();
  const bool sends = drive.offer != nullptr && observed.ready;
  observed.valid = conversation_->next(observed.block, !sends);
  if (observed.valid && drive.ready) conversation_->pop();
  if (sends) conversation_->send(*drive.offer);
}

void ProcessDut::end_of_input() {
  if (conversation_) conversation_->close_after_writing();
}

void ProcessDut::end_of_output() {
  if (conversation_) conversation_->finish();
  conversation_.reset();
}

DutKind process_dut() {
  DutKind kind{.name = "process",
               .argument = ":COMMAND",
               .help = "a program of yours, see docs/plug-in-your-dut.md",
               .is_program = true};
  kind.make = [](const DutRequest& request) -> DutFactory {
    const ProcessOptions options{request.argument, request.header, request.time_out};
    return [options] { return std::make_unique<ProcessDut>(options); };
  };
  return kind;
}

}  // namespace mx::sim

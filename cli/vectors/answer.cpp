// mxgold answer: the reference as a program that other benches ask, a line for a line.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/base/command.hpp"
#include "cli/base/error.hpp"
#include "cli/options/command_line.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/answers/answers.hpp"
#include "golden/bytes/error.hpp"
#include "golden/vectors/header_parse.hpp"
#include "golden/vectors/operand_check.hpp"
#include "golden/vectors/protocol.hpp"

namespace mx::cli {
namespace {

constexpr const char* kAnswerExamples = R"(
Reads a .tv header (what `mxgold gen -o -` prints up to "# count N"; docs/vector-format.md), then a
line of operand fields for each record, and answers each with its line of result fields at once: a
scoreboard's model over a pipe, and the other side of `mxgold run --dut process:`.

Exit code: 0 after N answers, 3 for a header or a line that is none.

Examples:
  mxgold run --dut process:'mxgold answer' --format nvfp4
  my_bench | mxgold answer > expected.txt)";

class Answers {
 public:
  void take(std::string_view line) {
    ++line_;
    if (!header_) return take_header(line);
    if (answered_ == header_->count) {
      fail(Exit::kBadInput, "line {}: goes on after {} records", line_, header_->count);
    }
    const std::string problem = lines_->parse_operands(line, batch_, 0);
    if (!problem.empty()) fail(Exit::kBadInput, "line {}: {}", line_, problem);
    if (const auto wrong = check_->find(batch_, 0, 1)) {
      fail(Exit::kBadInput, "line {}: {}", line_, wrong->what);
    }
    reference_->answer(batch_, 0, 1);
    lines_->append_results(batch_, 0, out_);
    ++answered_;
  }

  void flush() {
    fmt::print("{}", out_);
    std::fflush(stdout);
    out_.clear();
  }

  void finish() const {
    if (!header_) fail(Exit::kBadInput, "line {}: the header ends before its count", line_);
    if (answered_ != header_->count) {
      fail(Exit::kBadInput, "the input ends after {} of {} records", answered_, header_->count);
    }
  }

 private:
  void take_header(std::string_view line) {
    constexpr std::string_view kPrefix = "# ";
    if (!line.starts_with(kPrefix) || head_.size() >= golden::kMaxHeaderLines) {
      fail(Exit::kBadInput, "line {}: expected a header line \"# key value\"", line_);
    }
    head_.emplace_back(line.substr(kPrefix.size()));
    if (!head_.back().starts_with("count ")) return;
    header_ = golden::parse_header(head_, "-", emulators::make_cast);
    lines_.emplace(header_->shape());
    check_.emplace(*header_);
    batch_ = golden::RecordBatch(header_->shape(), 1);
    reference_ = std::make_unique<golden::ReferenceAnswerer>(*header_);
  }

  std::vector<std::string> head_;
  std::optional<golden::VectorHeader> header_;
  std::optional<golden::RecordLines> lines_;
  std::optional<golden::OperandCheck> check_;
  std::unique_ptr<golden::ReferenceAnswerer> reference_;
  golden::RecordBatch batch_;
  std::uint64_t line_ = 0;
  std::uint64_t answered_ = 0;
  std::string out_;
};

/// The file, or standard input.
class Input {
 public:
  explicit Input(const std::string& path)
      : file_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) fail(Exit::kBadInput, "{}: cannot open: {}", path, std::strerror(errno));
  }
  ~Input() {
    if (file_ != STDIN_FILENO) ::close(file_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ssize_t read(std::span<char> bytes) const { return ::read(file_, bytes.data(), bytes.size()); }

 private:
  int file_;
};

void run(const std::string& path) {
  const Input input(path);
  Answers answers;
  std::array<char, 65536> bytes;
  std::string rest;
  while (true) {
    const ssize_t n = input.read(bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(Exit::kBadInput, "{}: cannot be read", path);
    if (n == 0) break;
    rest.append(bytes.data(), static_cast<std::size_t>(n));
    std::size_t start = 0;
    for (std::size_t end = rest.find('\n'); end != std::string::npos;
         end = rest.find('\n', start)) {
      answers.take(std::string_view(rest).substr(start, end - start));
      start = end + 1;
    }
    rest.erase(0, start);
    answers.flush();
  }
  if (!rest.empty()) fail(Exit::kBadInput, "the input ends inside a line");
  answers.finish();
}

}  // namespace

void add_answer(const Command& root, Exit& exit) {
  const Command app =
      root.add_subcommand("answer", "Answer operands on a pipe, as a device that is always right");
  app.footer(kAnswerExamples);
  const auto path = std::make_shared<std::string>("-");
  as_input(app.add_option("file", *path, "Header and operand lines, or -")).capture_default_str();
  app.callback([path, &exit] {
    try {
      run(*path);
      exit = Exit::kPass;
    } catch (const golden::VectorError& error) {
      fail(Exit::kBadInput, "{}", error.what());
    }
  });
}

}  // namespace mx::cli

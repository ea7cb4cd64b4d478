#include "sim/process/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "golden/bytes/host_error.hpp"
#include "sim/process/supervisor.hpp"

extern char** environ;

namespace mx::sim {
namespace {

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw golden::HostError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  return ends;
}

int open_file(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC);
  if (file >= 0) return file;
  throw golden::HostError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
}

std::string end_text(const siginfo_t& info) {
  if (info.si_code != CLD_EXITED) {
    return fmt::format("signal {} ({})", info.si_status, strsignal(info.si_status));
  }
  constexpr int kNotExecutable = 126;
  constexpr int kNotFound = 127;
  if (info.si_status == 0) return {};
  return fmt::format("exit status {}{}", info.si_status,
                     info.si_status == kNotFound        ? " (command not found)"
                     : info.si_status == kNotExecutable ? " (not executable)"
                                                        : "");
}

/// This program's environment and the paths of the named pipes.
class Environment {
 public:
  explicit Environment(const Fifos* fifos) {
    if (fifos != nullptr) added_ = {"MXGOLD_IN=" + fifos->in(), "MXGOLD_OUT=" + fifos->out()};
    for (char** each = environ; *each != nullptr; ++each) {
      const std::string_view entry(*each);
      if (!entry.starts_with("MXGOLD_IN=") && !entry.starts_with("MXGOLD_OUT=")) {
        pointers_.push_back(*each);
      }
    }
    for (std::string& each : added_) pointers_.push_back(each.data());
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] char** data() { return pointers_.data(); }

 private:
  std::vector<std::string> added_;
  std::vector<char*> pointers_;
};

/// Every signal held back: a handler of this program is none of the child's.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

void make_nonblocking(int file) {
  if (file >= 0) fcntl(file, F_SETFL, O_NONBLOCK);
}

}  // namespace

Child::Child(const std::string& command, Channel channel) {
  const std::array<int, 2> log = make_pipe();
  log_ = log[0];
  if (channel == Channel::kFifo) {
    fifos_ = std::make_unique<Fifos>();
    // Open for writing too, so that a child which opens it for every line does not end it.
    output_ = open_file(fifos_->out(), O_RDWR | O_NONBLOCK);
    input_awaited_ = true;
    const int nothing = open_file("/dev/null", O_RDONLY);
    start(command, {nothing, log[1], log[1]});
    close(nothing);
  } else {
    const std::array<int, 2> in = make_pipe();
    const std::array<int, 2> out = make_pipe();
    input_ = in[1];
    unread_ = in[0];
    output_ = out[0];
    start(command, {in[0], out[1], log[1]});
    close(out[1]);
  }
  close(log[1]);
  for (const int file : {input_, output_, log_}) make_nonblocking(file);
}

void Child::start(const std::string& command, const std::array<int, 3>& streams) {
  std::string shell = "sh";
  std::string flag = "-c";
  std::string text = command;
  const std::array<char*, 4> arguments = {shell.data(), flag.data(), text.data(), nullptr};
  Environment environment(fifos_.get());
  const ChildStart start{streams, arguments.data(), environment.data(), ::getpid()};
  const std::array<int, 2> told = make_pipe();
  told_ = told[0];
  make_nonblocking(told_);
  {
    const SignalsHeld held;
    supervisor_ = ::fork();
    if (supervisor_ == 0) supervise(start, told[1]);
  }
  const int error = errno;
  close(told[1]);
  if (supervisor_ < 0) {
    throw golden::HostError(fmt::format("cannot start '{}': {}", command, std::strerror(error)));
  }
}

Child::~Child() {
  close_input();
  for (const int file : {output_, log_, unread_, told_}) {
    if (file >= 0) close(file);
  }
  kill(supervisor_, SIGTERM);
  waitpid(supervisor_, nullptr, 0);
}

void Child::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
  input_awaited_ = false;
}

void Child::await_reader() {
  input_ = ::open(fifos_->in().c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  input_awaited_ = input_ < 0;
  // Not before: this is a reader, too, and the child's is awaited.
  if (!input_awaited_) unread_ = open_file(fifos_->in(), O_RDONLY | O_NONBLOCK);
}

std::uint64_t Child::taken() const {
  int unread = 0;
  if (unread_ < 0 || ::ioctl(unread_, FIONREAD, &unread) != 0) return written_;
  return written_ - static_cast<std::uint64_t>(unread);
}

bool Child::exchange(std::string& out, std::string& in, std::chrono::milliseconds patience) {
  if (input_awaited_) await_reader();
  const bool writes = input_ >= 0 && !out.empty();
  std::array<pollfd, 3> files{};
  files[0] = {output_, POLLIN, 0};
  files[1] = {writes ? input_ : -1, POLLOUT, 0};
  files[2] = {log_, POLLIN, 0};
  const int ready = poll(files.data(), files.size(), static_cast<int>(patience.count()));
  if (ready <= 0) {
    // A named pipe does not tell that its writers are gone.
    if (fifos_ && output_ >= 0 && wait(std::chrono::milliseconds(0))) {
      const std::size_t before = in.size();
      read_some(in);
      if (in.size() != before) return true;
      close(output_);
      output_ = -1;
    }
    return false;
  }
  if (files[2].revents != 0) read_log();
  if (files[0].revents != 0) read_some(in);
  if (writes && files[1].revents != 0) write_some(out);
  return files[0].revents != 0 || files[1].revents != 0;
}

void Child::read_some(std::string& in) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(output_, buffer.data(), buffer.size());
  if (got > 0) {
    in.append(buffer.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    close(output_);
    output_ = -1;
  }
}

void Child::read_log() {
  std::array<char, 4096> buffer;
  while (log_ >= 0) {
    const ssize_t got = read(log_, buffer.data(), buffer.size());
    if (got > 0) {
      log(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
      continue;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    close(log_);
    log_ = -1;
  }
}

void Child::log(std::string_view text) {
  constexpr std::size_t kLines = 4;
  constexpr std::size_t kLineChars = 200;
  std::fwrite(text.data(), 1, text.size(), stderr);
  for (const char c : text) {
    if (c != '\n') {
      if (unfinished_.size() < kLineChars) unfinished_ += c >= ' ' && c <= '~' ? c : '?';
      continue;
    }
    if (!unfinished_.empty()) last_lines_.push_back(std::move(unfinished_));
    unfinished_.clear();
    if (last_lines_.size() > kLines) last_lines_.pop_front();
  }
}

std::string Child::last_words() {
  read_log();
  if (!unfinished_.empty()) log("\n");
  return fmt::format("{}", fmt::join(last_lines_, " | "));
}

void Child::write_some(std::string& out) {
  // Without SIGPIPE: unread_ is a reader.
  const ssize_t put = write(input_, out.data(), out.size());
  if (put > 0) {
    written_ += static_cast<std::uint64_t>(put);
    out.erase(0, static_cast<std::size_t>(put));
  } else if (put < 0 && errno != EAGAIN && errno != EINTR) {
    out.clear();
    close_input();
  }
}

std::optional<std::string> Child::wait(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!end_) {
    siginfo_t info{};
    const ssize_t got = read(told_, &info, sizeof info);
    if (got == sizeof info) end_ = end_text(info);
    if (got == 0) end_ = "killed with its supervisor";
    if (end_) break;
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return end_;
}

}  // namespace mx::sim

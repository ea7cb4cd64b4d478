#include "sim/record/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "sim/dut/dut.hpp"

extern char** environ;

namespace mx::sim {
namespace {

// Writing to a pipe without a reader raises SIGPIPE. The signal is kept from this thread and thrown
// away, so that the program's own handling of it stays as it is.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoSigpipe() {
    const timespec now{0, 0};
    while (sigtimedwait(&pipe_, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
};

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw DutError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  return ends;
}

std::string end_text(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  const int code = WEXITSTATUS(status);
  return code == 0 ? std::string() : fmt::format("exit status {}", code);
}

}  // namespace

Child::Child(const std::string& command) {
  const std::array<int, 2> in = make_pipe();
  const std::array<int, 2> out = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  std::string shell = "sh";
  std::string flag = "-c";
  std::string text = command;
  std::array<char*, 4> arguments = {shell.data(), flag.data(), text.data(), nullptr};
  const int error = posix_spawn(&pid_, "/bin/sh", &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(in[0]);
  close(out[1]);
  input_ = in[1];
  output_ = out[0];
  if (error != 0) {
    pid_ = -1;
    close(input_);
    close(output_);
    throw DutError(fmt::format("cannot start '{}': {}", command, std::strerror(error)));
  }
  fcntl(input_, F_SETFL, O_NONBLOCK);
  fcntl(output_, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  close_input();
  if (output_ >= 0) close(output_);
  if (!end_ && pid_ > 0) {
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

void Child::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

bool Child::exchange(std::string& out, std::string& in, std::chrono::milliseconds patience) {
  std::array<pollfd, 2> files{};
  const bool writes = input_ >= 0 && !out.empty();
  files[0] = {output_, POLLIN, 0};
  files[1] = {writes ? input_ : -1, POLLOUT, 0};
  const int ready = poll(files.data(), files.size(), static_cast<int>(patience.count()));
  if (ready <= 0) return false;
  if (files[0].revents != 0) read_some(in);
  if (writes && files[1].revents != 0) write_some(out);
  return true;
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

void Child::write_some(std::string& out) {
  const NoSigpipe quiet;
  const ssize_t put = write(input_, out.data(), out.size());
  if (put > 0) {
    out.erase(0, static_cast<std::size_t>(put));
  } else if (put < 0 && errno != EAGAIN && errno != EINTR) {
    refused_ = true;
    out.clear();
    close_input();
  }
}

std::optional<std::string> Child::wait(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!end_) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      end_ = end_text(status);
      break;
    }
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return end_;
}

}  // namespace mx::sim

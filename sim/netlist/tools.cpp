#include "sim/netlist/tools.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "golden/bytes/host_error.hpp"

namespace mx::sim {
namespace {

namespace fs = std::filesystem;

/// Where the streams of a child go, and where it starts.
class Actions {
 public:
  Actions(const fs::path& folder, const fs::path& log) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

std::string last_lines(const fs::path& log) {
  std::ifstream file(log);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  constexpr std::size_t kMost = 600;
  return text.size() > kMost ? text.substr(text.size() - kMost) : text;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

double run_tool(const std::vector<std::string>& command, const fs::path& folder,
                const fs::path& log) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Actions actions(folder, log);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], actions.get(), nullptr, arguments.data(), environ);
  if (error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE) {
    throw golden::HostError(
        fmt::format("{} cannot be started: {}", command[0], std::strerror(error)));
  }
  if (error != 0) {
    throw ToolError(fmt::format("{} cannot be started: {}; install it (Debian: apt install {})",
                                command[0], std::strerror(error), command[0]));
  }
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  }
  throw ToolError(fmt::format("{} failed ({}); it said: {}", command[0],
                              WIFEXITED(status) ? fmt::format("exit {}", WEXITSTATUS(status))
                                                : fmt::format("signal {}", WTERMSIG(status)),
                              last_lines(log)));
}

WorkFolder::WorkFolder(const fs::path& path) : path_(path), is_kept_(!path.empty()) {
  if (is_kept_) {
    fs::create_directories(path_);
    path_ = fs::absolute(path_);
    return;
  }
  std::string name = (fs::temp_directory_path() / "mxgold-mutate-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw golden::HostError(fmt::format("no folder {}: {}", name, std::strerror(errno)));
  }
  path_ = name;
}

WorkFolder::~WorkFolder() {
  if (is_kept_) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace mx::sim

#include "tests/farm/farm.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace mx::cli::test {
namespace {

namespace fs = std::filesystem;

Words farm_words(const std::string& folder, const Words& options, const Words& command) {
  Words words = {"farm", folder};
  words.insert(words.end(), options.begin(), options.end());
  if (!command.empty()) words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace

Words small_sweep() {
  return {"sweep",
          "--dut",
          "reference",
          "--source",
          "bf16,fp16",
          "--format",
          "e4m3fn,e5m2,e3m2fn,e2m3fn,e2m1fn,int8",
          "--rounding",
          "all"};
}

ProgramEnd farm(const std::string& folder, const Words& options, const Words& command) {
  return run_program(farm_words(folder, options, command));
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::map<std::string, std::string> receipts_in(const std::string& folder) {
  std::map<std::string, std::string> receipts;
  for (const auto& entry : fs::directory_iterator(folder + "/receipts")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".")) continue;
    struct stat info {};
    if (::stat(entry.path().c_str(), &info) != 0) continue;
    receipts[name] = std::to_string(info.st_ino) + " " + std::to_string(info.st_mtim.tv_sec) + "." +
                     std::to_string(info.st_mtim.tv_nsec);
  }
  return receipts;
}

RunningFarm::RunningFarm(const std::string& folder, const Words& options, const Words& command)
    : log_(folder + ".err") {
  Words words = farm_words(folder, options, command);
  words.insert(words.begin(), MX_PROGRAM);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("fork");
  if (process_ != 0) return;
  const int log = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ::dup2(log, STDERR_FILENO);
  ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
  ::execv(MX_PROGRAM, pointers.data());
  ::_exit(127);
}

RunningFarm::~RunningFarm() {
  if (status_ >= 0) return;
  ::kill(process_, SIGKILL);
  wait();
}

std::vector<pid_t> RunningFarm::children() const {
  std::vector<pid_t> all;
  std::error_code error;
  const std::string tasks = "/proc/" + std::to_string(process_) + "/task";
  for (const auto& task : fs::directory_iterator(tasks, error)) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) all.push_back(child);
  }
  return all;
}

bool RunningFarm::is_alive() {
  if (status_ >= 0) return false;
  int state = 0;
  if (::waitpid(process_, &state, WNOHANG) == 0) return true;
  status_ = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  return false;
}

int RunningFarm::wait() {
  int state = 0;
  if (status_ < 0 && ::waitpid(process_, &state, 0) == process_) {
    status_ = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  }
  return status_;
}

}  // namespace mx::cli::test

// A campaign in a folder of its own, as tests begin, break and resume it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/cli/files/byte_builder.hpp"
#include "tests/cli/program/program.hpp"

namespace mx::cli::test {

using Words = std::vector<std::string>;

/// 84 conversions of bf16 and fp16, a part each.
[[nodiscard]] Words small_sweep();

/// `mxgold farm FOLDER OPTIONS -- COMMAND`.
[[nodiscard]] ProgramEnd farm(const std::string& folder, const Words& options,
                              const Words& command = {});

[[nodiscard]] std::string text_of(const std::string& path);
[[nodiscard]] bool has(const std::string& text, const std::string& part);

/// Each receipt and what tells that nobody wrote it again: its inode and time.
[[nodiscard]] std::map<std::string, std::string> receipts_in(const std::string& folder);

/// A farm that goes on beside the test.
class RunningFarm {
 public:
  /// What it says on stderr goes to a file of the folder's name and ".err".
  RunningFarm(const std::string& folder, const Words& options, const Words& command);
  ~RunningFarm();
  RunningFarm(const RunningFarm&) = delete;
  RunningFarm& operator=(const RunningFarm&) = delete;

  [[nodiscard]] pid_t process() const { return process_; }
  /// The programs that it runs at the moment.
  [[nodiscard]] std::vector<pid_t> children() const;
  [[nodiscard]] bool is_alive();
  /// Its exit status, or 128 + the signal that ended it.
  int wait();
  [[nodiscard]] std::string said() const { return text_of(log_); }

 private:
  std::string log_;
  pid_t process_ = -1;
  int status_ = -1;
};

}  // namespace mx::cli::test

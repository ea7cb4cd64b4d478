// SPDX-License-Identifier: Apache-2.0
#include "cli/files/distinct.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <utility>

namespace mx::cli {

std::vector<std::string> distinct_files(const std::vector<std::string>& paths,
                                        std::string_view who) {
  std::map<std::pair<dev_t, ino_t>, std::string> seen;
  std::vector<std::string> distinct;
  for (const std::string& path : paths) {
    struct stat info {};
    const int status = path == "-" ? ::fstat(STDIN_FILENO, &info) : ::stat(path.c_str(), &info);
    // One that is not there is left to its reader.
    if (status == 0) {
      const auto [first, is_new] = seen.try_emplace({info.st_dev, info.st_ino}, path);
      if (!is_new) {
        fmt::print(stderr, "{}: {}: is the same file as {}; counted once\n", who, path,
                   first->second);
        continue;
      }
    }
    distinct.push_back(path);
  }
  return distinct;
}

}  // namespace mx::cli

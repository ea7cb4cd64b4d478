#include "sim/compile/cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace mx::sim {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr std::string_view kRemedy = "set MXGOLD_CACHE to a folder of your own";

[[nodiscard]] const char* variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

fs::path cache() {
  if (const char* const own = variable("MXGOLD_CACHE")) return own;
  if (const char* const xdg = variable("XDG_CACHE_HOME")) return fs::path(xdg) / "mxgold";
  if (const char* const home = variable("HOME")) return fs::path(home) / ".cache" / "mxgold";
  // A name that anybody can take before the user does: what stands there is looked at.
  return fs::temp_directory_path() / fmt::format("mxgold-{}", ::geteuid());
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why, std::string_view remedy) {
  throw CacheError(fmt::format("{}: {}, and what is compiled is kept there to be run; {}",
                               path.native(), why, remedy));
}

/// Of a folder (`type` S_IFDIR) or of a file.
void require_own(const fs::path& path, mode_t type) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) refuse(path, std::strerror(errno), kRemedy);
  if (S_ISLNK(found.st_mode)) refuse(path, "is a symbolic link", kRemedy);
  if ((found.st_mode & S_IFMT) != type) {
    refuse(path, type == S_IFDIR ? "is no folder" : "is no file", kRemedy);
  }
  if (found.st_uid != ::geteuid()) {
    refuse(path, fmt::format("belongs to user {}, not to user {}", found.st_uid, ::geteuid()),
           kRemedy);
  }
  if ((found.st_mode & kOthersWrite) != 0) {
    refuse(
        path, fmt::format("can be written by others (mode {:04o})", found.st_mode & 07777),
        fmt::format("delete it, {}, or take their right away if nobody used it: chmod -R go-w {}",
                    kRemedy, path.native()));
  }
}

/// A path without the slash at its end, behind which lstat() looks at what a link points to.
fs::path without_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

void make_own(const fs::path& path) {
  std::error_code ignored;  // what is missing then is told below
  fs::create_directories(path.parent_path(), ignored);
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    throw golden::VectorError(
        fmt::format("{}: cannot make this folder: {}; set MXGOLD_CACHE to "
                    "one that can be written",
                    path.native(), std::strerror(errno)));
  }
  require_own(path, S_IFDIR);
}

}  // namespace

fs::path own_cache(const std::string& folder) {
  const fs::path whole = without_slash(cache());
  make_own(whole);
  make_own(whole / folder);
  return whole / folder;
}

void require_own(const fs::path& path) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(fs::symlink_status(path, ignored));
  require_own(path, is_folder ? S_IFDIR : S_IFREG);
  if (!is_folder) return;
  for (const fs::directory_entry& each : fs::directory_iterator(path)) require_own(each.path());
}

void close_to_others(const fs::path& path) {
  const auto close = [](const fs::path& each) {
    if (fs::is_symlink(each)) return;
    fs::permissions(each, fs::perms::group_write | fs::perms::others_write,
                    fs::perm_options::remove);
  };
  close(path);
  if (!fs::is_directory(path)) return;
  for (const fs::directory_entry& each : fs::recursive_directory_iterator(path)) close(each.path());
}

}  // namespace mx::sim

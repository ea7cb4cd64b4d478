#include "golden/bytes/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "golden/bytes/error.hpp"

namespace mx::golden {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw VectorError(fmt::format("{}: cannot {}: {}; choose an output that can be written",
                                path == "-" ? "standard output" : path, what,
                                std::strerror(errno)));
}

bool exists_as_other_than_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

std::filesystem::path end_of_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  return error ? std::filesystem::path(path) : target;
}

}  // namespace

NewFile::NewFile(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  if (exists_as_other_than_file(path_)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    is_regular_ = true;
    open_beside();
  }
  if (descriptor_ < 0) fail(path_, "open for writing");
}

void NewFile::open_beside() {
  static std::atomic<unsigned> serial = 0;
  std::filesystem::path target = end_of_links(path_);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  target_ = target.string();
  temporary_ = target
                   .replace_filename(fmt::format(".{}.{}.{}.tmp", target.filename().string(),
                                                 ::getpid(), serial.fetch_add(1)))
                   .string();
  // Not every file system has files without a name.
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (descriptor_ >= 0) return;
  descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  is_named_ = descriptor_ >= 0;
}

NewFile::~NewFile() {
  close();
  if (is_named_) ::unlink(temporary_.c_str());
}

void NewFile::close() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  descriptor_ = -1;
}

void NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path_, "write");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void NewFile::commit() {
  if (!is_regular_) {
    if (descriptor_ != STDOUT_FILENO && ::close(std::exchange(descriptor_, -1)) != 0) {
      fail(path_, "finish writing");
    }
    return;
  }
  if (::fsync(descriptor_) != 0) fail(path_, "finish writing");
  if (!is_named_) {
    const std::string link = fmt::format("/proc/self/fd/{}", descriptor_);
    ::unlink(temporary_.c_str());  // of a killed program that had this number
    if (::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      fail(path_, "name the finished file");
    }
    is_named_ = true;
  }
  close();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(path_, "rename into place");
  is_named_ = false;
}

void write_file(const std::string& path, std::string_view text) {
  NewFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace mx::golden

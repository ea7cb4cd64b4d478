#include "golden/bytes/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "golden/bytes/error.hpp"

namespace mx::golden {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw VectorError(fmt::format("{}: cannot {}: {}; choose an output that can be written",
                                is_standard_output(path) ? "standard output" : path, what,
                                std::strerror(errno)));
}

/// A link that ends nowhere, or a file that was protected from writing: nothing to be replaced.
bool is_protected(const std::filesystem::path& target) {
  std::error_code error;
  if (std::filesystem::is_symlink(target, error)) {
    errno = ELOOP;
    return true;
  }
  return ::access(target.c_str(), F_OK) == 0 && ::access(target.c_str(), W_OK) != 0;
}

bool exists_as_other_than_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

/// N of /dev/fd/N and its other names, -1 for any other path.
int descriptor_of(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const char* const end = path.data() + path.size();
    int number = -1;
    const auto [stop, error] = std::from_chars(path.data() + folder.size(), end, number);
    return error == std::errc{} && stop == end ? number : -1;
  }
  return -1;
}

/// Where a chain of links ends, whether something is there or not.
std::filesystem::path end_of_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as the kernel
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return path;
}

}  // namespace

NewFile::NewFile(std::string path) : path_(std::move(path)) {
  if (is_standard_output(path_)) {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  if (const int open = descriptor_of(path_); open >= 0) {
    descriptor_ = ::fcntl(open, F_DUPFD_CLOEXEC, 0);
  } else if (exists_as_other_than_file(path_)) {
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
  if (is_protected(target)) return;
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  target_ = target.string();
  temporary_ =
      target.replace_filename(fmt::format(".mxgold.{}.{}.tmp", ::getpid(), serial.fetch_add(1)))
          .string();
  // Not every file system has files without a name.
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (descriptor_ >= 0) return;
  name_ = std::make_unique<UnfinishedName>(temporary_);
  descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

NewFile::~NewFile() {
  close();
  if (name_) ::unlink(temporary_.c_str());
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

std::string NewFile::unnamed() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

void NewFile::finish() {
  if (!is_regular_ || is_finished_) return;
  struct stat old {};
  if (::stat(target_.c_str(), &old) == 0) ::fchmod(descriptor_, old.st_mode & 07777);
  if (::fsync(descriptor_) != 0) fail(path_, "finish writing");
  is_finished_ = true;
}

void NewFile::commit() {
  if (!is_regular_) {
    if (descriptor_ != STDOUT_FILENO && ::close(std::exchange(descriptor_, -1)) != 0) {
      fail(path_, "finish writing");
    }
    return;
  }
  finish();
  if (!name_) name_it();
  close();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(path_, "rename into place");
  name_.reset();
}

void NewFile::name_it() {
  const std::string link = unnamed();
  ::unlink(temporary_.c_str());  // of a killed program that had this number
  name_ = std::make_unique<UnfinishedName>(temporary_);
  if (::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    fail(path_, "name the finished file");
  }
}

bool is_standard_output(std::string_view path) {
  return path == "-" || descriptor_of(path) == STDOUT_FILENO;
}

void write_file(const std::string& path, std::string_view text) {
  NewFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace mx::golden

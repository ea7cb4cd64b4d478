#include "golden/bytes/sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "golden/bytes/error.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr int kStdout = 1;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw VectorError(fmt::format("{}: cannot {}: {}; choose an output that can be written",
                                path == "-" ? "standard output" : path, what,
                                std::strerror(errno)));
}

bool exists_as_other_than_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

}  // namespace

ByteSink::ByteSink(std::string path) : path_(std::move(path)), buffer_(kBufferBytes) {
  if (path_ == "-") {
    fd_ = kStdout;
    return;
  }
  if (exists_as_other_than_file(path_)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_ = fmt::format("{}.tmp{}", path_, ::getpid());
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) temporary_.clear();
  }
  if (fd_ < 0) fail(path_, "open for writing");
}

ByteSink::~ByteSink() {
  if (fd_ >= 0 && fd_ != kStdout) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void ByteSink::flush() {
  std::size_t done = 0;
  while (done < used_) {
    const ssize_t n = ::write(fd_, buffer_.data() + done, used_ - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path_, "write");
    done += static_cast<std::size_t>(n);
  }
  used_ = 0;
}

char* ByteSink::extend(std::size_t size) {
  if (used_ + size > buffer_.size()) {
    flush();
    if (size > buffer_.size()) buffer_.resize(size);
  }
  char* at = buffer_.data() + used_;
  used_ += size;
  return at;
}

void ByteSink::write(std::string_view text) {
  if (!text.empty()) std::memcpy(extend(text.size()), text.data(), text.size());
}

void ByteSink::write(std::span<const std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
}

void ByteSink::commit() {
  flush();
  if (fd_ == kStdout) return;
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) fail(path_, "finish writing");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "rename into place");
  temporary_.clear();
}

}  // namespace mx::golden

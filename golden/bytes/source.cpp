#include "golden/bytes/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "golden/bytes/error.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 18;

/// An open file; "-" is standard input, which stays open.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : number_(path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags)) {}
  ~Descriptor() {
    if (number_ > 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail_to_read(const std::string& name, const char* what) {
  throw VectorError(fmt::format("{}: cannot {}: {}; name an existing file, or - for standard input",
                                name, what, std::strerror(errno)));
}

}  // namespace

ByteSource::ByteSource(std::string path)
    : path_(std::move(path)), name_(path_ == "-" ? "standard input" : path_) {
  fd_ = path_ == "-" ? 0 : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) fail_to_read(name_, "open");
  struct stat info {};
  if (::fstat(fd_, &info) == 0 && S_ISREG(info.st_mode) && path_ != "-") {
    size_ = static_cast<std::uint64_t>(info.st_size);
  }
}

ByteSource::~ByteSource() {
  if (fd_ > 0) ::close(fd_);
}

std::string_view ByteSource::peek(std::size_t wanted) {
  while (end_ - begin_ < wanted && !at_end_) {
    if (begin_ != 0) {
      std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
      end_ -= begin_;
      begin_ = 0;
    }
    buffer_.resize(std::max({buffer_.size(), kReadBytes, wanted}));
    const ssize_t n = ::read(fd_, buffer_.data() + end_, buffer_.size() - end_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_to_read(name_, "read");
    at_end_ = n == 0;
    end_ += static_cast<std::size_t>(n);
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

void ByteSource::take(std::size_t bytes) {
  begin_ += bytes;
  position_ += bytes;
}

std::string whole_text(const std::string& path, const TextLimits& limits) {
  const std::string name = path == "-" ? "standard input" : path;
  const auto refuse = [&](std::string_view what) {
    throw VectorError(fmt::format("{}: {}; {}", name, what, limits.remedy));
  };
  const auto require_size = [&](std::uint64_t bytes, std::string_view least) {
    if (bytes <= limits.bytes) return;
    refuse(fmt::format("holds {}{} bytes, and such a file has at most {}", least, bytes,
                       limits.bytes));
  };
  const bool is_file_only = limits.pipes == Pipes::kRefused;
  // Opening a pipe would wait for its writer.
  const Descriptor file(path, is_file_only ? O_NONBLOCK : 0);
  if (file.number() < 0) {
    throw VectorError(
        fmt::format("{}: cannot open: {}; name an existing file", name, std::strerror(errno)));
  }
  struct stat info {};
  if (::fstat(file.number(), &info) != 0) refuse("cannot read");
  if (S_ISDIR(info.st_mode)) refuse("is a folder");
  if (is_file_only && !S_ISREG(info.st_mode)) refuse("is no regular file");
  if (S_ISREG(info.st_mode)) require_size(static_cast<std::uint64_t>(info.st_size), "");
  std::string text;
  for (std::vector<char> part(1 << 16);;) {
    const ssize_t n = ::read(file.number(), part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(fmt::format("cannot read: {}", std::strerror(errno)));
    if (n == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(n));
    require_size(text.size(), "at least ");
  }
}

}  // namespace mx::golden

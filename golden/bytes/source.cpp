#include "golden/bytes/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "golden/bytes/error.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 18;

[[noreturn]] void fail(const std::string& name, const char* what) {
  throw VectorError(fmt::format("{}: cannot {}: {}; name an existing file, or - for standard input",
                                name, what, std::strerror(errno)));
}

}  // namespace

ByteSource::ByteSource(std::string path)
    : path_(std::move(path)), name_(path_ == "-" ? "standard input" : path_) {
  fd_ = path_ == "-" ? 0 : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) fail(name_, "open");
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
    if (n < 0) fail(name_, "read");
    at_end_ = n == 0;
    end_ += static_cast<std::size_t>(n);
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

void ByteSource::take(std::size_t bytes) {
  begin_ += bytes;
  position_ += bytes;
}

std::string whole_text(const std::string& path, std::string_view remedy) {
  const auto refuse = [&](std::string_view what) {
    throw VectorError(fmt::format("{}: {}; {}", path, what, remedy));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse("is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse("cannot open");
  std::string text;
  for (std::vector<char> part(1 << 16); file;) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) refuse("cannot read");
  return text;
}

}  // namespace mx::golden

#include "golden/bytes/kept_input.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstddef>
#include <string_view>

#include "golden/bytes/error.hpp"
#include "golden/bytes/source.hpp"

namespace mx::golden {
namespace {

/// Does a path give its bytes once?
bool is_read_once(const std::string& path) {
  if (path == "-") return true;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return false;
  return S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode) || S_ISSOCK(info.st_mode);
}

}  // namespace

KeptInput::KeptInput(const std::string& path)
    : name_(path == "-" ? "standard input" : path), path_(path) {
  if (!is_read_once(path)) return;
  constexpr std::size_t kPiece = 65536;
  const auto fail = [&] {
    throw VectorError(fmt::format("{}: cannot be kept; name a file instead", name_));
  };
  copy_.reset(std::tmpfile());
  if (copy_ == nullptr) fail();
  ByteSource source(path);
  for (std::string_view piece = source.peek(kPiece); !piece.empty(); piece = source.peek(kPiece)) {
    if (std::fwrite(piece.data(), 1, piece.size(), copy_.get()) != piece.size()) fail();
    source.take(piece.size());
  }
  if (std::fflush(copy_.get()) != 0) fail();
  path_ = fmt::format("/proc/self/fd/{}", ::fileno(copy_.get()));
}

std::string KeptInput::renamed(std::string message) const {
  if (path_ == name_) return message;
  for (std::size_t at = 0; (at = message.find(path_, at)) != std::string::npos;) {
    message.replace(at, path_.size(), name_);
    at += name_.size();
  }
  return message;
}

}  // namespace mx::golden

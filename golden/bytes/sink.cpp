#include "golden/bytes/sink.hpp"

#include <cstring>
#include <utility>

namespace mx::golden {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

}  // namespace

ByteSink::ByteSink(std::string path) : file_(std::move(path)), buffer_(kBufferBytes) {}

void ByteSink::flush() { file_.write({buffer_.data(), std::exchange(used_, 0)}); }

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

void ByteSink::finish() {
  flush();
  file_.finish();
}

void ByteSink::commit() {
  flush();
  file_.commit();
}

}  // namespace mx::golden

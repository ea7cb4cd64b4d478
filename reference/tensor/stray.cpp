// Words that are no codes.
#include <charconv>
#include <cstring>
#include <limits>
#include <mutex>

#include "reference/parallel/threads.hpp"
#include "reference/tensor/layout.hpp"

namespace mx {
namespace {

using namespace layout;

constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();

std::string digits(std::uint64_t value, int base) {
  char text[24];
  const auto [end, error] = std::to_chars(std::begin(text), std::end(text), value, base);
  return {text, end};
}

std::string stray_text(std::string_view what, std::uint64_t index, std::uint64_t word, int bits,
                       std::string_view format) {
  std::string text(what);
  text += ' ' + digits(index, 10) + ": " + digits(word, 16) + " has bits above the ";
  text += digits(static_cast<std::uint64_t>(bits), 10) + " of ";
  return text += format;
}

/// All bits that words of one size have.
template <typename Word>
std::uint64_t all_bits(std::span<const std::byte> words) {
  Word all = 0;
  for (std::size_t i = 0; i < words.size(); i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, words.data() + i, sizeof word);
    all = static_cast<Word>(all | word);
  }
  return all;
}

std::uint64_t all_bits(std::span<const std::byte> words, std::size_t size) {
  switch (size) {
    case 1:
      return all_bits<std::uint8_t>(words);
    case 2:
      return all_bits<std::uint16_t>(words);
    case 4:
      return all_bits<std::uint32_t>(words);
    default:
      return all_bits<std::uint64_t>(words);
  }
}

}  // namespace

std::string stray_word(const ElementFormat& format, std::span<const std::byte> words, int threads) {
  if (format.bits == format.storage_bits) return {};
  const std::size_t size = storage_bytes(format);
  std::uint64_t stray = kNowhere;
  std::mutex mutex;
  const auto look = [&](std::uint64_t first, std::uint64_t last) {
    if (format.takes(all_bits(words.subspan(first * size, (last - first) * size), size))) return;
    for (std::uint64_t i = first; i < last; ++i) {
      if (format.takes(load_word(words, i, size))) continue;
      const std::lock_guard lock(mutex);
      stray = std::min(stray, i);
      return;
    }
  };
  share_work(words.size() / size, kSharedWords, threads, look);
  if (stray == kNowhere) return {};
  return stray_text("element", stray, load_word(words, stray, size), format.bits, format.name);
}

namespace layout {

std::string stray_in_blocks(const BlockedShape& shape, std::uint64_t length, const Range& range,
                            const ElementFormat& format, std::span<const std::byte> words,
                            int threads) {
  if (format.bits == format.storage_bits) return {};
  if (range.first == 0 && range.last == shape.scales) return stray_word(format, words, threads);
  const std::size_t size = storage_bytes(format);
  for (std::uint64_t b = range.first; b < range.last; ++b) {
    const BlockPlace place = place_of(shape, b);
    for (std::uint64_t i = 0; i < place.count; ++i) {
      const std::uint64_t index = element_index(shape, length, place, place.width, i);
      const std::uint64_t word = load_word(words, index, size);
      if (format.takes(word)) continue;
      return stray_text("element", index, word, format.bits, format.name);
    }
  }
  return {};
}

std::string stray_scale(const BlockFormat& format, const Range& range,
                        std::span<const std::byte> scales) {
  for (std::uint64_t b = range.first; b < range.last; ++b) {
    const std::uint64_t scale = load_word(scales, b, scale_bytes(format));
    if (format.takes_scale(scale)) continue;
    return stray_text("scale", b, scale, format.scale_bits(), format.name);
  }
  return {};
}

}  // namespace layout
}  // namespace mx

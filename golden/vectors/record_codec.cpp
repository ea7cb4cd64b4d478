#include "golden/vectors/record_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "golden/bytes/error.hpp"

namespace mx::golden {
namespace {

/// What a character that is no digit has in place of its value.
constexpr std::uint8_t kNoDigit = 0x80;

constexpr std::uint8_t digit_of(char character) {
  const auto c = static_cast<std::uint8_t>(character);
  const auto digit = static_cast<std::uint8_t>(c - '0');
  const auto letter = static_cast<std::uint8_t>(c - 'a');
  const std::uint8_t high = letter < 6 ? static_cast<std::uint8_t>(letter + 10) : kNoDigit;
  return digit < 10 ? digit : high;
}

/// The two hex digits of every byte.
constexpr auto kHexPairs = [] {
  std::array<std::array<char, 2>, 256> pairs{};
  constexpr std::string_view digits = "0123456789abcdef";
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {digits[i >> 4], digits[i & 15]};
  return pairs;
}();

template <std::size_t W>
char* put_word(const std::byte* word, char* out) {
  for (std::size_t i = 0; i < W; ++i) {
    std::memcpy(out + 2 * i, kHexPairs[static_cast<std::size_t>(word[W - 1 - i])].data(), 2);
  }
  return out + 2 * W;
}

/// A value as W little-endian bytes, and back.
template <std::size_t W>
void put_bytes(std::uint64_t value, std::byte* at) {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(at, &value, W);
  } else {
    for (std::size_t b = 0; b < W; ++b) at[b] = static_cast<std::byte>(value >> (8 * b) & 0xFFU);
  }
}

template <std::size_t W>
std::uint64_t get_bytes(const std::byte* at) {
  std::uint64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, at, W);
  } else {
    for (std::size_t b = W; b-- > 0;) value = value << 8 | static_cast<std::uint64_t>(at[b]);
  }
  return value;
}

template <std::size_t W>
std::uint64_t store_words(const std::uint64_t* values, std::size_t lanes, std::size_t n,
                          std::size_t stride, std::byte* out) {
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t value = values[i * lanes + lane];
      seen |= value;
      put_bytes<W>(value, out + i * stride + lane * W);
    }
  }
  return seen;
}

template <std::size_t W>
void load_words(const std::byte* in, std::size_t lanes, std::size_t n, std::size_t stride,
                std::uint64_t* values) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      values[i * lanes + lane] = get_bytes<W>(in + i * stride + lane * W);
    }
  }
}

template <std::size_t W>
using Width = std::integral_constant<std::size_t, W>;

/// Calls `work` with the width of a word, 1, 2, 4 or 8 bytes, known at compile time.
template <typename Work>
auto by_width(std::size_t bytes, const Work& work) {
  switch (bytes) {
    case 1:
      return work(Width<1>());
    case 2:
      return work(Width<2>());
    case 4:
      return work(Width<4>());
    default:
      return work(Width<8>());
  }
}

/// Stores n * lanes values; the OR of all of them tells whether one was too wide.
void store(const std::uint64_t* values, int lanes, int bytes, std::size_t n, std::size_t stride,
           std::byte* out) {
  const auto seen = by_width(static_cast<std::size_t>(bytes), [&](auto width) {
    return store_words<width()>(values, static_cast<std::size_t>(lanes), n, stride, out);
  });
  if (bytes < 8 && seen >> (8 * bytes) != 0) {
    throw VectorError("a value is wider than its field; this is an error of mxgold");
  }
}

void load(const std::byte* in, int lanes, int bytes, std::size_t n, std::size_t stride,
          std::uint64_t* values) {
  by_width(static_cast<std::size_t>(bytes), [&](auto width) {
    load_words<width()>(in, static_cast<std::size_t>(lanes), n, stride, values);
  });
}

/// Lines are written and read a word of all of them after the other, so that what is known of a
/// word is looked at once: these many stay in the caches.
constexpr std::size_t kLines = 64;

/// One word of n records as text, each followed by `end`.
template <std::size_t W>
void put_column(const std::byte* word, std::size_t record_bytes, std::size_t n, char end, char* out,
                std::size_t chars) {
  for (std::size_t i = 0; i < n; ++i) *put_word<W>(word + i * record_bytes, out + i * chars) = end;
}

/// The 2 * W digits of a word as its value, and in the top bits of `seen` whether one is none.
template <std::size_t W>
std::uint64_t get_word(const std::uint8_t* digits, std::uint64_t& seen) {
  if constexpr (W == 8) {
    const std::uint64_t high = get_word<4>(digits, seen);
    return high << 32 | get_word<4>(digits + 8, seen);
  } else {
    // Digit i in byte lane i: pairs, then pairs of pairs, come together in lanes twice as wide.
    std::uint64_t x = 0;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&x, digits, 2 * W);
    } else {
      for (std::size_t i = 2 * W; i-- > 0;) x = x << 8 | digits[i];
    }
    seen |= x;
    if constexpr (W >= 1) x = (x << 4 | x >> 8) & 0x00FF00FF00FF00FFU;
    if constexpr (W >= 2) x = (x << 8 | x >> 16) & 0x0000FFFF0000FFFFU;
    if constexpr (W == 4) x = (x << 16 | x >> 32) & 0x00000000FFFFFFFFU;
    return x;
  }
}

/// The same back from the lines' characters and what digit_of() says of them; false where one is
/// not as it is written.
template <std::size_t W>
bool get_column(const char* text, const std::uint8_t* digits, std::size_t chars, std::size_t n,
                char end, std::byte* word, std::size_t record_bytes) {
  constexpr std::uint64_t kNoDigits = 0x0101010101010101U * kNoDigit;
  std::uint64_t seen = 0;
  int other = 0;
  for (std::size_t i = 0; i < n; ++i) {
    put_bytes<W>(get_word<W>(digits + i * chars, seen), word + i * record_bytes);
    other |= text[i * chars + 2 * W] ^ end;
  }
  return (seen & kNoDigits) == 0 && other == 0;
}

void require(const RecordBatch& batch, const FieldShape& shape) {
  if (batch.lanes(shape.field) != static_cast<std::size_t>(shape.lanes)) {
    throw VectorError("the records are of another shape than the header of the vector file says");
  }
}

/// Is the first word of a text, of so many digits, one that a simulator prints of unknown bits?
bool has_unknown_bits(std::string_view text, std::size_t digits, char separator) {
  const std::string_view word = text.substr(0, digits);
  return word.size() == digits && word.find_first_of("xXzZ") != std::string_view::npos &&
         word.find_first_not_of("0123456789abcdefxXzZ") == std::string_view::npos &&
         (text.size() == digits || text[digits] == separator);
}

}  // namespace

RecordCodec::RecordCodec(const RecordShape& shape) : shape_(shape) {
  for (const FieldShape& each : shape_.fields) {
    places_.push_back({each, record_bytes_});
    for (int lane = 0; lane < each.lanes; ++lane) {
      words_.push_back(
          {static_cast<std::uint32_t>(record_bytes_), static_cast<std::uint32_t>(each.bytes)});
      record_bytes_ += static_cast<std::size_t>(each.bytes);
    }
    if (is_result(each.field)) continue;
    operand_bytes_ = record_bytes_;
    operand_words_ = words_.size();
  }
}

std::size_t RecordCodec::line_chars(Part part) const {
  std::size_t chars = 0;
  // Two digits a byte, and a separator or line feed behind each word.
  for (const Word& word : words(part)) chars += 2 * word.bytes + 1;
  return chars;
}

std::span<const RecordCodec::Word> RecordCodec::words(Part part) const {
  const std::span<const Word> all = words_;
  if (part == Part::kOperands) return all.first(operand_words_);
  return part == Part::kResults ? all.subspan(operand_words_) : all;
}

void RecordCodec::pack(const RecordBatch& batch, std::size_t first, std::size_t n,
                       std::byte* records) const {
  for (const Place& place : places_) {
    require(batch, place.shape);
    const std::size_t lanes = batch.lanes(place.shape.field);
    store(batch.all(place.shape.field).data() + first * lanes, place.shape.lanes, place.shape.bytes,
          n, record_bytes_, records + place.offset);
  }
}

void RecordCodec::unpack(const std::byte* records, std::size_t n, RecordBatch& batch,
                         std::size_t first) const {
  for (const Place& place : places_) {
    require(batch, place.shape);
    const std::size_t lanes = batch.lanes(place.shape.field);
    load(records + place.offset, place.shape.lanes, place.shape.bytes, n, record_bytes_,
         batch.all(place.shape.field).data() + first * lanes);
  }
}

void RecordCodec::copy_operands(const std::byte* records, std::size_t n,
                                std::byte* operands) const {
  // Copies of a size known at compile time are single moves: conversions have few operand bytes.
  const auto copy = [&](auto size) {
    for (std::size_t i = 0; i < n; ++i) {
      std::memcpy(operands + i * size(), records + i * record_bytes_, size());
    }
  };
  switch (operand_bytes_) {
    case 1:
      copy(std::integral_constant<std::size_t, 1>());
      break;
    case 2:
      copy(std::integral_constant<std::size_t, 2>());
      break;
    case 4:
      copy(std::integral_constant<std::size_t, 4>());
      break;
    case 6:
      copy(std::integral_constant<std::size_t, 6>());
      break;
    case 8:
      copy(std::integral_constant<std::size_t, 8>());
      break;
    default:
      copy([this] { return operand_bytes_; });
      break;
  }
}

void RecordCodec::format(const std::byte* records, std::size_t n, Part part, char separator,
                         std::size_t pad, char* out) const {
  const std::span<const Word> list = words(part);
  const std::size_t padding = pad == 0 ? 0 : pad + 1;
  const std::size_t chars = line_chars(part) + padding;
  for (std::size_t first = 0; first < n; first += kLines) {
    const std::size_t lines = std::min(kLines, n - first);
    char* at = out + first * chars;
    for (std::size_t i = 0; i < lines && pad != 0; ++i) {
      std::memset(at + i * chars, '0', pad);
      at[i * chars + pad] = separator;
    }
    at += padding;
    for (const Word& word : list) {
      const char end = &word == &list.back() ? '\n' : separator;
      by_width(word.bytes, [&](auto width) {
        put_column<width()>(records + first * record_bytes_ + word.offset, record_bytes_, lines,
                            end, at, chars);
      });
      at += 2 * word.bytes + 1;
    }
  }
}

bool RecordCodec::parse_all(const char* lines, std::size_t n, std::size_t chars, Part part,
                            char separator, std::byte* records) const {
  const std::span<const Word> list = words(part);
  std::vector<std::uint8_t> digits((n - 1) * chars + line_chars(part));
  std::transform(lines, lines + digits.size(), digits.begin(), digit_of);
  bool good = true;
  std::size_t at = 0;
  for (const Word& word : list) {
    const char end = &word == &list.back() ? '\n' : separator;
    good &= by_width(word.bytes, [&](auto width) {
      return get_column<width()>(lines + at, digits.data() + at, chars, n, end,
                                 records + word.offset, record_bytes_);
    });
    at += 2 * word.bytes + 1;
  }
  return good;
}

std::size_t RecordCodec::parse(const char* lines, std::size_t n, std::size_t chars, Part part,
                               char separator, std::byte* records) const {
  const auto good = [&](std::size_t first, std::size_t count) {
    return parse_all(lines + first * chars, count, chars, part, separator,
                     records + first * record_bytes_);
  };
  for (std::size_t first = 0; first < n; first += kLines) {
    const std::size_t count = std::min(kLines, n - first);
    if (good(first, count)) continue;
    while (good(first, 1)) ++first;
    return first;
  }
  return n;
}

std::string RecordCodec::field_name(Part part, std::size_t word) const {
  if (part == Part::kResults) word += operand_words_;
  for (const FieldShape& each : shape_.fields) {
    const auto lanes = static_cast<std::size_t>(each.lanes);
    const std::string_view name = token_of(each.field);
    if (word < lanes) return lanes == 1 ? std::string(name) : fmt::format("{}[{}]", name, word);
    word -= lanes;
  }
  return "?";
}

std::string RecordCodec::diagnose(std::string_view line, Part part, char separator,
                                  std::size_t first_column) const {
  if (line.ends_with('\r')) {
    return "the line ends in CR LF; vector files have LF only, convert it with dos2unix";
  }
  const std::span<const Word> list = words(part);
  std::size_t at = 0;
  for (std::size_t w = 0; w < list.size(); ++w) {
    const auto report = [&](std::string_view what) {
      return fmt::format("column {}, field {}: {}", first_column + at, field_name(part, w), what);
    };
    const std::size_t digits = 2 * std::size_t{list[w].bytes};
    const std::string_view rest = line.substr(std::min(at, line.size()));
    if (has_unknown_bits(rest, digits, separator)) {
      return report(fmt::format("'{}': {}", rest.substr(0, digits), kUnknownBits));
    }
    for (std::size_t digit = 0; digit < digits; ++digit, ++at) {
      if (at >= line.size()) {
        return report(fmt::format("the line ends early, {} hex digits expected", digits));
      }
      const char c = line[at];
      if (c >= 'A' && c <= 'F') return report("hex digits are lowercase");
      if (digit_of(c) == kNoDigit) {
        return report(fmt::format("expected {} hex digits", digits));
      }
    }
    const bool last = w + 1 == list.size();
    if (last && at < line.size()) return report("the line goes on after its last field");
    if (!last && (at >= line.size() || line[at] != separator)) {
      return report(fmt::format("expected '{}' after {} digits", separator, digits));
    }
    ++at;
  }
  return "the line is not as it would be written";
}

}  // namespace mx::golden

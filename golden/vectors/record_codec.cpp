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

/// The two hex digits of every byte, and the value of every digit (kBad for anything else).
constexpr std::uint8_t kBad = 0x80;

constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 256> pairs{};
  constexpr std::string_view digits = "0123456789abcdef";
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {digits[i >> 4], digits[i & 15]};
  return pairs;
}();

constexpr auto kDigit = [] {
  std::array<std::uint8_t, 256> digit{};
  digit.fill(kBad);
  for (std::size_t i = 0; i < 10; ++i) digit['0' + i] = static_cast<std::uint8_t>(i);
  for (std::size_t i = 0; i < 6; ++i) digit['a' + i] = static_cast<std::uint8_t>(10 + i);
  return digit;
}();

template <std::size_t W>
char* put_word(const std::byte* word, char* out) {
  for (std::size_t i = 0; i < W; ++i) {
    std::memcpy(out + 2 * i, kPairs[static_cast<std::size_t>(word[W - 1 - i])].data(), 2);
  }
  return out + 2 * W;
}

/// Returns kBad or-ed in if a character is no digit.
template <std::size_t W>
unsigned get_word(const char* text, std::byte* word) {
  unsigned bad = 0;
  for (std::size_t i = 0; i < W; ++i) {
    const unsigned high = kDigit[static_cast<unsigned char>(text[2 * i])];
    const unsigned low = kDigit[static_cast<unsigned char>(text[2 * i + 1])];
    bad |= high | low;
    word[W - 1 - i] = static_cast<std::byte>((high << 4 | low) & 0xFFU);
  }
  return bad;
}

constexpr std::uint64_t each_byte(std::uint64_t value) { return value * 0x0101010101010101U; }

/// Eight digits at once, a byte lane each. Adding 128 - c to a lane below 128 sets its top bit
/// where the character is at least c, and no sum carries into the next lane.
template <>
unsigned get_word<4>(const char* text, std::byte* word) {
  constexpr std::uint64_t kTop = each_byte(0x80);
  std::uint64_t x = 0;
  std::memcpy(&x, text, 8);
  if constexpr (std::endian::native == std::endian::big) x = __builtin_bswap64(x);
  const std::uint64_t low7 = x & ~kTop;
  const auto at_least = [low7](unsigned char c) { return low7 + each_byte(0x80U - c); };
  const std::uint64_t digit = at_least('0') & ~at_least('9' + 1);
  const std::uint64_t letter = at_least('a') & ~at_least('f' + 1);
  const std::uint64_t valid = (digit | letter) & ~x & kTop;
  // Lane i holds digit i, the most significant in lane 0; letters are 9 above their low nibble.
  std::uint64_t v = (x & each_byte(0x0F)) + ((letter & kTop) >> 7) * 9;
  v = (v << 4 | v >> 8) & 0x00FF00FF00FF00FFU;
  v = (v | v >> 8) & 0x0000FFFF0000FFFFU;
  const std::uint32_t bytes = __builtin_bswap32(static_cast<std::uint32_t>(v | v >> 16));
  for (std::size_t i = 0; i < 4; ++i) word[i] = static_cast<std::byte>(bytes >> (8 * i) & 0xFFU);
  return valid == kTop ? 0 : kBad;
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

template <std::size_t W, typename T>
std::uint64_t store_words(const T* values, std::size_t lanes, std::size_t n, std::size_t stride,
                          std::byte* out) {
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

template <std::size_t W, typename T>
void load_words(const std::byte* in, std::size_t lanes, std::size_t n, std::size_t stride,
                T* values) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      values[i * lanes + lane] = static_cast<T>(get_bytes<W>(in + i * stride + lane * W));
    }
  }
}

/// Stores n * lanes values; the OR of all of them tells whether one was too wide.
template <typename T>
void store(const T* values, int lanes, int bytes, std::size_t n, std::size_t stride,
           std::byte* out) {
  const auto k = static_cast<std::size_t>(lanes);
  std::uint64_t seen = 0;
  switch (bytes) {
    case 1:
      seen = store_words<1>(values, k, n, stride, out) >> 8;
      break;
    case 2:
      seen = store_words<2>(values, k, n, stride, out) >> 16;
      break;
    case 4:
      seen = store_words<4>(values, k, n, stride, out) >> 32;
      break;
    default:
      store_words<8>(values, k, n, stride, out);
      break;
  }
  if (seen != 0) throw VectorError("a value is wider than its field; this is an error of mxgold");
}

template <typename T>
void load(const std::byte* in, int lanes, int bytes, std::size_t n, std::size_t stride, T* values) {
  const auto k = static_cast<std::size_t>(lanes);
  switch (bytes) {
    case 1:
      load_words<1>(in, k, n, stride, values);
      break;
    case 2:
      load_words<2>(in, k, n, stride, values);
      break;
    case 4:
      load_words<4>(in, k, n, stride, values);
      break;
    default:
      load_words<8>(in, k, n, stride, values);
      break;
  }
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
  for (std::size_t i = 0; i < n; ++i) {
    const std::byte* record = records + i * record_bytes_;
    if (pad != 0) {
      std::memset(out, '0', pad);
      out[pad] = separator;
      out += pad + 1;
    }
    for (const Word& word : list) {
      const std::byte* at = record + word.offset;
      switch (word.bytes) {
        case 1:
          out = put_word<1>(at, out);
          break;
        case 2:
          out = put_word<2>(at, out);
          break;
        case 4:
          out = put_word<4>(at, out);
          break;
        default:
          out = put_word<8>(at, out);
          break;
      }
      *out++ = separator;
    }
    out[-1] = '\n';
  }
}

bool RecordCodec::parse(const char* line, Part part, char separator, std::byte* record) const {
  const std::span<const Word> list = words(part);
  unsigned bad = 0;
  for (std::size_t w = 0; w < list.size(); ++w) {
    std::byte* at = record + list[w].offset;
    switch (list[w].bytes) {
      case 1:
        bad |= get_word<1>(line, at);
        break;
      case 2:
        bad |= get_word<2>(line, at);
        break;
      case 4:
        bad |= get_word<4>(line, at);
        break;
      default:
        bad |= get_word<8>(line, at);
        break;
    }
    line += 2 * std::size_t{list[w].bytes};
    const char wanted = w + 1 == list.size() ? '\n' : separator;
    bad |= *line++ == wanted ? 0U : kBad;
  }
  return (bad & kBad) == 0;
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
      if (kDigit[static_cast<unsigned char>(c)] == kBad) {
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

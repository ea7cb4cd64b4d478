// SPDX-License-Identifier: Apache-2.0
// The text form of logs: docs/identify.md.
#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "golden/bytes/error.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/identify/implementation_log.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kMostLanes = 65536;
constexpr std::string_view kHeaderRemedy =
    "start with a line SOURCE TARGET [values] [random [hexadecimal|decimal]] [tensor], for "
    "instance: "
    "fp32 e4m3fn";

/// An output that is not known: x, or an x for each digit as simulators print it.
bool is_unknown(std::string_view word) {
  return !word.empty() && word.find_first_not_of("xX") == std::string_view::npos;
}

/// Where in a text something is wrong.
struct Place {
  const std::string& name;
  std::uint64_t line = 0;

  [[noreturn]] void fail(std::string_view field, const std::string& problem,
                         std::string_view remedy) const {
    throw VectorError(filled("{}:{}: {}: {}; {}", name, line, field, problem, remedy));
  }
};

std::string shown(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, 40)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte > 0x7E ? filled("\\x{:02x}", byte) : std::string(1, c);
  }
  return out + (text.size() > 40 ? "...'" : "'");
}

/// Words separated by blanks, tabs, semicolons and commas.
std::vector<std::string_view> words_of(std::string_view line, const char* separators = " \t;\r,") {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (true) {
    at = line.find_first_not_of(separators, at);
    if (at == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(separators, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

/// Groups of words separated by `|` or `->`.
std::vector<std::vector<std::string_view>> groups_of(std::string_view line) {
  std::vector<std::vector<std::string_view>> groups;
  while (true) {
    const std::size_t bar = line.find('|');
    const std::size_t arrow = line.find("->");
    const std::size_t end = std::min(bar, arrow);
    groups.push_back(words_of(line.substr(0, end)));
    if (end == std::string_view::npos) return groups;
    line.remove_prefix(end + (end == arrow ? 2 : 1));
  }
}

/// The digits of a word, without 0x.
std::string_view digits_of(std::string_view word) {
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  return word;
}

std::uint64_t hex_word(const Place& place, std::string_view field, std::string_view word,
                       int bits) {
  const std::optional<std::uint64_t> value = parse_hex(digits_of(word));
  if (!value) {
    place.fail(field, shown(word) + " is no hexadecimal number",
               "write bit patterns in hexadecimal, for instance 3f800000");
  }
  if (bits < 64 && *value >> bits != 0) {
    place.fail(field, filled("{} has more than {} bits", shown(word), bits),
               "check the formats of the first line");
  }
  return *value;
}

/// Whole words of a format: a digit for every 4 of `bits`, or of the `storage_bits` of its words. A
/// shorter or longer one is a word of another format.
std::uint64_t pattern(const Place& place, std::string_view field, std::string_view word, int bits,
                      int storage_bits) {
  const std::uint64_t value = hex_word(place, field, word, bits);
  const std::size_t digits = digits_of(word).size();
  const auto digits_for = [](int n) { return static_cast<std::size_t>(n + 3) / 4; };
  const std::size_t own = digits_for(bits);
  const std::size_t stored = digits_for(storage_bits);
  if (digits != own && digits != stored) {
    place.fail(field,
               filled("{} has {} digits, and {} bits have {}{}", shown(word), digits, bits, own,
                      own == stored ? "" : filled(" (or {}, as stored)", stored)),
               "write every digit, and check the formats of the first line");
  }
  return value;
}

/// The first line that is neither blank nor a comment.
struct LogHeader {
  ImplementationLog log;
  bool has_tensor = false;
  bool has_decimal_random = false;
};

LogHeader parse_header(const Place& place, std::string_view line, FormatCatalog& catalog) {
  // Definitions of formats have commas: "exp_bits=3,man_bits=4".
  const bool defines = line.find('=') != std::string_view::npos;
  const std::vector<std::string_view> words = defines ? words_of(line, " \t;\r") : words_of(line);
  if (words.size() < 2) place.fail("header", "a source and a target are needed", kHeaderRemedy);
  for (const std::string_view name : std::span(words).first(2)) {
    if (catalog.find(name) == nullptr && catalog.find_block(name) == nullptr) {
      place.fail("header", "unknown format " + shown(name),
                 "mxgold list shows the formats that there are");
    }
  }
  const std::optional<Surface> surface = find_surface(words[0], words[1], catalog);
  if (!surface) place.fail("header", shown(words[0]) + " is no source", kHeaderRemedy);
  LogHeader header;
  header.log.surface = *surface;
  for (const std::string_view option : std::span(words).subspan(2)) {
    if (option == "values") {
      header.log.outputs = LogOutputs::kValues;
    } else if (option == "random") {
      header.log.has_random = true;
    } else if (option == "hexadecimal" || option == "decimal") {
      if (!header.log.has_random) {
        place.fail("header", filled("{}: the base of random words, and the log has none", option),
                   "write it after the word random");
      }
      header.has_decimal_random = option == "decimal";
    } else if (option == "tensor") {
      if (!surface->is_block || surface->block.tensor_scale == TensorScale::kNone) {
        place.fail("header", filled("tensor: {} has no scale of the tensor", surface->target()),
                   "leave the word and its group out");
      }
      header.has_tensor = true;
    } else {
      place.fail("header", "unknown option " + shown(option), kHeaderRemedy);
    }
  }
  return header;
}

/// One record of the text form.
class RecordParser {
 public:
  RecordParser(const LogHeader& header, const Place& place) : header_(header), place_(place) {}

  LogRecord parse(std::string_view line) const {
    return header_.log.surface.is_block ? block(line) : element(line);
  }

 private:
  [[nodiscard]] bool has_values() const { return header_.log.outputs == LogOutputs::kValues; }

  LogRecord element(std::string_view line) const {
    std::vector<std::string_view> words;
    for (const auto& group : groups_of(line)) words.insert(words.end(), group.begin(), group.end());
    const bool has_random = header_.log.has_random;
    const std::size_t wanted = has_random ? 3 : 2;
    if (words.size() != wanted) {
      place_.fail("record", filled("{} words in place of {}", words.size(), wanted),
                  has_random ? "write INPUT RANDOM OUTPUT" : "write INPUT OUTPUT");
    }
    const Surface& s = header_.log.surface;
    LogRecord record{
        .input = {.lanes = {source_word(words[0])}}, .answer = {}, .line = place_.line};
    if (has_random) record.input.random = {random_word(words[1])};
    take_outputs({words.back()}, s.destination, record);
    return record;
  }

  std::uint64_t source_word(std::string_view word) const {
    const ElementFormat& source = header_.log.surface.source;
    return pattern(place_, "input", word, source.bits, source.storage_bits);
  }

  /// A number of as many bits as the rounding draws: its leading zeros say nothing.
  std::uint32_t random_word(std::string_view word) const {
    const bool is_decimal = header_.has_decimal_random && digits_of(word).size() == word.size();
    if (!is_decimal) return static_cast<std::uint32_t>(hex_word(place_, "random", word, 32));
    const std::optional<std::uint64_t> value = parse_decimal(word);
    if (!value || *value >> 32 != 0) {
      place_.fail("random", shown(word) + " is no decimal number of at most 32 bits",
                  "write 0x before hexadecimal words, or hexadecimal in the first line");
    }
    return static_cast<std::uint32_t>(*value);
  }

  LogRecord block(std::string_view line) const {
    const auto groups = groups_of(line);
    const std::size_t wanted = 2U + (header_.log.has_random ? 1U : 0U) +
                               (header_.has_tensor ? 1U : 0U) + (has_values() ? 0U : 1U);
    if (groups.size() != wanted) {
      place_.fail("record", filled("{} groups in place of {}", groups.size(), wanted),
                  has_values() ? "write X0 X1 ... [| RANDOM] [| TENSOR AMAX] | V0 V1 ..."
                               : "write X0 X1 ... [| RANDOM] [| TENSOR AMAX] | SCALE | C0 C1 ...");
    }
    const Surface& s = header_.log.surface;
    LogRecord record{.input = {}, .answer = {}, .line = place_.line};
    for (const std::string_view word : groups[0]) record.input.lanes.push_back(source_word(word));
    const std::size_t count = record.input.lanes.size();
    const bool has_length = s.block.extent == BlockExtent::kElements;
    const std::size_t most = has_length ? static_cast<std::size_t>(s.block.elements()) : kMostLanes;
    if (count == 0 || count > most) {
      place_.fail("input", filled("{} elements", count),
                  filled("a block of {} has 1 to {}", s.block.name, most));
    }
    std::size_t at = 1;
    if (header_.log.has_random) {
      for (const std::string_view word : groups[at++]) {
        record.input.random.push_back(random_word(word));
      }
      const std::size_t words = record.input.random.size();
      if (words != 1 && words != count) {
        place_.fail("random", filled("{} words", words), "give one, or one for each element");
      }
    }
    if (header_.has_tensor) {
      record.input.tensor_amax = static_cast<std::uint32_t>(one(groups[at++], "tensor amax", 32));
      if (record.input.tensor_amax >= 0x7F800000) {
        place_.fail("tensor amax", "no finite, positive binary32 number", "give the bit pattern");
      }
    }
    if (!has_values()) {
      const auto& group = groups[at++];
      record.has_scale = !(group.size() == 1 && is_unknown(group[0]));
      if (record.has_scale) record.answer.scale = one(group, "scale", s.block.scale_bits());
    }
    take_outputs(groups[at], s.block.element, record);
    if (record.answer.codes.size() != count) {
      place_.fail("output", filled("{} words for {} elements", record.answer.codes.size(), count),
                  "give one for each element");
    }
    return record;
  }

  /// Output words, `x` for one that is not known.
  void take_outputs(const std::vector<std::string_view>& words, const ElementFormat& codes,
                    LogRecord& record) const {
    const ElementFormat& format = has_values() ? formats::fp32 : codes;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool unknown = is_unknown(words[i]);
      record.answer.codes.push_back(
          unknown ? 0 : pattern(place_, "output", words[i], format.bits, format.storage_bits));
      if (unknown && record.unknown.empty()) record.unknown.resize(words.size());
      if (unknown) record.unknown[i] = true;
    }
  }

  std::uint64_t one(const std::vector<std::string_view>& group, std::string_view field,
                    int bits) const {
    if (group.size() != 1) {
      place_.fail(field, filled("{} words", group.size()), "give one word");
    }
    return pattern(place_, field, group[0], bits, stored_bits(bits));
  }

  /// Of a scale with the bits of its sublevels, or of binary32.
  static int stored_bits(int bits) {
    int stored = 8;
    while (stored < bits) stored *= 2;
    return stored;
  }

  const LogHeader& header_;
  const Place& place_;
};

}  // namespace

ImplementationLog parse_log(const std::string& name, const std::string& text,
                            FormatCatalog& catalog) {
  Place place{name};
  std::optional<LogHeader> header;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++place.line;
    if (words_of(line).empty() || line[line.find_first_not_of(" \t")] == '#') continue;
    if (!header) {
      header = parse_header(place, line, catalog);
    } else {
      header->log.records.push_back(RecordParser(*header, place).parse(line));
    }
  }
  if (!header) place.fail("header", "missing", kHeaderRemedy);
  if (header->log.records.empty()) {
    place.fail("record", "none", "add a line with an input and the output for it");
  }
  return std::move(header->log);
}

}  // namespace mx::golden

// SPDX-License-Identifier: Apache-2.0
#include "golden/makers/readings.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "golden/bytes/reversed.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

using Kind = Reading::Kind;

constexpr std::size_t kFirstRecords = 128;  ///< by which readings are tried first
constexpr int kMostCodeBits = 16;           ///< of formats whose codes are found by their values

/// Formats of as many bits, which are other ones.
std::vector<ElementFormat> alike(const ElementFormat& format) {
  std::vector<ElementFormat> found;
  for (const ElementFormat& each : all_formats()) {
    if (each.bits == format.bits && each != format) found.push_back(each);
  }
  return found;
}

/// Block formats of the same shape and widths, with other elements.
std::vector<BlockFormat> alike(const BlockFormat& format) {
  std::vector<BlockFormat> found;
  for (const BlockFormat& each : all_block_formats()) {
    const bool fits = each.element.bits == format.element.bits && each.scale == format.scale &&
                      each.block_size == format.block_size &&
                      each.tile_lines == format.tile_lines && each.extent == format.extent &&
                      each.tensor_scale == format.tensor_scale &&
                      each.sublevels == format.sublevels;
    if (fits && each.element != format.element) found.push_back(each);
  }
  return found;
}

bool has_bytes(int bits) { return bits == 16 || bits == 32 || bits == 64; }

int output_bits(const ImplementationLog& log) {
  if (log.outputs == LogOutputs::kValues) return 32;
  return log.surface.is_block ? log.surface.block.element.bits : log.surface.destination.bits;
}

/// Exchanges every two outputs, what is known of them included.
void exchange(LogRecord& a, std::size_t i, LogRecord& b, std::size_t j) {
  std::swap(a.answer.codes[i], b.answer.codes[j]);
  a.unknown.resize(a.answer.codes.size());
  b.unknown.resize(b.answer.codes.size());
  const bool is_known_a = a.unknown[i];
  a.unknown[i] = b.unknown[j];
  b.unknown[j] = is_known_a;
}

/// False where there is no whole number of pairs.
bool exchange_pairs(ImplementationLog& log) {
  if (!log.surface.is_block) {
    if (log.records.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < log.records.size(); i += 2) {
      exchange(log.records[i], 0, log.records[i + 1], 0);
    }
    return true;
  }
  for (LogRecord& record : log.records) {
    if (record.answer.codes.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < record.answer.codes.size(); i += 2) {
      exchange(record, i, record, i + 1);
    }
  }
  return true;
}

/// Values as the codes that have them in a format. False for one that no code has.
bool values_to_codes(ImplementationLog& log, const ElementFormat& format) {
  std::map<std::uint64_t, std::uint64_t> code_of;
  for (std::uint64_t code = 0; code <= format.code_mask(); ++code) {
    code_of.try_emplace(value32(format, code), code);
  }
  log.outputs = LogOutputs::kCodes;
  for (LogRecord& record : log.records) {
    if (!is_known(record, 0)) continue;
    const auto found = code_of.find(record.answer.codes[0]);
    if (found == code_of.end()) return false;
    record.answer.codes[0] = found->second;
  }
  return true;
}

std::string format_text(const ElementFormat& format, const ElementFormat& other) {
  const bool is_float = format.kind == FormatKind::kFloat && other.kind == FormatKind::kFloat;
  if (!is_float || format.bias == other.bias) return std::string(format.name);
  return filled("{} (bias {})", format.name, format.bias);
}

/// "e4m3fn (bias 7), not e4m3fnuz (bias 8)"
std::string instead(const ElementFormat& read, const ElementFormat& written) {
  return filled("{}, not {}", format_text(read, written), format_text(written, read));
}

/// A word whose hexadecimal digits are decimal ones; nothing where some are not.
std::optional<std::uint32_t> decimal(std::uint32_t word) {
  std::uint32_t number = 0;
  for (int at = 28; at >= 0; at -= 4) {
    const std::uint32_t digit = word >> at & 0xF;
    if (digit > 9) return std::nullopt;
    number = number * 10 + digit;
  }
  return number;
}

/// False where a word is no decimal number, or all are the same in both.
bool random_to_decimal(ImplementationLog& log) {
  bool is_other = false;
  for (LogRecord& record : log.records) {
    for (std::uint32_t& word : record.input.random) {
      const std::optional<std::uint32_t> number = decimal(word);
      if (!number) return false;
      is_other = is_other || *number != word;
      word = *number;
    }
  }
  return is_other;
}

constexpr std::size_t kTileRows = 128;  ///< of the layout swizzle_128x4
constexpr std::size_t kTileColumns = 4;

/// Where the scale of a block stands in a log of so many.
std::size_t place_of_scale(const Reading& reading, std::size_t block, std::size_t count) {
  const std::size_t columns = reading.row_of_blocks;
  const std::size_t row = block / columns;
  const std::size_t column = block % columns;
  if (reading.kind == Kind::kColumns) return column * (count / columns) + row;
  const std::size_t tile = row / kTileRows * (columns / kTileColumns) + column / kTileColumns;
  return tile * kTileRows * kTileColumns + row % 32 * 16 + row % kTileRows / 32 * kTileColumns +
         column % kTileColumns;
}

/// Do whole tiles fill a log of so many blocks in such rows?
bool has_whole_tiles(std::size_t count, std::size_t columns) {
  return columns % kTileColumns == 0 && count / columns % kTileRows == 0;
}

std::vector<Hypothesis> profiles_on(const Surface& surface) {
  std::vector<Hypothesis> profiles;
  for (const Candidate& candidate : candidates_of(surface)) {
    profiles.push_back({candidate, {}, *subject_of(candidate, surface)});
  }
  return profiles;
}

/// Does any of them agree with a log? Few do, and most part from it soon.
bool is_agreed_to(const ImplementationLog& log, const std::vector<Hypothesis>& hypotheses,
                  int threads) {
  std::vector<Subject> subjects;
  for (const Hypothesis& each : hypotheses) {
    if (can_judge(log, each.subject)) subjects.push_back(each.subject);
  }
  return std::ranges::any_of(judge_until_contradicted(log, subjects, {}, threads),
                             [](const Tally& each) { return each.contradicted == 0; });
}

/// Those that explain a log.
std::vector<Ruling> explaining(const ImplementationLog& log,
                               const std::vector<Hypothesis>& hypotheses, int threads) {
  std::vector<Ruling> rulings = rule_on(log, hypotheses, threads).list;
  std::erase_if(rulings, [](const Ruling& each) { return !each.explains(); });
  return rulings;
}

}  // namespace

std::string Reading::text() const {
  const bool is_block = written.is_block;
  switch (kind) {
    case Kind::kTarget:
      return is_block ? filled("codes of {}, not of {}", surface.target(), written.target())
                      : "codes of " + instead(surface.destination, written.destination);
    case Kind::kSource:
      return "inputs of " + instead(format, written.source);
    case Kind::kValues:
      return "values of codes of " + instead(format, written.destination);
    case Kind::kSourceBytes:
      return "inputs with their bytes in the other order";
    case Kind::kOutputBytes:
      return "outputs with their bytes in the other order";
    case Kind::kDecimal:
      return "random words in decimal (write random decimal in the first line)";
    case Kind::kTiles:
      return filled("scales in tiles of 128 x 4 (--scale-layout {}), of rows of {} blocks",
                    "swizzle_128x4", row_of_blocks);
    case Kind::kColumns:
      return filled("scales column by column, of rows of {} blocks", row_of_blocks);
    case Kind::kNibbles:
      break;
  }
  return "every two codes exchanged (the other nibble first)";
}

std::vector<Reading> readings_of(const ImplementationLog& log) {
  const Surface& own = log.surface;
  const bool has_values = log.outputs == LogOutputs::kValues;
  std::vector<Reading> found;
  const auto add = [&](Kind kind, const Surface& surface, const ElementFormat& format) {
    found.push_back({.kind = kind, .format = format, .surface = surface, .written = own});
  };
  if (own.is_block && !has_values) {
    for (const BlockFormat& block : alike(own.block)) {
      Surface other = own;
      other.block = block;
      add(Kind::kTarget, other, block.element);
    }
  }
  if (!own.is_block) {
    for (const ElementFormat& format : alike(own.destination)) {
      Surface other = own;
      other.destination = format;
      if (!has_values) add(Kind::kTarget, other, format);
      if (has_values && format.bits <= kMostCodeBits) add(Kind::kValues, own, format);
    }
  }
  for (const ElementFormat& format : alike(own.source)) {
    Surface other = own;
    other.source = format;
    add(Kind::kSource, other, format);
  }
  if (has_bytes(own.source.bits)) add(Kind::kSourceBytes, own, own.source);
  if (has_bytes(output_bits(log))) add(Kind::kOutputBytes, own, own.source);
  if (!has_values && output_bits(log) == 4) add(Kind::kNibbles, own, own.source);
  if (log.has_random) add(Kind::kDecimal, own, own.source);
  // Records that are not all there stand in no rows.
  if (!own.is_block || has_values || !log.places.empty()) return found;
  const std::size_t count = log.records.size();
  for (std::size_t columns = 2; columns <= count / 2; ++columns) {
    if (count % columns != 0) continue;
    for (const Kind kind : {Kind::kTiles, Kind::kColumns}) {
      if (kind == Kind::kTiles && !has_whole_tiles(count, columns)) continue;
      add(kind, own, own.source);
      found.back().row_of_blocks = columns;
    }
  }
  return found;
}

std::optional<ImplementationLog> read_as(const ImplementationLog& log, const Reading& reading,
                                         std::size_t count) {
  ImplementationLog read{reading.surface, log.outputs, log.has_random, {}, log.names};
  count = std::min(count, log.records.size());
  read.records.assign(log.records.begin(),
                      log.records.begin() + static_cast<std::ptrdiff_t>(count));
  bool has_meaning = true;
  if (reading.kind == Kind::kDecimal) has_meaning = random_to_decimal(read);
  if (reading.kind == Kind::kTiles || reading.kind == Kind::kColumns) {
    for (std::size_t i = 0; i < count; ++i) {
      const LogRecord& there = log.records[place_of_scale(reading, i, log.records.size())];
      read.records[i].answer.scale = there.answer.scale;
      read.records[i].has_scale = there.has_scale;
    }
  }
  if (reading.kind == Kind::kValues) has_meaning = values_to_codes(read, reading.format);
  if (reading.kind == Kind::kNibbles) has_meaning = exchange_pairs(read);
  if (reading.kind == Kind::kSourceBytes || reading.kind == Kind::kOutputBytes) {
    const bool is_source = reading.kind == Kind::kSourceBytes;
    const int bits = is_source ? log.surface.source.bits : output_bits(log);
    for (LogRecord& record : read.records) {
      for (std::uint64_t& word : is_source ? record.input.lanes : record.answer.codes) {
        word = reversed_parts(word, bits, 8);
      }
    }
  }
  if (!has_meaning) return std::nullopt;
  return read;
}

std::vector<ReadLog> explained_readings(const ImplementationLog& log,
                                        const std::vector<Hypothesis>& changed, int threads) {
  std::vector<ReadLog> found;
  for (Reading& reading : readings_of(log)) {
    const std::optional<ImplementationLog> start = read_as(log, reading, kFirstRecords);
    if (!start) continue;
    std::vector<Hypothesis> tried = profiles_on(reading.surface);
    if (reading.kind == Kind::kDecimal) tried.insert(tried.end(), changed.begin(), changed.end());
    if (!is_agreed_to(*start, tried, threads)) continue;
    std::vector<Hypothesis> left;
    for (Ruling& each : explaining(*start, tried, threads)) {
      left.push_back(std::move(each.hypothesis));
    }
    if (left.empty()) continue;
    const std::optional<ImplementationLog> whole = read_as(log, reading, log.records.size());
    if (!whole) continue;
    const std::vector<Ruling> rulings = explaining(*whole, left, threads);
    if (rulings.empty()) continue;
    std::vector<HypothesisClass> classes = Classes(reading.surface).of_profiles(rulings);
    found.push_back({reading, std::move(classes)});
  }
  return found;
}

std::vector<Respondent> respondents_of(const ImplementationLog& log, const ReadLog& read) {
  std::vector<Respondent> respondents;
  for (const HypothesisClass& each : read.classes) {
    const Hypothesis& first = each.members.front();
    const auto answer = [&](const BlockInput& input) -> std::optional<BlockAnswer> {
      const Kind kind = read.reading.kind;
      if (kind == Kind::kValues || kind == Kind::kDecimal || kind == Kind::kTiles ||
          kind == Kind::kColumns) {
        return std::nullopt;
      }
      ImplementationLog one{log.surface, log.outputs, log.has_random, {}, log.names};
      one.records.push_back(
          {.input = input,
           .answer = {.scale = 0, .codes = std::vector<std::uint64_t>(input.lanes.size())}});
      std::optional<ImplementationLog> seen = read_as(one, read.reading, 1);
      if (!seen) return std::nullopt;
      const BlockInput& meant = seen->records[0].input;
      if (open_parts(read.reading.surface, first.subject, meant).any()) return std::nullopt;
      // Whatever is exchanged is so once more.
      one.records[0].answer = answer_of(read.reading.surface, first.subject, meant);
      return read_as(one, read.reading, 1)->records[0].answer;
    };
    respondents.push_back({filled("{} with {}", first.name(), read.reading.text()), answer});
  }
  return respondents;
}

}  // namespace mx::golden

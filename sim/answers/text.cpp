// SPDX-License-Identifier: Apache-2.0
#include "sim/answers/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "golden/bytes/error.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/vectors/record_codec.hpp"
#include "sim/answers/columns.hpp"

namespace mx::sim {
namespace {

using golden::with_commas;

constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
constexpr std::string_view kUnknownDigits = "xXzZ";

struct AnswerWord {
  std::string_view text;
  std::size_t column = 1;
};

bool is_comment(std::string_view line) { return line.starts_with('#') || line.starts_with("//"); }

std::string_view stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// A line without bytes that no terminal should get.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 24;
  std::string plain;
  for (const char c : text.substr(0, kMost)) plain += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > kMost ? plain + "..." : plain;
}

class AnswerReader {
 public:
  AnswerReader(std::string_view text, const std::string& name, const golden::VectorHeader& header,
               std::span<const std::string> fields)
      : rest_(text), header_(header) {
    given_.name = name;
    given_.records = golden::RecordBatch(header.shape(), 0);
    if (!fields.empty()) columns_ = require(answer_columns(fields, header), "--fields");
  }

  GivenAnswers read() {
    refuse_binary();
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    while (!rest_.empty()) take_line();
    if (given_.lines.size() != header_.count) {
      const std::string got = with_commas(given_.lines.size());
      throw golden::VectorError(fmt::format(
          "{}: ends after line {} with {} answers; the vectors are {} records, and each has an "
          "answer",
          given_.name, line_, got, with_commas(header_.count)));
    }
    given_.fields = columns_->fields;
    return std::move(given_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw golden::VectorError(fmt::format("{}: line {}: {}", given_.name, line_, what));
  }

  [[noreturn]] void fail(const AnswerWord& word, std::string_view field,
                         std::string_view what) const {
    fail(fmt::format("column {}, field {}: '{}': {}", word.column, field, shown(word.text), what));
  }

  AnswerColumns require(const Checked<AnswerColumns>& columns, std::string_view by) const {
    if (columns) return *columns;
    throw golden::VectorError(fmt::format("{}: {}: {}", given_.name, by, columns.problem()));
  }

  void refuse_binary() const {
    const std::size_t nul = rest_.find('\0');
    if (!rest_.starts_with("\xFF\xFE") && !rest_.starts_with("\xFE\xFF") &&
        nul == std::string_view::npos) {
      return;
    }
    throw golden::VectorError(fmt::format(
        "{}: byte {}: is no plain text (UTF-16, or a binary file); write lines of hexadecimal "
        "digits in ASCII, or an array file with its ending",
        given_.name, nul == std::string_view::npos ? 0 : nul));
  }

  void take_line() {
    ++line_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view whole = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    const std::string_view line = stripped(whole);
    if (line.empty()) return;
    if (given_.lines.empty() && line.starts_with("# mxgold")) refuse_vectors();
    if (is_comment(line)) return;
    split(whole);
    if (!has_begun_) {
      has_begun_ = true;
      if (takes_names()) return;
    }
    if (!columns_) columns_ = require(answer_columns({}, header_), "its fields");
    if (given_.lines.size() == header_.count) {
      fail(fmt::format("one answer more than the vectors have records, which are {}",
                       with_commas(header_.count)));
    }
    take_words();
  }

  [[noreturn]] void refuse_vectors() const {
    fail("is a vector file, with operands; check it alone: mxgold check " + given_.name);
  }

  /// Words of a line between blanks, commas and semicolons, without quotes around them.
  void split(std::string_view line) {
    words_.clear();
    constexpr std::string_view kBetween = " \t\r,;";
    bool has_word = false;  // since the last comma
    for (std::size_t at = 0; at < line.size();) {
      if (kBetween.find(line[at]) != std::string_view::npos) {
        const bool is_comma = line[at] == ',' || line[at] == ';';
        if (is_comma && !has_word) fail(fmt::format("column {}: an empty cell", at + 1));
        if (is_comma) has_word = false;
        ++at;
        continue;
      }
      const std::size_t end = std::min(line.find_first_of(kBetween, at), line.size());
      AnswerWord word{line.substr(at, end - at), at + 1};
      if (word.text.size() >= 2 && word.text.starts_with('"') && word.text.ends_with('"')) {
        word = {word.text.substr(1, word.text.size() - 2), at + 2};
      }
      words_.push_back(word);
      has_word = true;
      at = end;
    }
  }

  /// Is the first line one of names? Those are the columns, unless --fields said them.
  bool takes_names() {
    const auto is_number = [](const AnswerWord& word) {
      return word.text.find_first_not_of("0123456789abcdefABCDEFxXzZ?") == std::string_view::npos;
    };
    if (std::ranges::any_of(words_, is_number)) return false;
    if (columns_) return words_.size() == columns_->columns.size();
    std::vector<std::string> names;
    for (const AnswerWord& word : words_) names.emplace_back(word.text);
    const Checked<AnswerColumns> columns = answer_columns(names, header_);
    if (!columns) fail(std::string(columns.problem()));
    columns_ = *columns;
    return true;
  }

  void take_words() {
    const std::size_t i = given_.lines.size();
    given_.records.resize(i + 1);
    given_.lines.push_back(line_);
    const bool is_packed = words_.size() != columns_->words() && columns_->may_be_packed() &&
                           words_.size() == columns_->columns.size();
    if (!is_packed && words_.size() != columns_->words()) refuse_count();
    const AnswerWord* word = words_.data();
    for (const AnswerColumn& each : columns_->columns) {
      if (each.is_skipped) {
        ++word;
        continue;
      }
      const std::span<std::uint64_t> lanes = given_.records.of(each.shape.field, i);
      const std::string_view name = token_of(each.shape.field);
      if (is_packed && each.words() > 1) {
        unpack(*word++, each, lanes);
        continue;
      }
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        if (each.lane >= 0 && lane != static_cast<std::size_t>(each.lane)) continue;
        const bool is_one = lanes.size() == 1;
        lanes[lane] =
            value(*word++, is_one ? std::string(name) : fmt::format("{}[{}]", name, lane), each);
      }
    }
  }

  [[noreturn]] void refuse_count() const {
    const std::string packed =
        columns_->may_be_packed()
            ? fmt::format(", or {} with all lanes of a field in one", columns_->columns.size())
            : "";
    fail(fmt::format("{} words, and {} are expected{}: {}; --fields says which fields a line has",
                     words_.size(), columns_->words(), packed, columns_->text()));
  }

  /// The digits of a word, which has so many where it is written in full.
  std::string_view digits(const AnswerWord& word, std::string_view field,
                          std::initializer_list<std::size_t> full) {
    std::string_view text = word.text;
    const bool is_prefixed = text.size() > 2 && (text.starts_with("0x") || text.starts_with("0X"));
    // A simulator prints such words, too, of bits that it does not know: they are of full width, or
    // among others without 0x.
    const bool is_full = std::ranges::find(full, text.size()) != full.end() ||
                         is_prefixed != has_prefixes_.value_or(is_prefixed);
    if (is_prefixed && !is_full) text.remove_prefix(2);
    has_prefixes_ = has_prefixes_.value_or(is_prefixed);
    const std::size_t other = text.find_first_not_of(kHexDigits);
    if (other == std::string_view::npos && !text.empty()) return text;
    std::string without(text);
    std::erase_if(without, [](char c) { return kUnknownDigits.find(c) != std::string_view::npos; });
    if (!text.empty() && without.find_first_not_of(kHexDigits) == std::string::npos) {
      fail(word, field,
           is_prefixed && is_full
               ? fmt::format("{}; else write 0x before every word, and all digits behind it",
                             golden::kUnknownBits)
               : std::string(golden::kUnknownBits));
    }
    fail(word, field, "expected hexadecimal digits; what is none may follow # or //");
  }

  std::uint64_t value(const AnswerWord& word, const std::string& field,
                      const AnswerColumn& column) {
    const std::size_t most = 2 * static_cast<std::size_t>(column.shape.bytes);
    std::string_view text = digits(word, field, {most, (column.bits + 3) / 4});
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    if (text.size() > most) fail(word, field, fmt::format("more than {} digits", most));
    std::uint64_t value = 0;
    for (const char c : text) value = value << 4 | nibble(c);
    return value;
  }

  /// All lanes of a field in one word.
  void unpack(const AnswerWord& word, const AnswerColumn& column, std::span<std::uint64_t> lanes) {
    const std::string field = fmt::format("{}[{}]", token_of(column.shape.field), lanes.size());
    const std::size_t bits = column.bits * lanes.size();
    const std::string_view text = digits(word, field, {(bits + 3) / 4});
    std::ranges::fill(lanes, 0);
    for (std::size_t d = 0; d < text.size(); ++d) {
      const unsigned digit = nibble(text[text.size() - 1 - d]);
      for (std::size_t b = 0; b < 4; ++b) {
        if ((digit >> b & 1) == 0) continue;
        const std::size_t bit = 4 * d + b;
        if (bit >= bits) {
          fail(word, field, fmt::format("more than {} bits, {} for each lane", bits, column.bits));
        }
        lanes[bit / column.bits] |= std::uint64_t{1} << bit % column.bits;
      }
    }
  }

  static unsigned nibble(char c) {
    if (c <= '9') return static_cast<unsigned>(c - '0');
    return static_cast<unsigned>((c | 0x20) - 'a' + 10);
  }

  std::string_view rest_;
  const golden::VectorHeader& header_;
  GivenAnswers given_;
  std::optional<AnswerColumns> columns_;
  std::vector<AnswerWord> words_;
  std::optional<bool> has_prefixes_;  ///< of the first word
  std::uint64_t line_ = 0;
  bool has_begun_ = false;
};

}  // namespace

GivenAnswers parse_answers(std::string_view text, const std::string& name,
                           const golden::VectorHeader& header,
                           std::span<const std::string> fields) {
  return AnswerReader(text, name, header, fields).read();
}

std::uint64_t most_answer_bytes(const golden::VectorHeader& header) {
  constexpr std::uint64_t kSlack = std::uint64_t{1} << 20, kRoom = 4;
  const golden::RecordCodec codec(header.shape());
  return kSlack + kRoom * (header.count + 1) * codec.line_chars(golden::Part::kResults);
}

}  // namespace mx::sim

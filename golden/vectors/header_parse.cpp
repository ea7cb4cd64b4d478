#include "golden/vectors/header_parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "golden/bytes/error.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/configuration/idle.hpp"
#include "golden/configuration/named_formats.hpp"
#include "golden/configuration/policies.hpp"
#include "golden/configuration/text.hpp"

namespace mx::golden {
namespace {

using FieldMap = std::map<std::string, std::string>;

/// The header as key and value, with the line number for messages.
class HeaderLines {
 public:
  HeaderLines(const std::vector<std::string>& lines, const std::string& where) : where_(where) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t space = lines[i].find(' ');
      if (space == std::string::npos) fail(i, "a header line is \"key value\"");
      const std::string key = lines[i].substr(0, space);
      if (key == "config") {
        configs_.push_back({i, lines[i].substr(space + 1)});
        continue;
      }
      if (values_.contains(key)) fail(i, fmt::format("the field {} is there twice", key));
      values_[key] = {i, lines[i].substr(space + 1)};
    }
  }

  struct Entry {
    std::size_t line = 0;
    std::string value;
  };

  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw VectorError(
        fmt::format("{}:{}: {}; regenerate the file with mxgold gen", where_, line + 1, what));
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& wanted) const {
    const Entry& entry = values_.at(key);
    fail(entry.line, fmt::format("{} is \"{}\", expected {}", key, entry.value, wanted));
  }

  const std::string& text(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) fail(0, fmt::format("the header has no field {}", key));
    return found->second.value;
  }
  std::uint64_t number(const std::string& key, std::uint64_t low, std::uint64_t high) const {
    std::uint64_t value = 0;
    if (!parse_decimal(text(key), value) || value < low || value > high) {
      refuse(key, fmt::format("a number from {} to {}", low, high));
    }
    return value;
  }
  /// The line of a field, that of `otherwise` where the field has none.
  std::size_t line_of(const std::string& key, std::size_t otherwise) const {
    const auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second.line;
  }

  [[nodiscard]] FieldMap shared() const {
    FieldMap fields;
    for (const auto& [key, entry] : values_) fields[key] = entry.value;
    return fields;
  }
  [[nodiscard]] const std::vector<Entry>& configs() const { return configs_; }

 private:
  std::string where_;
  std::map<std::string, Entry> values_;
  std::vector<Entry> configs_;
};

/// Adds "I key=value; key=value" to the fields that all share.
FieldMap own_fields(const HeaderLines& lines, const HeaderLines::Entry& entry, std::size_t number,
                    FieldMap fields) {
  const std::string start = fmt::format("{} ", number);
  if (!entry.value.starts_with(start)) {
    lines.fail(entry.line, fmt::format("expected configuration {}", number));
  }
  std::string_view rest = std::string_view(entry.value).substr(start.size());
  while (!rest.empty()) {
    const std::size_t end = rest.find("; ");
    const std::string_view pair = rest.substr(0, end);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      lines.fail(entry.line, "a configuration is a list of key=value separated by \"; \"");
    }
    fields[std::string(pair.substr(0, equals))] = std::string(pair.substr(equals + 1));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 2);
  }
  return fields;
}

void read_configurations(const HeaderLines& lines, VectorHeader& header) {
  const std::size_t count = lines.number("configurations", 1, kMaxConfigurations);
  const FieldMap shared = lines.shared();
  const std::vector<HeaderLines::Entry>& own = lines.configs();
  if (own.size() != (count == 1 ? 0 : count)) {
    lines.fail(lines.line_of("configurations", 0),
               fmt::format("{} configurations declared, {} described", count, own.size()));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t line = own.empty() ? 0 : own[i].line;
    const FieldMap fields = own.empty() ? shared : own_fields(lines, own[i], i, shared);
    Configuration configuration;
    if (const auto wrong = parse_fields(header.op, fields, *header.catalog, configuration)) {
      lines.fail(lines.line_of(wrong->field, line),
                 fmt::format("{}{}{}", wrong->field, wrong->field.empty() ? "" : " ", wrong->what));
    }
    if (const auto wrong = idle_field(configuration)) {
      lines.fail(lines.line_of(wrong->field, line),
                 fmt::format("{} {}", wrong->field, wrong->what));
    }
    for (const std::string& why : {named_format_problem(configuration),
                                   chosen_problem(header.op, configuration.origin.chosen)}) {
      if (!why.empty()) lines.fail(lines.line_of(why.substr(0, why.find(' ')), line), why);
    }
    header.configs.push_back(std::move(configuration));
  }
}

void read_set(const HeaderLines& lines, VectorHeader& header) {
  header.lanes = static_cast<int>(lines.number("lanes", 1, kMaxLanes));
  const std::string& lengths = lines.text("lengths");
  if (lengths != "full" && lengths != "vary") lines.refuse("lengths", "full or vary");
  header.lengths = lengths == "full" ? Lengths::kFull : Lengths::kVary;
  const std::string& random = lines.text("random");
  if (random != "none" && random != "direct") lines.refuse("random", "none or direct");
  header.random_words = random == "direct" ? RandomWords::kPresent : RandomWords::kAbsent;
  header.suite = lines.text("suite");
  header.level = static_cast<int>(lines.number("level", 0, 99));
  header.seed = lines.number("seed", 0, ~std::uint64_t{0});
  header.drawn = lines.number("drawn", 0, std::uint64_t{1} << 48);
  const std::optional<Shard> shard = parse_shard(lines.text("shard"));
  if (!shard) lines.refuse("shard", "i/n with i < n");
  header.shard = shard->index;
  header.shards = shard->count;
  header.generator = lines.text("generator");
  // The product count * record size must stay far inside 64 bits.
  header.count = lines.number("count", 0, std::uint64_t{1} << 48);
  if (header.count == 0) lines.refuse("count", "at least one vector");
}

/// One spelling only: what is accepted is exactly what would be written.
void check_spelling(const HeaderLines& lines, const std::vector<std::string>& text,
                    const VectorHeader& header) {
  std::string joined;
  for (const std::string& line : text) joined += line + '\n';
  const std::string canonical = header.text("");
  if (joined == canonical) return;
  const auto at = std::ranges::mismatch(joined, canonical).in1 - joined.begin();
  const auto line = static_cast<std::size_t>(std::count(joined.begin(), joined.begin() + at, '\n'));
  const std::size_t start =
      at == 0 ? 0 : canonical.rfind('\n', static_cast<std::size_t>(at) - 1) + 1;
  lines.fail(line, fmt::format("expected the header line \"{}\"",
                               canonical.substr(start, canonical.find('\n', start) - start)));
}

}  // namespace

bool parse_decimal(std::string_view text, std::uint64_t& value) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

VectorHeader parse_header(const std::vector<std::string>& text, const std::string& where,
                          casts::CastMaker casts) {
  const HeaderLines lines(text, where);
  VectorHeader header;
  if (lines.text("mxgold-vectors") != std::to_string(kSchema)) {
    lines.refuse("mxgold-vectors", fmt::format("schema {}", kSchema));
  }
  const auto op = parse_token<Operation>(lines.text("op"));
  if (!op) lines.refuse("op", "cvt, block, dot or arith");
  header.op = *op;
  header.catalog = std::make_shared<FormatCatalog>(casts);
  read_configurations(lines, header);
  read_set(lines, header);
  if (const std::string why = header.problem(); !why.empty()) {
    lines.fail(lines.line_of("configurations", 0), why);
  }
  check_spelling(lines, text, header);
  return header;
}

}  // namespace mx::golden

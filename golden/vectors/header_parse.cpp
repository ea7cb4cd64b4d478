#include "golden/vectors/header_parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "golden/bytes/error.hpp"
#include "golden/bytes/number_text.hpp"
#include "reference/catalog/fields.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/fields.hpp"

namespace mx::golden {
namespace {

/// The header as key and value, with the line number for messages.
class HeaderLines {
 public:
  HeaderLines(const std::vector<std::string>& lines, const std::string& where) : where_(where) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t space = lines[i].find(' ');
      if (space == std::string::npos) fail(i, "a header line is \"key value\"");
      const std::string key = lines[i].substr(0, space);
      if (values_.contains(key)) fail(i, fmt::format("the field {} is there twice", key));
      values_[key] = {i, lines[i].substr(space + 1)};
    }
  }

  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw VectorError(
        fmt::format("{}:{}: {}; regenerate the file with mxgold gen", where_, line + 1, what));
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

  template <typename E>
  E token(const std::string& key) const {
    const auto value = parse_token<E>(text(key));
    if (!value) refuse(key, "a token of docs/spec/formats.md F15");
    return *value;
  }

  /// A format of the table, of a family, or described in the line KEY_definition.
  ElementFormat format(const std::string& key, FormatCatalog& catalog) const {
    const std::string definition = key + "_definition";
    if (values_.contains(definition)) define(definition, text(key), catalog);
    const ElementFormat* found = catalog.find(text(key));
    if (found == nullptr) refuse(key, "a format that mxgold list names");
    return *found;
  }

  void define(const std::string& key, const std::string& expected, FormatCatalog& catalog) const {
    std::string name;
    ElementFormat format;
    if (const auto problem = parse_format_text(text(key), name, format)) {
      fail(values_.at(key).line, fmt::format("{}: {}", key, problem->text()));
    }
    if (name != expected) refuse(key, fmt::format("the description of {}", expected));
    if (const std::string taken = catalog.define(name, format); !taken.empty()) {
      fail(values_.at(key).line, fmt::format("{}: {}", key, taken));
    }
  }

  template <typename Accepts>
  std::vector<std::string> list(const std::string& key, Accepts accepts) const {
    std::vector<std::string> tokens;
    std::string_view rest = text(key);
    while (true) {
      const std::size_t comma = rest.find(',');
      tokens.emplace_back(rest.substr(0, comma));
      if (!accepts(tokens.back())) refuse(key, "a list of known tokens joined by commas");
      if (comma == std::string_view::npos) return tokens;
      rest.remove_prefix(comma + 1);
    }
  }

  [[noreturn]] void refuse(const std::string& key, const std::string& wanted) const {
    const auto& entry = values_.at(key);
    fail(entry.line, fmt::format("{} is \"{}\", expected {}", key, entry.value, wanted));
  }

 private:
  struct Entry {
    std::size_t line = 0;
    std::string value;
  };
  std::string where_;
  std::map<std::string, Entry> values_;
};

void read_cvt(const HeaderLines& lines, VectorHeader& header) {
  header.destination = lines.format("destination", *header.catalog);
  Policies policies;
  for (const PolicyField& field : policy_fields()) {
    if (field.scope != FieldScope::kElement || field.name == "e8m0_quirk") continue;
    const std::string name(field.name);
    if (!field.write(policies, lines.text(name))) lines.refuse(name, "one of its tokens");
  }
  header.policy = policies.element;
}

void read_block(const HeaderLines& lines, VectorHeader& header) {
  const auto any = [](auto parse) {
    return [parse](const std::string& token) { return parse(token).has_value(); };
  };
  header.formats = lines.list("format", [](const std::string& token) {
    const ElementFormat* found = find_format(token);
    return found != nullptr && found->storage_bits == 8;
  });
  header.roundings = lines.list("rounding", any(parse_token<Rounding>));
  header.rules = lines.list("rule", any(parse_token<ScaleRule>));
  header.overflows = lines.list("overflow", any(parse_token<Overflow>));
  header.context.block_size = static_cast<int>(lines.number("block_size", 1, 1024));
  header.context.stochastic = lines.token<Rounding>("stochastic");
  header.context.random_bits = static_cast<int>(lines.number("random_bits", 1, 32));
}

void read_set(const HeaderLines& lines, VectorHeader& header) {
  const std::string& random = lines.text("random");
  if (random != "none" && random != "direct") lines.refuse("random", "none or direct");
  header.random_words = random == "direct" ? RandomWords::kPresent : RandomWords::kAbsent;
  header.suite = lines.text("suite");
  header.level = static_cast<int>(lines.number("level", 0, 99));
  header.seed = lines.number("seed", 0, ~std::uint64_t{0});
  const std::optional<Shard> shard = parse_shard(lines.text("shard"));
  if (!shard) lines.refuse("shard", "i/n with i < n");
  header.shard = shard->index;
  header.shards = shard->count;
  header.generator = lines.text("generator");
  // The product count * record size must stay far inside 64 bits.
  header.count = lines.number("count", 0, std::uint64_t{1} << 48);
  if (header.count == 0) lines.refuse("count", "at least one vector");
}

}  // namespace

bool parse_decimal(std::string_view text, std::uint64_t& value) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

VectorHeader parse_header(const std::vector<std::string>& text, const std::string& where) {
  const HeaderLines lines(text, where);
  VectorHeader header;
  if (lines.text("mxgold-vectors") != std::to_string(kSchema)) {
    lines.refuse("mxgold-vectors", fmt::format("schema {}", kSchema));
  }
  const std::string& op = lines.text("op");
  if (op != "cvt" && op != "block") lines.refuse("op", "cvt or block");
  header.op = op == "cvt" ? RecordKind::kCvt : RecordKind::kBlock;
  header.catalog = std::make_shared<FormatCatalog>();
  header.source = lines.format("source", *header.catalog);
  header.op == RecordKind::kCvt ? read_cvt(lines, header) : read_block(lines, header);
  read_set(lines, header);

  // One spelling only: what is accepted is exactly what would be written.
  std::string joined;
  for (const std::string& line : text) joined += line + '\n';
  const std::string canonical = header.text("");
  if (joined != canonical) {
    const auto at = std::ranges::mismatch(joined, canonical).in1 - joined.begin();
    const auto line =
        static_cast<std::size_t>(std::count(joined.begin(), joined.begin() + at, '\n'));
    const std::size_t start =
        at == 0 ? 0 : canonical.rfind('\n', static_cast<std::size_t>(at) - 1) + 1;
    lines.fail(line, fmt::format("expected the header line \"{}\"",
                                 canonical.substr(start, canonical.find('\n', start) - start)));
  }
  return header;
}

}  // namespace mx::golden

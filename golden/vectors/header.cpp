#include "golden/vectors/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "golden/config_word/config_word.hpp"
#include "golden/configuration/overloaded.hpp"
#include "golden/configuration/text.hpp"

namespace mx::golden {
namespace {

int bytes_for(int bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8; }
int storage_bytes(const ElementFormat& format) { return format.storage_bits / 8; }

/// None where the system refuses rows of that length.
std::vector<FieldShape> cast_fields(const CastCase& what, int lanes) {
  const auto row = row_of(what, static_cast<std::size_t>(lanes));
  if (!row) return {};
  const auto shape = [](Field field, std::size_t words, TensorType type) {
    return FieldShape{field, static_cast<int>(words), static_cast<int>(casts::width_of(type))};
  };
  std::vector<FieldShape> fields{
      {shape(Field::kSource, static_cast<std::size_t>(lanes), what.source)}};
  if (row->random_words != 0)
    fields.push_back({Field::kRandom, static_cast<int>(row->random_words), 4});
  if (row->reads_scale) fields.push_back({Field::kAScale, 1, 4});
  if (row->scales != 0) fields.push_back(shape(Field::kScale, row->scales, row->scale));
  fields.push_back(shape(Field::kCode, row->codes, row->code));
  return fields;
}

/// Scales where the unit takes some; C is of the format of D.
std::vector<FieldShape> unit_fields(const UnitConfig& config, int lanes) {
  std::vector<FieldShape> fields;
  const auto add_side = [&](Field scales, Field codes, const UnitSide& side) {
    if (side.scale) {
      const int k = side.scale->block_size;
      fields.push_back({scales, (lanes + k - 1) / k, storage_bytes(side.scale->format)});
    }
    fields.push_back({codes, lanes, storage_bytes(side.element)});
  };
  add_side(Field::kAScale, Field::kA, config.a);
  add_side(Field::kBScale, Field::kB, config.b);
  fields.push_back({Field::kC, 1, storage_bytes(config.result)});
  fields.push_back({Field::kCode, 1, storage_bytes(config.result)});
  return fields;
}

/// Operands and results that the operation itself has, in order.
std::vector<FieldShape> computed_fields(const Computation& what, int lanes) {
  const auto blocks_of = [&](const BlockFormat& format) {
    const bool is_cut = format.extent == BlockExtent::kElements;
    return is_cut ? (lanes + format.elements() - 1) / format.elements() : 1;
  };
  return std::visit(
      Overloaded{
          [&](const ConversionConfig& c) {
            return std::vector<FieldShape>{{Field::kSource, 1, storage_bytes(c.source)},
                                           {Field::kCode, 1, storage_bytes(c.destination)},
                                           {Field::kFlags, 1, 1}};
          },
          [&](const QuantizerConfig& c) {
            return std::vector<FieldShape>{{Field::kSource, lanes, storage_bytes(c.source)},
                                           {Field::kScale, 1, c.format.scale_bytes()},
                                           {Field::kCode, lanes, storage_bytes(c.format.element)},
                                           {Field::kFlags, 1, 1}};
          },
          [&](const DotCase& c) {
            const BlockFormat& a = c.dot.a;
            const BlockFormat& b = c.dot.b;
            std::vector<FieldShape> fields{{Field::kAScale, blocks_of(a), a.scale_bytes()},
                                           {Field::kA, lanes, storage_bytes(a.element)},
                                           {Field::kBScale, blocks_of(b), b.scale_bytes()},
                                           {Field::kB, lanes, storage_bytes(b.element)}};
            if (c.addend == Addend::kPresent) {
              fields.push_back({Field::kC, 1, storage_bytes(c.dot.addend)});
            }
            fields.push_back({Field::kCode, 1, storage_bytes(c.dot.result)});
            fields.push_back({Field::kFlags, 1, 1});
            return fields;
          },
          [&](const ArithmeticCase& c) {
            const int bytes = storage_bytes(c.operand());
            std::vector<FieldShape> fields;
            constexpr std::array kOperands{Field::kA, Field::kB, Field::kC};
            for (std::size_t i = 0; i < operands_of(c.operation); ++i) {
              fields.push_back({kOperands[i], 1, bytes});
            }
            fields.push_back({Field::kCode, 1, storage_bytes(c.result())});
            fields.push_back({Field::kFlags, 1, 1});
            return fields;
          },
          [&](const CastCase& c) { return cast_fields(c, lanes); },
          [&](const DequantizeCase& c) {
            return std::vector<FieldShape>{{Field::kAScale, 1, c.format.scale_bytes()},
                                           {Field::kA, lanes, storage_bytes(c.format.element)},
                                           {Field::kCode, lanes, storage_bytes(c.result)}};
          },
          [&](const UnitCase& c) { return unit_fields(c.on, lanes); }},
      what);
}

/// The words of all configurations, where each has one and all share a context.
std::optional<std::vector<std::uint32_t>> words_of(const std::vector<Configuration>& configs) {
  std::vector<std::uint32_t> words;
  std::optional<ConfigWordContext> drawn;
  int block_size = 0;
  for (const Configuration& each : configs) {
    const auto* const config = std::get_if<QuantizerConfig>(&each.what);
    if (config == nullptr) return std::nullopt;
    const ConfigWord word = config_word_of(*config);
    if (!word.holds()) return std::nullopt;
    if (block_size != 0 && block_size != config->format.block_size) return std::nullopt;
    block_size = config->format.block_size;
    if (is_stochastic(config->element.rounding)) {
      const ConfigWordContext context = context_of(*config);
      if (drawn.value_or(context) != context) return std::nullopt;
      drawn = context;
    }
    words.push_back(word.word);
  }
  return words;
}

std::string one_or_mixed(const std::vector<ConfigurationFields>& all, const std::string& field) {
  std::string value;
  for (const ConfigurationFields& fields : all) {
    const auto found = std::ranges::find(fields, field, &ConfigurationFields::value_type::first);
    if (found == fields.end()) return "none";
    if (!value.empty() && value != found->second) return "mixed";
    value = found->second;
  }
  return value;
}

/// Only the operations of arith differ in the fields that their configurations have.
bool has_same_fields(const Configuration& a, const Configuration& b) {
  const auto* const x = std::get_if<ArithmeticCase>(&a.what);
  const auto* const y = std::get_if<ArithmeticCase>(&b.what);
  if (x == nullptr || y == nullptr) return true;
  return x->operation == y->operation || (!has_integer(x->operation) && !has_integer(y->operation));
}

/// A text as part of a file's name: what is neither letter nor digit becomes one '_'.
std::string one_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_kept) {
      word += c;
    } else if (!word.empty() && word.back() != '_') {
      word += '_';
    }
  }
  return word;
}

/// Lines of "prefix key value".
class HeaderText {
 public:
  explicit HeaderText(std::string_view prefix) : prefix_(prefix) {}
  template <typename T>
  void add(std::string_view key, const T& value) {
    text_ += fmt::format("{}{} {}\n", prefix_, key, value);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string_view prefix_;
  std::string text_;
};

/// What all configurations share, a line a field; then what each has of its own, a line each.
void add_configurations(const std::vector<Configuration>& configs, HeaderText& lines) {
  std::vector<ConfigurationFields> all;
  all.reserve(configs.size());
  for (const Configuration& each : configs) all.push_back(fields_of(each));
  lines.add("configurations", all.size());
  std::vector<bool> differs(all.front().size());
  for (std::size_t f = 0; f < differs.size(); ++f) {
    differs[f] = std::ranges::any_of(
        all, [&](const ConfigurationFields& fields) { return fields[f] != all.front()[f]; });
    if (!differs[f]) lines.add(all.front()[f].first, all.front()[f].second);
  }
  if (all.size() == 1) return;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string own;
    for (std::size_t f = 0; f < differs.size(); ++f) {
      if (!differs[f]) continue;
      own += fmt::format("{}{}={}", own.empty() ? "" : "; ", all[i][f].first, all[i][f].second);
    }
    lines.add("config", fmt::format("{} {}", i, own));
  }
}

}  // namespace

int VectorHeader::random_bits() const {
  int bits = 1;
  for (const Configuration& each : configs) {
    if (takes_random(each)) bits = std::max(bits, random_bits_of(each));
  }
  return bits;
}

std::string VectorHeader::problem() const {
  if (configs.empty()) return "no configuration";
  if (configs.size() > kMaxConfigurations) {
    return fmt::format("{} configurations, at most {} fit", configs.size(), kMaxConfigurations);
  }
  if (lanes < 1 || lanes > kMaxLanes) return fmt::format("lanes lies outside 1..{}", kMaxLanes);
  for (const Configuration& each : configs) {
    if (each.operation() != op) return "configurations of several operations";
    if (!has_same_fields(each, configs.front())) {
      return "configurations of operations with and without integers; write a file for each";
    }
    if (const auto* const cast = std::get_if<CastCase>(&each.what)) {
      const auto row = row_of(*cast, static_cast<std::size_t>(lanes));
      if (!row) return std::string(row.problem());
      if (lengths == Lengths::kVary) return "rows of casts are full";
    }
    if (computed_fields(each.what, lanes) != computed_fields(configs.front().what, lanes)) {
      return "configurations whose records have different fields or widths; write a file for each";
    }
    const int elements = block_elements(each);
    const bool is_one_block = op != Operation::kDot && op != Operation::kMma;
    if (is_one_block && elements != 0 && elements != lanes) {
      return fmt::format("{} lanes, but {} elements a block", lanes, elements);
    }
    if (const std::size_t group = whole_group(each); static_cast<std::size_t>(lanes) % group != 0) {
      return fmt::format("{} lanes, but a unit that sums whole groups of {}", lanes, group);
    }
    if (takes_random(each) && random_words == RandomWords::kAbsent) {
      return "a configuration takes random words, the records have none";
    }
  }
  return {};
}

RecordShape VectorHeader::shape() const {
  RecordShape shape;
  const auto add = [&](Field field, int words, int bytes) {
    shape.fields.push_back({field, words, bytes});
  };
  const std::vector<FieldShape> computed = computed_fields(configs.front().what, lanes);
  if (configs.size() > 1) add(Field::kConfig, 1, bytes_for(configs.size() <= 256 ? 8 : 16));
  if (op == Operation::kBlock && words_of(configs)) add(Field::kTuser, 1, 4);
  if (std::ranges::any_of(configs, leaves_open)) {
    // A bit for the flags, one for the scale, one for each code.
    int codes = 1;
    for (const FieldShape& each : computed) codes = each.field == Field::kCode ? each.lanes : codes;
    add(Field::kOpen, (codes + 2 + 7) / 8, 1);
  }
  if (lengths == Lengths::kVary) add(Field::kElements, 1, bytes_for(lanes < 65536 ? 16 : 32));
  if (sideband == Sideband::kPresent) {
    add(Field::kKeep, 1, 8);
    add(Field::kLast, 1, 1);
  }
  for (const FieldShape& each : computed) {
    // Random words stand behind the source codes that they belong to.
    shape.fields.push_back(each);
    // Casts have as many as they draw.
    const bool is_drawn = each.field == Field::kSource && op != Operation::kCast;
    if (is_drawn && random_words == RandomWords::kPresent) {
      add(Field::kRandom, each.lanes, bytes_for(random_bits()));
    }
  }
  return shape;
}

std::vector<std::uint32_t> VectorHeader::config_words() const {
  return words_of(configs).value_or(std::vector<std::uint32_t>{});
}

std::string layout_text(const RecordShape& shape) {
  std::string text;
  bool in_results = false;
  for (const FieldShape& each : shape.fields) {
    if (!text.empty()) text += is_result(each.field) && !in_results ? " | " : " ";
    in_results = is_result(each.field);
    const std::string_view name = token_of(each.field);
    text += each.lanes == 1 ? fmt::format("{}:{}", name, 2 * each.bytes)
                            : fmt::format("{}[{}]:{}", name, each.lanes, 2 * each.bytes);
  }
  return text;
}

std::string VectorHeader::text(std::string_view prefix) const {
  HeaderText lines(prefix);
  lines.add("mxgold-vectors", kSchema);
  lines.add("op", token_of(op));
  add_configurations(configs, lines);
  lines.add("lanes", lanes);
  lines.add("lengths", lengths == Lengths::kFull ? "full" : "vary");
  lines.add("random", random_words == RandomWords::kPresent ? "direct" : "none");
  lines.add("suite", suite);
  lines.add("level", level);
  lines.add("seed", seed);
  lines.add("drawn", drawn);
  lines.add("shard", fmt::format("{}/{}", shard, shards));
  lines.add("generator", generator);
  lines.add("fields", layout_text(shape()));
  lines.add("count", count);
  return lines.text();
}

std::string VectorHeader::set_id() const {
  std::vector<ConfigurationFields> all;
  for (const Configuration& each : configs) all.push_back(fields_of(each));
  const auto value = [&](const char* field) { return one_or_mixed(all, field); };
  std::string rounding = value("rounding");
  if (rounding.starts_with("stochastic")) rounding += std::to_string(random_bits());
  const std::string end = fmt::format("{}{}", suite, level);
  switch (op) {
    case Operation::kCvt:
      return fmt::format("cvt.{}-{}.{}.{}.{}", value("source"), value("destination"), rounding,
                         value("overflow"), end);
    case Operation::kBlock:
      return fmt::format("block.{}-{}.{}.{}.{}.{}", value("source"), value("format"), rounding,
                         value("overflow"), value("rule"), end);
    case Operation::kDot:
      return fmt::format("dot.{}-{}.{}.{}.{}.{}", value("a_format"), value("b_format"), rounding,
                         value("overflow"), value("mode"), end);
    case Operation::kArith: {
      const std::string integer = value("integer");
      return fmt::format("arith.{}{}-{}.{}.{}.{}", value("operation"),
                         integer == "none" ? "" : "_" + integer, value("format"), rounding,
                         value("overflow"), end);
    }
    case Operation::kCast:
      return fmt::format("cast.{}-{}.{}.{}.{}", value("source"), one_word(value("cast")),
                         value("mode"), value("platform"), end);
    case Operation::kDequantize:
      return fmt::format("dequantize.{}-{}.{}.{}.{}", value("format"), value("result"), rounding,
                         value("dequant_overflow"), end);
    case Operation::kMma:
      return fmt::format("mma.{}.{}-{}.{}.{}", value("unit"), value("a_element"),
                         value("b_element"), value("result"), end);
  }
  return end;
}

std::string VectorHeader::file_name(std::string_view extension) const {
  return fmt::format("{}.s{}of{}.v{}.{}", set_id(), shard, shards, kSchema, extension);
}

}  // namespace mx::golden

#include "golden/vectors/operand_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/configuration/overloaded.hpp"

namespace mx::golden {
namespace {

std::uint64_t bits_mask(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

}  // namespace

OperandCheck::OperandCheck(const VectorHeader& header)
    : config_words_(header.config_words()),
      has_random_(header.random_words == RandomWords::kPresent),
      random_bits_(header.random_bits()) {
  for (const Configuration& each : header.configs) {
    limits_.push_back(limits_of(each));
    groups_.push_back(whole_group(each));
  }
  const RecordShape shape = header.shape();
  const FieldShape* const code = shape.find(Field::kCode);
  open_bits_ = static_cast<std::size_t>(code->lanes) + 2;
}

std::optional<std::uint64_t> OperandCheck::mask_of(Field field) const {
  std::optional<std::uint64_t> mask;
  for (const std::vector<Limit>& limits : limits_) {
    for (const Limit& each : limits) {
      if (each.field == field) mask = mask.value_or(~std::uint64_t{0}) & bits_mask(each.bits);
    }
  }
  return mask;
}

std::vector<OperandCheck::Limit> OperandCheck::limits_of(const Configuration& configuration) const {
  std::vector<Limit> limits;
  const auto add = [&](Field field, const ElementFormat& format) {
    limits.push_back({field, format.bits, std::string(format.name), 1});
  };
  const auto add_side = [&](Field scale, Field codes, const BlockFormat& format) {
    const bool is_cut = format.extent == BlockExtent::kElements;
    limits.push_back({scale, format.scale_bits(), fmt::format("a scale of {}", format.name),
                      is_cut ? static_cast<std::size_t>(format.elements()) : ~std::size_t{0}});
    add(codes, format.element);
  };
  const auto add_unit_side = [&](Field scale, Field codes, const UnitSide& side) {
    if (side.scale) {
      limits.push_back({scale, side.scale->format.bits, std::string(side.scale->format.name),
                        static_cast<std::size_t>(side.scale->block_size)});
    }
    add(codes, side.element);
  };
  std::visit(
      Overloaded{[&](const ConversionConfig& c) { add(Field::kSource, c.source); },
                 [&](const QuantizerConfig& c) { add(Field::kSource, c.source); },
                 [&](const DotCase& c) {
                   add_side(Field::kAScale, Field::kA, c.dot.a);
                   add_side(Field::kBScale, Field::kB, c.dot.b);
                   if (c.addend == Addend::kPresent) add(Field::kC, c.dot.addend);
                 },
                 [&](const ArithmeticCase& c) {
                   constexpr std::array kOperands{Field::kA, Field::kB, Field::kC};
                   for (std::size_t i = 0; i < operands_of(c.operation); ++i) {
                     add(kOperands[i], c.operand());
                   }
                 },
                 [&](const CastCase& c) { add(Field::kSource, casts::format_of(c.source)); },
                 [&](const DequantizeCase& c) { add_side(Field::kAScale, Field::kA, c.format); },
                 [&](const UnitCase& c) {
                   add_unit_side(Field::kAScale, Field::kA, c.on.a);
                   add_unit_side(Field::kBScale, Field::kB, c.on.b);
                   add(Field::kC, c.on.result);
                 }},
      configuration.what);
  if (has_random_) limits.push_back({Field::kRandom, random_bits_, "random_bits", 1});
  return limits;
}

std::string OperandCheck::wide_word(const RecordBatch& batch, std::size_t i, const Limit& limit) {
  const auto words = batch.of(limit.field, i);
  const std::size_t lanes = words.size();
  const std::uint64_t wide = ~bits_mask(limit.bits);
  // A field of blocks has a word for each of the blocks that the elements fill.
  const Field elements = limit.field == Field::kAScale   ? Field::kA
                         : limit.field == Field::kBScale ? Field::kB
                                                         : limit.field;
  const std::size_t count = batch.elements(elements, i);
  const std::size_t used =
      lanes == 1 ? 1 : std::min(lanes, count / limit.group + (count % limit.group != 0 ? 1 : 0));
  std::uint64_t seen = 0;
  for (std::size_t lane = 0; lane < used; ++lane) seen |= words[lane] & wide;
  for (std::size_t lane = used; lane < lanes; ++lane) seen |= words[lane];
  if (seen == 0) return {};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::string place = lanes == 1 ? std::string(token_of(limit.field))
                                         : fmt::format("{}[{}]", token_of(limit.field), lane);
    if (lane >= used && words[lane] != 0) {
      return fmt::format("field {}: {:x} stands beyond the {} elements", place, words[lane], count);
    }
    if ((words[lane] & wide) != 0) {
      return fmt::format("field {}: {:x} has bits beyond the {} of {}", place, words[lane],
                         limit.bits, limit.of);
    }
  }
  return {};
}

std::string OperandCheck::problem(const RecordBatch& batch, std::size_t i) const {
  const std::size_t config = batch.config(i);
  if (config >= limits_.size()) {
    return fmt::format("field config: {} of {} configurations", config, limits_.size());
  }
  if (batch.has(Field::kTuser) && batch.word(Field::kTuser, i) != config_words_[config]) {
    return fmt::format("field tuser: {:08x}, the word of configuration {} is {:08x}",
                       batch.word(Field::kTuser, i), config, config_words_[config]);
  }
  if (batch.has(Field::kElements)) {
    const std::uint64_t count = batch.word(Field::kElements, i);
    const std::size_t lanes = std::max(batch.lanes(Field::kSource), batch.lanes(Field::kA));
    if (count < 1 || count > lanes) {
      return fmt::format("field elements: {} of {} lanes", count, lanes);
    }
    if (count % groups_[config] != 0) {
      return fmt::format("field elements: {}, of a unit that sums whole groups of {}", count,
                         groups_[config]);
    }
  }
  if (batch.has(Field::kOpen)) {
    const auto open = batch.of(Field::kOpen, i);
    const std::size_t spare = 8 * open.size() - open_bits_;
    if (open.back() >> (8 - spare) != 0) return "field open: a bit beyond the codes is set";
  }
  for (const Limit& limit : limits_[config]) {
    if (std::string wide = wide_word(batch, i, limit); !wide.empty()) return wide;
  }
  return {};
}

bool OperandCheck::is_plainly_right(const RecordBatch& batch, std::size_t first,
                                    std::size_t n) const {
  if (limits_.size() != 1) return false;
  for (const Field field : {Field::kConfig, Field::kTuser, Field::kElements, Field::kOpen}) {
    if (batch.has(field)) return false;
  }
  return std::ranges::all_of(limits_.front(), [&](const Limit& limit) {
    const std::size_t lanes = batch.lanes(limit.field);
    std::uint64_t seen = 0;
    for (const std::uint64_t word : batch.all(limit.field).subspan(first * lanes, n * lanes)) {
      seen |= word;
    }
    return (lanes == 1 || limit.group == 1) && (seen & ~bits_mask(limit.bits)) == 0;
  });
}

std::optional<OperandProblem> OperandCheck::find(const RecordBatch& batch, std::size_t first,
                                                 std::size_t n) const {
  if (is_plainly_right(batch, first, n)) return std::nullopt;
  for (std::size_t i = first; i < first + n; ++i) {
    if (std::string what = problem(batch, i); !what.empty()) return OperandProblem{i, what};
  }
  return std::nullopt;
}

}  // namespace mx::golden

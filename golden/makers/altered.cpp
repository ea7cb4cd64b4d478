// SPDX-License-Identifier: Apache-2.0
#include "golden/makers/altered.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "golden/compare/block_answers.hpp"
#include "golden/config_word/config_word.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

bool has_exponent_scale(const Configuration& configuration) {
  const auto* const block = std::get_if<QuantizerConfig>(&configuration.what);
  if (block == nullptr || !Elements::are_in(configuration)) return false;
  const ScaleFormat& scale = block->format.scale;
  return scale.kind == FormatKind::kFloat && scale.man_bits == 0 && !scale.is_signed &&
         block->format.sublevels == std::array{0, 0};
}

bool has_scale(const Configuration& configuration) {
  return std::holds_alternative<QuantizerConfig>(configuration.what) &&
         Elements::are_in(configuration);
}

bool is_number(const ScaleFormat& scale, std::uint64_t code) {
  return decode(scale, code & scale.code_mask()).cls == ValueClass::kFinite;
}

/// A scale so much larger, in steps of its code; nothing where there is none.
std::optional<std::uint64_t> moved(const ScaleFormat& scale, std::uint64_t code, int steps) {
  const std::int64_t to = static_cast<std::int64_t>(code) + steps;
  if (!is_number(scale, code) || to < 0 || to > static_cast<std::int64_t>(scale.max_code)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(to);
}

void add_offsets(std::vector<Alteration>& list) {
  for (const int steps : {1, -1, 2, -2, 3, -3, 127, -127}) {
    const char* const how = steps > 0 ? "large" : "small";
    const int by = steps > 0 ? steps : -steps;
    Structure shown{.name = "scale_shown",
                    .value = filled("{:+}", steps),
                    .text = filled("scale codes shown {} too {} (spec F11)", by, how),
                    .is_of = has_exponent_scale};
    shown.answer = [steps](const Elements& elements, RecordBatch& record) {
      const ScaleFormat& scale = elements.quantizer().config().format.scale;
      std::uint64_t& code = record.word(Field::kScale, 0);
      code = moved(scale, code, steps).value_or(code);
    };
    Structure used = shown;
    used.name = "scale_used";
    used.text = filled("scale codes {} too {}, and codes made under them (spec F11)", by, how);
    used.answer = [steps](const Elements& elements, RecordBatch& record) {
      const ScaleFormat& scale = elements.quantizer().config().format.scale;
      const auto other = moved(scale, record.word(Field::kScale, 0), steps);
      if (other) elements.recode(record, *other);
    };
    list.push_back({std::move(shown)});
    list.push_back({std::move(used)});
  }
}

void add_neighbors(std::vector<Alteration>& list) {
  for (const int away : {-1, 1}) {
    for (const bool is_used : {false, true}) {
      Structure structure{
          .name = is_used ? "scale_used" : "scale_shown",
          .value = away < 0 ? "of_block_before" : "of_block_after",
          .text = filled("the scale of the block {} {} (spec F12)", away < 0 ? "before" : "after",
                         is_used ? "used, and shown" : "shown, and the block's own used"),
          .is_of = has_scale};
      list.push_back({std::move(structure),
                      is_used ? Alteration::Neighbor::kUsed : Alteration::Neighbor::kShown, away});
    }
  }
}

Configuration configuration_of(const Surface& surface, const Subject& subject,
                               const BlockInput& input) {
  if (!surface.is_block) return {subject.element.conversion, {}};
  return {at_level(subject.block.config, input), {}};
}

/// The configuration as a structure has it.
Configuration configured(Configuration configuration, const Structure& structure) {
  if (structure.configure) structure.configure(configuration);
  return configuration;
}

RecordBatch record_of(const BlockInput& input, bool is_block) {
  const int lanes = static_cast<int>(input.lanes.size());
  RecordShape shape;
  for (const Field field : {Field::kSource, Field::kRandom, Field::kCode}) {
    shape.fields.push_back({field, lanes, 8});
  }
  if (is_block) shape.fields.push_back({Field::kScale, 1, 8});
  shape.fields.push_back({Field::kFlags, 1, 8});
  RecordBatch record(shape, 1);
  std::ranges::copy(input.lanes, record.of(Field::kSource, 0).begin());
  const std::span<std::uint64_t> random = record.of(Field::kRandom, 0);
  for (std::size_t i = 0; i < random.size() && !input.random.empty(); ++i) {
    random[i] = input.random[input.random.size() == random.size() ? i : 0];
  }
  return record;
}

}  // namespace

std::span<const Alteration> alterations() {
  static const std::vector<Alteration> list = [] {
    std::vector<Alteration> all;
    for (const Structure& each : structures()) all.push_back({each});
    add_offsets(all);
    add_neighbors(all);
    return all;
  }();
  return list;
}

struct Altered::State {
  State(const Surface& surface_in, const Subject& subject_in, const Alteration& alteration_in)
      : surface(surface_in), subject(subject_in), alteration(alteration_in) {}

  /// What computes inputs of a tensor's level; one after the other, levels are mostly the same.
  struct Computer {
    Computer(Configuration what, std::uint32_t level)
        : configuration(std::move(what)), elements(configuration), amax(level) {
      if (const auto* const c = std::get_if<ConversionConfig>(&configuration.what)) {
        conversion = Conversion::make(*c).value();
      }
    }
    Configuration configuration;
    Elements elements;
    std::optional<Conversion> conversion;
    std::uint32_t amax;
  };

  Computer& computer_for(const BlockInput& input) {
    if (!computer || computer->amax != input.tensor_amax) {
      computer = std::make_unique<Computer>(
          configured(configuration_of(surface, subject, input), alteration.structure),
          input.tensor_amax);
    }
    return *computer;
  }

  static void compute(const Computer& by, RecordBatch& record) {
    const auto source = record.of(Field::kSource, 0);
    const auto random = record.of(Field::kRandom, 0);
    if (by.conversion) {
      const Encoded result = (*by.conversion)(source[0], static_cast<std::uint32_t>(random[0]));
      record.word(Field::kCode, 0) = result.code;
      record.word(Field::kFlags, 0) = result.flags;
      return;
    }
    std::vector<std::uint32_t> words(random.size());
    std::ranges::transform(random, words.begin(),
                           [](std::uint64_t word) { return static_cast<std::uint32_t>(word); });
    const BlockResult result =
        by.elements.quantizer().quantize_block(source, words, record.of(Field::kCode, 0));
    record.word(Field::kScale, 0) = result.scale_code;
    record.word(Field::kFlags, 0) = status_bits_of(result);
  }

  Surface surface;
  Subject subject;
  const Alteration& alteration;
  std::unique_ptr<Computer> computer;
};

Altered::Altered(const Surface& surface, const Subject& subject, const Alteration& alteration)
    : state_(std::make_unique<State>(surface, subject, alteration)) {}
Altered::~Altered() = default;
Altered::Altered(Altered&&) noexcept = default;
Altered& Altered::operator=(Altered&&) noexcept = default;

bool Altered::can_be(const Surface& surface, const Subject& subject, const Alteration& alteration) {
  const Configuration own = configuration_of(surface, subject, {});
  return alteration.structure.is_of(own) &&
         problem_of(configured(own, alteration.structure)).empty();
}

BlockAnswer Altered::operator()(const BlockInput& input, std::optional<std::uint64_t> neighbor) {
  const State::Computer& by = state_->computer_for(input);
  const Structure& structure = state_->alteration.structure;
  RecordBatch record = record_of(input, state_->surface.is_block);
  if (structure.operands) structure.operands(by.configuration, record);
  State::compute(by, record);
  if (structure.answer) structure.answer(by.elements, record);
  if (neighbor) {
    if (state_->alteration.neighbor == Alteration::Neighbor::kUsed) {
      const ScaleFormat& scale = by.elements.quantizer().config().format.scale;
      if (is_number(scale, *neighbor) && is_number(scale, record.word(Field::kScale, 0))) {
        by.elements.recode(record, *neighbor);
      }
    }
    record.word(Field::kScale, 0) = *neighbor;
  }
  const auto codes = record.of(Field::kCode, 0);
  return {state_->surface.is_block ? record.word(Field::kScale, 0) : 0,
          {codes.begin(), codes.end()}};
}

}  // namespace mx::golden

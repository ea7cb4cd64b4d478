#include "bridge/model/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "emulators/casts/casts.hpp"
#include "golden/config_word/config_word.hpp"
#include "golden/configuration/overloaded.hpp"
#include "golden/configuration/shorthand.hpp"
#include "golden/configuration/text.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/block/scan.hpp"

namespace mx::bridge {
namespace {

using golden::Configuration;
using golden::Field;

/// Lanes of records whose blocks have no size of their own.
constexpr int kFreeLanes = 32;

constexpr std::array kOperands = {Field::kSource, Field::kRandom, Field::kAScale, Field::kA,
                                  Field::kBScale, Field::kB,      Field::kC};

/// "" or what is wrong with a word NAME=NUMBER.
std::string read_number(std::string_view text, int low, int high, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && number >= low && number <= high) {
    return {};
  }
  return fmt::format("\"{}\" is no number from {} to {}", text, low, high);
}

/// "" or what is wrong with the words about a configuration word.
std::string read_context(std::string_view text, golden::ConfigWordContext& context) {
  const auto words = golden::shorthand_words(text);
  if (!words) return std::string(words.problem());
  for (const auto& [name, value] : *words) {
    std::string problem;
    if (name == "block_size") {
      problem = read_number(value, 1, 1024, context.block_size);
    } else if (name == "random_bits") {
      problem = read_number(value, 1, 32, context.random_bits);
    } else if (name != "stochastic") {
      problem = "a word is described by block_size, random_bits and stochastic";
    } else if (const auto rounding = parse_token<Rounding>(value);
               rounding && is_stochastic(*rounding)) {
      context.stochastic = *rounding;
    } else {
      problem = fmt::format("\"{}\" is no stochastic rounding", value);
    }
    if (!problem.empty()) return fmt::format("{}={}: {}", name, value, problem);
  }
  return {};
}

int side_bits(Field field, const BlockFormat& format, Field scale, Field codes) {
  if (field == scale) return format.scale_bits();
  return field == codes ? format.element.bits : 0;
}

}  // namespace

int field_bits(const Configuration& configuration, Field field) {
  if (field == Field::kFlags) return 8;
  if (field == Field::kRandom) return golden::random_bits_of(configuration);
  const bool is_code = field == Field::kCode;
  return std::visit(
      golden::Overloaded{
          [&](const ConversionConfig& c) { return is_code ? c.destination.bits : c.source.bits; },
          [&](const QuantizerConfig& c) {
            if (field == Field::kSource) return c.source.bits;
            return side_bits(field, c.format, Field::kScale, Field::kCode);
          },
          [&](const golden::DotCase& c) {
            if (is_code) return c.dot.result.bits;
            if (field == Field::kC) return c.dot.addend.bits;
            return side_bits(field, c.dot.a, Field::kAScale, Field::kA) +
                   side_bits(field, c.dot.b, Field::kBScale, Field::kB);
          },
          [&](const golden::ArithmeticCase& c) {
            return is_code ? c.result().bits : c.operand().bits;
          },
          // A system stores whole words.
          [&](const golden::CastCase& c) {
            return field == Field::kSource ? casts::format_of(c.source).bits : 0;
          },
          [&](const golden::DequantizeCase& c) {
            return is_code ? c.result.bits : side_bits(field, c.format, Field::kAScale, Field::kA);
          },
          [&](const golden::UnitCase& c) {
            if (is_code || field == Field::kC) return c.on.result.bits;
            if (field == Field::kA) return c.on.a.element.bits;
            if (field == Field::kB) return c.on.b.element.bits;
            return c.on.a.scale ? c.on.a.scale->format.bits : 0;
          }},
      configuration.what);
}

Model::Model(std::shared_ptr<FormatCatalog> catalog, const Configuration& what) {
  header_.catalog = std::move(catalog);
  header_.op = what.operation();
  header_.configs = {what};
  const int elements = golden::block_elements(what);
  header_.lanes = elements == 0 ? kFreeLanes : elements;
  if (golden::takes_random(what)) header_.random_words = golden::RandomWords::kPresent;
  const bool has_lanes = header_.op != golden::Operation::kCast && header_.lanes > 1;
  if (has_lanes) header_.lengths = golden::Lengths::kVary;
}

void Model::prepare() {
  is_answered_ = false;
  check_.emplace(header_);
  answerer_.emplace(header_);
  record_ = golden::RecordBatch(header_.shape(), 1);
  golden::fill_config_words(header_, record_);
  elements_ = static_cast<std::size_t>(header_.lanes);
}

Checked<std::unique_ptr<Model>> Model::make(std::shared_ptr<FormatCatalog> catalog,
                                            const Configuration& what) {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the constructor is private
  std::unique_ptr<Model> model(new Model(std::move(catalog), what));
  if (std::string problem = model->header_.problem(); !problem.empty()) return Problem{problem};
  model->text_ = golden::shorthand_of(what).value_or(golden::summary_of(what));
  model->prepare();
  return model;
}

Checked<std::unique_ptr<Model>> Model::open(std::string_view text) {
  auto catalog = std::make_shared<FormatCatalog>(emulators::make_cast);
  const Checked<Configuration> what = golden::parse_shorthand(text, *catalog);
  if (!what) return Problem{std::string(what.problem())};
  return make(std::move(catalog), *what);
}

Checked<std::unique_ptr<Model>> Model::open_word(std::uint32_t tuser, std::string_view text) {
  golden::ConfigWordContext context;
  if (std::string problem = read_context(text, context); !problem.empty()) return Problem{problem};
  const auto config = golden::config_of(tuser, context);
  if (!config) return Problem{fmt::format("{:08x} is no configuration word (spec R5.6)", tuser)};
  return make(std::make_shared<FormatCatalog>(), {*config, {}});
}

std::string Model::set_lanes(int lanes) {
  golden::VectorHeader other = header_;
  other.lanes = lanes;
  if (std::string problem = other.problem(); !problem.empty()) return problem;
  header_ = other;
  prepare();
  return {};
}

std::string Model::set_elements(std::size_t elements) {
  const auto lanes = static_cast<std::size_t>(header_.lanes);
  if (elements == 0) elements = lanes;
  const bool varies = record_.has(Field::kElements);
  if (elements > lanes || (elements != lanes && !varies)) {
    return fmt::format("field elements: {}{}{} lanes", elements, varies ? " of " : ", but exactly ",
                       lanes);
  }
  if (varies) record_.word(Field::kElements, 0) = elements;
  elements_ = elements;
  return {};
}

std::size_t Model::used_words(Field field) const {
  const std::size_t words = record_.lanes(field);
  const std::size_t lanes = std::max(record_.lanes(Field::kSource), record_.lanes(Field::kA));
  if (words <= 1 || elements_ == lanes) return words;
  if (words == lanes) return elements_;
  // A word for each block.
  const std::size_t block = (lanes + words - 1) / words;
  return (elements_ + block - 1) / block;
}

std::string Model::answer() {
  is_answered_ = false;
  for (const Field field : kOperands) {
    std::ranges::fill(record_.of(field, 0).subspan(used_words(field)), 0);
  }
  if (const auto problem = check_->find(record_, 0, 1)) return problem->what;
  answerer_->answer(record_, 0, 1);
  is_answered_ = true;
  return {};
}

std::uint64_t Model::flags_so_far(std::size_t lanes) const {
  const QuantizerConfig& config = std::get<QuantizerConfig>(configuration().what);
  constexpr std::uint64_t kOfElements = 0x30;
  const std::uint64_t scale = record_.word(Field::kScale, 0);
  const std::uint64_t flags = record_.word(Field::kFlags, 0);
  const Quantizer quantizer = Quantizer::make(config).value();
  if (quantizer.scale_value(scale, 0).cls == ValueClass::kNan) return flags;
  const auto source = record_.of(Field::kSource, 0);
  const auto random = record_.of(Field::kRandom, 0);
  const Unpacked amax = scan_block(config, source).amax;
  BlockResult seen;
  for (std::size_t i = 0; i < lanes; ++i) {
    Trace trace;
    const auto word = random.empty() ? 0U : static_cast<std::uint32_t>(random[i]);
    const Encoded element = quantizer.explain_element(source[i], scale, word, trace, i, amax);
    seen.flags = static_cast<std::uint16_t>(seen.flags | element.flags);
  }
  return (flags & ~kOfElements) | (golden::status_bits_of(seen) & kOfElements);
}

}  // namespace mx::bridge

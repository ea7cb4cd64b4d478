#include "golden/answers/answers.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "golden/config_word/config_word.hpp"
#include "golden/vectors/unit_sides.hpp"
#include "reference/block/scaling.hpp"

namespace mx::golden {
namespace {

struct Dequantizer {
  Quantizer blocks;
  DequantizeCase what;
};

/// What computes the answers of one configuration.
using Computer = std::variant<Conversion, Quantizer, DotProduct, ArithmeticCase, casts::CastPointer,
                              Dequantizer, UnitDot>;

Computer make_computer(const Configuration& configuration) {
  struct Maker {
    Computer operator()(const ConversionConfig& c) const { return Conversion::make(c).value(); }
    Computer operator()(const QuantizerConfig& c) const { return Quantizer::make(c).value(); }
    Computer operator()(const DotCase& c) const { return DotProduct::make(c.dot).value(); }
    Computer operator()(const ArithmeticCase& c) const { return c; }
    Computer operator()(const CastCase& c) const { return c.cast().value(); }
    Computer operator()(const DequantizeCase& c) const {
      return Dequantizer{Quantizer::make(c.blocks()).value(), c};
    }
    Computer operator()(const UnitCase& c) const { return UnitDot::make(c.on).value(); }
  };
  return std::visit(Maker{}, configuration.what);
}

void store(const Encoded& result, RecordBatch& batch, std::size_t i) {
  batch.word(Field::kCode, i) = result.code;
  batch.word(Field::kFlags, i) = result.flags;
}

bool keeps_all(const RecordBatch& batch, std::size_t i) {
  if (!batch.has(Field::kKeep)) return true;
  const std::size_t lanes = batch.lanes(Field::kSource);
  const std::uint64_t all = lanes < 64 ? (std::uint64_t{1} << lanes) - 1 : ~std::uint64_t{0};
  return (batch.word(Field::kKeep, i) & all) == all;
}

}  // namespace

void clear_lanes_not_kept(std::span<std::uint64_t> words, std::uint64_t keep) {
  for (std::size_t lane = 0; lane < words.size(); ++lane) {
    if ((keep >> lane & 1) == 0) words[lane] = 0;
  }
}

bool OpenAnswer::by_profile() const {
  return scale || flags || (!dont_care && (codes || std::ranges::find(lanes, true) != lanes.end()));
}

void store_open(const OpenAnswer& open, std::span<std::uint64_t> words) {
  std::ranges::fill(words, 0);
  const auto set = [&](std::size_t bit) { words[bit / 8] |= std::uint64_t{1} << bit % 8; };
  if (open.flags) set(0);
  if (open.scale) set(1);
  for (std::size_t lane = 0; lane < open.lanes.size(); ++lane) {
    if (open.code(lane)) set(lane + 2);
  }
}

struct ReferenceAnswerer::State {
  explicit State(const VectorHeader& header_in)
      : header(header_in), computers(header_in.configs.size()) {}

  Computer& computer(std::size_t config) {
    std::optional<Computer>& slot = computers[config];
    if (!slot) slot.emplace(make_computer(header.configs[config]));
    return *slot;
  }
  std::span<const std::uint32_t> randoms(const RecordBatch& batch, std::size_t i, std::size_t n) {
    if (!batch.has(Field::kRandom)) return {};
    const auto words = batch.of(Field::kRandom, i).first(n);
    random.resize(n);
    std::ranges::transform(words, random.begin(),
                           [](std::uint64_t word) { return static_cast<std::uint32_t>(word); });
    return random;
  }

  /// The source codes of a block; those of lanes that are not kept count as +0.
  std::span<const std::uint64_t> sources(const RecordBatch& batch, std::size_t i, std::size_t n) {
    const auto stored = batch.of(Field::kSource, i).first(n);
    if (keeps_all(batch, i)) return stored;
    source.assign(stored.begin(), stored.end());
    clear_lanes_not_kept(source, batch.word(Field::kKeep, i));
    return source;
  }

  void answer(const Quantizer& quantizer, RecordBatch& batch, std::size_t i) {
    const std::size_t n = batch.elements(Field::kSource, i);
    const auto codes = batch.of(Field::kCode, i);
    const BlockResult result =
        quantizer.quantize_block(sources(batch, i, n), randoms(batch, i, n), codes.first(n));
    std::ranges::fill(codes.subspan(n), 0);
    if (!keeps_all(batch, i)) clear_lanes_not_kept(codes, batch.word(Field::kKeep, i));
    batch.word(Field::kScale, i) = result.scale_code;
    batch.word(Field::kFlags, i) = status_bits_of(result);
  }
  void answer(DotProduct& dot, RecordBatch& batch, std::size_t i) {
    const auto& what = std::get<DotCase>(header.configs[batch.config(i)].what);
    const std::size_t n = batch.elements(Field::kA, i);
    const DotOperand a{batch.of(Field::kAScale, i).first(blocks_in(what.dot.a, n)),
                       batch.of(Field::kA, i).first(n), what.a_tensor_scale};
    const DotOperand b{batch.of(Field::kBScale, i).first(blocks_in(what.dot.b, n)),
                       batch.of(Field::kB, i).first(n), what.b_tensor_scale};
    std::optional<std::uint64_t> addend;
    if (what.addend == Addend::kPresent) addend = batch.word(Field::kC, i);
    store(dot(a, b, addend), batch, i);
  }
  void answer(const ArithmeticCase& what, RecordBatch& batch, std::size_t i) {
    std::array<std::uint64_t, 3> operands{};
    constexpr std::array kOperands{Field::kA, Field::kB, Field::kC};
    const std::size_t n = operands_of(what.operation);
    for (std::size_t k = 0; k < n; ++k) operands[k] = batch.word(kOperands[k], i);
    store(what.arithmetic(what.operation, std::span(operands).first(n)), batch, i);
  }
  void answer(const casts::CastPointer& cast, RecordBatch& batch, std::size_t i) {
    const auto& what = std::get<CastCase>(header.configs[batch.config(i)].what);
    RowOperands operands{batch.of(Field::kSource, i),
                         randoms(batch, i, batch.lanes(Field::kRandom))};
    if (batch.has(Field::kAScale)) {
      operands.scale = static_cast<std::uint32_t>(batch.word(Field::kAScale, i));
    }
    const RowAnswer answer = cast_row(*cast, what.source, operands);
    if (!answer.problem.empty()) throw std::invalid_argument(answer.problem);
    std::ranges::copy(answer.scales, batch.of(Field::kScale, i).begin());
    std::ranges::copy(answer.codes, batch.of(Field::kCode, i).begin());
  }

  void answer(const Dequantizer& dequantizer, RecordBatch& batch, std::size_t i) {
    const std::size_t n = batch.elements(Field::kA, i);
    const auto values = batch.of(Field::kCode, i);
    std::ranges::fill(values.subspan(n), 0);
    dequantizer.blocks.dequantize_block(batch.word(Field::kAScale, i),
                                        batch.of(Field::kA, i).first(n), dequantizer.what.result,
                                        values.first(n), dequantizer.what.how);
  }

  void answer(const UnitDot& unit, RecordBatch& batch, std::size_t i) {
    const auto [a, b] = sides_of<DotOperand>(unit.config(), batch, i);
    batch.word(Field::kCode, i) = unit(a, b, batch.word(Field::kC, i));
  }

  /// Records [first, last), all of one configuration.
  template <typename C>
  void answer_run(C& computer, RecordBatch& batch, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) answer(computer, batch, i);
  }
  void answer_run(Conversion& conversion, RecordBatch& batch, std::size_t first, std::size_t last) {
    const auto column = [&](Field field) {
      return batch.has(field) ? batch.all(field).subspan(first, last - first)
                              : std::span<std::uint64_t>();
    };
    conversion.each(column(Field::kSource), column(Field::kRandom), column(Field::kCode),
                    column(Field::kFlags));
  }

  const VectorHeader& header;
  std::vector<std::optional<Computer>> computers;
  std::vector<std::uint32_t> random;
  std::vector<std::uint64_t> source;
};

ReferenceAnswerer::ReferenceAnswerer(const VectorHeader& header)
    : state_(std::make_unique<State>(header)) {}
ReferenceAnswerer::~ReferenceAnswerer() = default;

void ReferenceAnswerer::answer(RecordBatch& batch, std::size_t first, std::size_t last) {
  while (first < last) {
    const std::size_t config = batch.config(first);
    std::size_t end = batch.has(Field::kConfig) ? first + 1 : last;
    while (end < last && batch.config(end) == config) ++end;
    std::visit([&](auto& computer) { state_->answer_run(computer, batch, first, end); },
               state_->computer(config));
    first = end;
  }
}

namespace {

OpenAnswer open_conversion(const ConversionConfig& conversion, Masks masks,
                           const RecordBatch& batch, std::size_t i) {
  OpenAnswer open;
  open.codes = open.flags = is_masked(masks, conversion, batch.word(Field::kSource, i));
  open.lanes.assign(1, open.codes);
  return open;
}

/// The block's answer once more: only it says whether a scale that has no NaN code is a NaN.
BlockResult block_result(const Quantizer& quantizer, const RecordBatch& batch, std::size_t i,
                         std::size_t n) {
  std::vector<std::uint64_t> codes(n);
  std::vector<std::uint64_t> source(n);
  std::ranges::copy(batch.of(Field::kSource, i).first(n), source.begin());
  if (!keeps_all(batch, i)) clear_lanes_not_kept(source, batch.word(Field::kKeep, i));
  std::vector<std::uint32_t> random;
  if (batch.has(Field::kRandom)) {
    for (const std::uint64_t word : batch.of(Field::kRandom, i).first(n)) {
      random.push_back(static_cast<std::uint32_t>(word));
    }
  }
  return quantizer.quantize_block(source, random, codes);
}

bool has_nan_scale(const Quantizer& quantizer, const RecordBatch& batch, std::size_t i,
                   std::size_t n) {
  const ScaleFormat& scale = quantizer.config().format.scale;
  if (!scale.has_nan()) return (block_result(quantizer, batch, i, n).flags & kBlockNanScale) != 0;
  return decode(scale, batch.word(Field::kScale, i) & scale.code_mask()).cls == ValueClass::kNan;
}

/// Under nvfp4_cublas zero blocks have codes, others none where their scale is zero.
bool has_undefined_block(const Quantizer& quantizer, const RecordBatch& batch, std::size_t i,
                         std::size_t n) {
  return has_undefined_codes(quantizer.config(), batch.word(Field::kScale, i)) &&
         (block_result(quantizer, batch, i, n).flags & kBlockZero) == 0;
}

OpenAnswer open_block(const Quantizer& quantizer, Masks masks, const RecordBatch& batch,
                      std::size_t i) {
  const QuantizerConfig& config = quantizer.config();
  const std::size_t n = batch.elements(Field::kSource, i);
  OpenAnswer open;
  open.elements = n;
  if (batch.has(Field::kKeep)) open.keep = batch.word(Field::kKeep, i);
  open.dont_care = has_undefined_block(quantizer, batch, i, n) ||
                   (config.block.nan_scale_codes == NanScaleCodes::kDontCare &&
                    has_nan_scale(quantizer, batch, i, n));
  if (open.dont_care || masks != 0) open.lanes.assign(n, false);
  if (masks == 0) return open;
  std::vector<std::uint64_t> source(n);
  std::ranges::copy(batch.of(Field::kSource, i).first(n), source.begin());
  if (!keeps_all(batch, i)) clear_lanes_not_kept(source, open.keep);
  const MaskedBlock masked =
      masked_block(masks, config, source, block_result(quantizer, batch, i, n));
  open.scale = masked.scale;
  open.codes = masked.codes;
  bool has_open_code = masked.codes;
  for (std::size_t lane = 0; lane < n; ++lane) {
    open.lanes[lane] = open.takes_part(lane) && is_lane_masked(masked, config, source[lane], lane);
    has_open_code = has_open_code || open.lanes[lane];
  }
  // The flags are those of all elements, so they say nothing where some are open. Under a NaN scale
  // no code decides a flag.
  open.flags = open.scale || (has_open_code && !open.dont_care);
  return open;
}

/// Of which NaN, and of which sign a zero is, no source may say.
OpenAnswer open_unit(const UnitConfig& config, const RecordBatch& batch, std::size_t i) {
  OpenAnswer open;
  if (config.unit.open == UnitOpen::kNothing) return open;
  const ValueClass cls = decode(config.result, batch.word(Field::kCode, i)).cls;
  if (cls != ValueClass::kNan && cls != ValueClass::kZero) return open;
  open.lanes.assign(1, true);
  open.alike = config.result;
  return open;
}

}  // namespace

bool ReferenceAnswerer::may_be_open() const {
  return std::ranges::any_of(state_->header.configs, [](const Configuration& each) {
    const auto* const config = std::get_if<QuantizerConfig>(&each.what);
    return leaves_open(each) ||
           (config != nullptr && (config->block.nan_scale_codes == NanScaleCodes::kDontCare ||
                                  config->block.rule == ScaleRule::kNvfp4Cublas));
  });
}

OpenAnswer ReferenceAnswerer::open(const RecordBatch& batch, std::size_t i) const {
  const Configuration& configuration = state_->header.configs[batch.config(i)];
  const Masks masks = configuration.origin.masks;
  if (const auto* const conversion = std::get_if<ConversionConfig>(&configuration.what)) {
    return masks == 0 ? OpenAnswer{} : open_conversion(*conversion, masks, batch, i);
  }
  if (const auto* const unit = std::get_if<UnitCase>(&configuration.what)) {
    return open_unit(unit->on, batch, i);
  }
  if (!std::holds_alternative<QuantizerConfig>(configuration.what)) return {};
  return open_block(std::get<Quantizer>(state_->computer(batch.config(i))), masks, batch, i);
}

AnswererFactory reference_answerer() {
  return [](const VectorHeader& header) { return std::make_unique<ReferenceAnswerer>(header); };
}

void fill_config_words(const VectorHeader& header, RecordBatch& batch) {
  if (!batch.has(Field::kTuser)) return;
  const std::vector<std::uint32_t> words = header.config_words();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch.word(Field::kTuser, i) = words[batch.config(i)];
  }
}

void fill_open(const ReferenceAnswerer& reference, RecordBatch& batch) {
  if (!batch.has(Field::kOpen)) return;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    store_open(reference.open(batch, i), batch.of(Field::kOpen, i));
  }
}

}  // namespace mx::golden

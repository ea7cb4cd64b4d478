// CastTo: the cast of a layer's boundary, with an affine map around a fixed-point format. spec
// S5.5.
#include <charconv>

#include "emulators/common/interface.hpp"
#include "emulators/common/number_type.hpp"
#include "emulators/dmx/dmx.hpp"
#include "emulators/dmx/format/joined.hpp"
#include "emulators/dmx/format/shorthand.hpp"
#include "emulators/dmx/kernel/patterns.hpp"
#include "emulators/dmx/rows.hpp"

namespace mx::emulators::dmx {
namespace {

struct CastToOptions {
  Format format = Same{};
  std::int64_t group_size = 0;  ///< 0: None
  std::int64_t ch_axis = -1;
  std::int64_t block_dim = -1;
  bool per_channel = false;
};

/// Scale and zero point of an element, as binary32 patterns.
class Affine {
 public:
  [[nodiscard]] static Checked<Affine> make(const CastInput& input, const CastToOptions& options) {
    Affine affine;
    if (const TensorView* const scale = input.operand("scale")) {
      affine.scale_ = to_binary32(*scale, {});
    }
    if (const TensorView* const zero = input.operand("zero_point")) {
      affine.zero_ = to_binary32(*zero, {});
    }
    if (!options.per_channel && options.group_size == 0) return affine;
    const Shape& shape = input.tensor.shape;
    const auto axis = axis_of(shape, options.ch_axis);
    if (!axis) return Problem{std::string(axis.problem())};
    affine.group_ = options.group_size > 0 ? static_cast<std::size_t>(options.group_size) : 1;
    affine.channels_ = shape.empty() ? 1 : shape[*axis];
    for (std::size_t i = *axis + 1; i < shape.size(); ++i) affine.run_ *= shape[i];
    const std::size_t needed = (affine.channels_ + affine.group_ - 1) / affine.group_;
    if (affine.scale_.size() < needed || affine.zero_.size() < needed) {
      return Problem{"RuntimeError: " + std::to_string(needed) +
                     " scales and zero points are needed"};
    }
    return affine;
  }

  [[nodiscard]] Bits scale(std::size_t index) const { return at(scale_, index); }
  [[nodiscard]] Bits zero(std::size_t index) const { return at(zero_, index); }

 private:
  [[nodiscard]] Bits at(const std::vector<Bits>& values, std::size_t index) const {
    return values[index / run_ % channels_ / group_];
  }

  std::vector<Bits> scale_ = {fp32::kOne};
  std::vector<Bits> zero_ = {0};
  std::size_t group_ = 1;
  std::size_t channels_ = 1;
  std::size_t run_ = 1;
};

class CastTo final : public Cast, public ReadsOperands {
 public:
  CastTo(const CastToOptions& options, const Setting& setting)
      : options_(options), setting_(setting), cast_(make_format_cast(options.format, setting)) {}

  [[nodiscard]] std::string text() const override {
    return joined({"CastTo(", canonical_text(options_.format), ", group_size=",
                   options_.group_size == 0 ? "None" : std::to_string(options_.group_size),
                   ", ch_axis=", std::to_string(options_.ch_axis),
                   ", block_dim=", std::to_string(options_.block_dim),
                   ", per_channel=", options_.per_channel ? "True" : "False", ")"});
  }

  [[nodiscard]] Checked<std::size_t> random_words(const CastInput& input) const override {
    if (!is_stochastic(options_.format)) return std::size_t{0};
    Words words;
    auto values = forward(input, words);
    if (!values) return Problem{std::string(values.problem())};
    return words.drawn();
  }

  [[nodiscard]] Checked<std::vector<Tensor>> apply(const CastInput& input) const override {
    Words words(input.random);
    auto values = forward(input, words);
    if (!values) return Problem{std::string(values.problem())};
    if (std::string why = lacking(words, input.random.size()); !why.empty()) {
      return Problem{std::move(why)};
    }
    std::vector<Tensor> results = listed(*std::move(values));
    if (const TensorView* const gradient = input.operand("gradient")) {
      const auto back = backward(input, *gradient);
      if (!back) return Problem{std::string(back.problem())};
      results.push_back(*back);
    }
    return results;
  }

  [[nodiscard]] std::size_t piece(const CastInput& input, std::size_t axis) const override {
    if (is_affine() || input.operand("gradient") != nullptr) return 0;
    const std::int64_t blocks = input.axis.value_or(options_.block_dim);
    return cast_->piece({.tensor = input.tensor, .axis = blocks}, axis);
  }

  [[nodiscard]] std::vector<Property> properties() const override { return cast_->properties(); }

  [[nodiscard]] std::vector<std::string_view> operands() const override {
    if (is_affine()) return {"scale", "zero_point", "gradient"};
    return {"gradient"};
  }

 private:
  [[nodiscard]] bool is_affine() const {
    return std::holds_alternative<FixedPoint>(options_.format);
  }

  [[nodiscard]] Checked<Tensor> forward(const CastInput& input, Words& words) const {
    const TensorView& tensor = input.tensor;
    if (is_affine()) return forward_affine(input, words);
    if (std::holds_alternative<Same>(options_.format)) {
      const auto same = cast_->apply({.tensor = tensor});
      return same->front();
    }
    std::vector<Bits> values(tensor.size());
    std::string why = cast_values(options_.format, setting_, tensor, to_binary32(tensor, setting_),
                                  input.axis.value_or(options_.block_dim), words, values);
    if (!why.empty()) return Problem{std::move(why)};
    return from_fp32("values", tensor.type, tensor.shape, values);
  }

  /// x / scale + zero, the cast, and back, each step in binary32.
  [[nodiscard]] Checked<Tensor> forward_affine(const CastInput& input, Words& words) const {
    const TensorView& tensor = input.tensor;
    if (tensor.type == TensorType::kFp64 && setting_.mode == Mode::kCompat) {
      return Problem{"RuntimeError: expected scalar type Float but found Double"};
    }
    const auto affine = Affine::make(input, options_);
    if (!affine) return Problem{std::string(affine.problem())};
    const SoftMachine machine{setting_.platform};
    std::vector<Bits> values = to_binary32(tensor, setting_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = machine.add(divide(machine, values[i], affine->scale(i)), affine->zero(i));
    }
    const TensorView staged("values", TensorType::kFp32, tensor.shape, {});
    std::vector<Bits> out(values.size());
    std::string why = cast_values(options_.format, setting_, staged, values, -1, words, out);
    if (!why.empty()) return Problem{std::move(why)};
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = multiply(machine, machine.subtract(out[i], affine->zero(i)), affine->scale(i));
    }
    return from_fp32("values", tensor.type, tensor.shape, out);
  }

  /// Straight through; around a fixed-point format multiplied by the scale and divided by it.
  [[nodiscard]] Checked<Tensor> backward(const CastInput& input, const TensorView& gradient) const {
    std::vector<Bits> values = to_binary32(gradient, setting_);
    if (is_affine() && setting_.mode == Mode::kCompat) {
      const auto affine = Affine::make(input, options_);
      if (!affine) return Problem{std::string(affine.problem())};
      const SoftMachine machine{setting_.platform};
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Bits scale = affine->scale(i);
        values[i] = divide(machine, multiply(machine, values[i], scale), scale);
      }
    }
    return from_fp32("gradient", input.tensor.type, gradient.shape, values);
  }

  CastToOptions options_;
  Setting setting_;
  CastPointer cast_;
};

/// The parts between commas that stand in no bracket, blanks around them taken off.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += std::string_view("([{<").find(c) != std::string_view::npos   ? 1
             : std::string_view(")]}>").find(c) != std::string_view::npos ? -1
                                                                          : 0;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    std::string_view part = text.substr(first, i - first);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
    first = i + 1;
  }
  return parts;
}

bool reads_integer(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// "" where the option was taken.
std::string take(std::string_view part, CastToOptions& options) {
  const std::size_t equals = part.find('=');
  const std::string_view key = part.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
  bool good = false;
  if (key == "group_size") {
    good = value == "None" || (reads_integer(value, options.group_size) && options.group_size >= 0);
  } else if (key == "ch_axis") {
    good = reads_integer(value, options.ch_axis);
  } else if (key == "block_dim") {
    good = reads_integer(value, options.block_dim);
  } else if (key == "per_channel") {
    good = value == "True" || value == "False";
    options.per_channel = value == "True";
  }
  return good ? "" : joined({"'", part, "' is no option of CastTo"});
}

}  // namespace

Checked<CastPointer> make_cast_to(std::string_view text, const Setting& setting) {
  constexpr std::string_view kOpen = "CastTo(";
  if (!text.starts_with(kOpen) || !text.ends_with(')')) {
    return Problem{"ValueError: position 0: CastTo(format, ...) is expected"};
  }
  const std::string_view inside = text.substr(kOpen.size(), text.size() - kOpen.size() - 1);
  const std::vector<std::string_view> parts = parts_of(inside);
  const auto format = from_shorthand(parts.front(), setting.mode);
  if (!format) return Problem{std::string(format.problem())};
  CastToOptions options{.format = *format};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (const std::string why = take(parts[i], options); !why.empty()) {
      const auto position = static_cast<std::size_t>(parts[i].data() - text.data());
      return Problem{joined({"ValueError: position ", std::to_string(position), ": ", why})};
    }
  }
  if (options.per_channel && options.group_size != 0) {
    return Problem{"AssertionError: group_size must be used with per tensor quantization scheme"};
  }
  return CastPointer(std::make_shared<CastTo>(options, setting));
}

}  // namespace mx::emulators::dmx

#include "emulators/dmx/dmx.hpp"

#include "emulators/common/machine.hpp"
#include "emulators/common/tensor.hpp"
#include "emulators/dmx/compat.hpp"
#include "emulators/dmx/format/aliases.hpp"
#include "emulators/dmx/format/shorthand.hpp"
#include "emulators/dmx/format/sizes.hpp"
#include "emulators/dmx/strict.hpp"

namespace mx::emulators::dmx {
namespace {

std::int64_t integer_at(const TensorView& tensor, std::size_t index) {
  const std::uint64_t word = word_at(tensor, index);
  switch (tensor.type) {
    case TensorType::kInt8:
      return static_cast<std::int8_t>(word);
    case TensorType::kInt32:
      return static_cast<std::int32_t>(word);
    default:
      return static_cast<std::int64_t>(word);
  }
}

bool is_integer(TensorType type) {
  return type == TensorType::kUint8 || type == TensorType::kInt8 || type == TensorType::kInt32 ||
         type == TensorType::kInt64;
}

class FormatCast final : public Cast {
 public:
  FormatCast(const Format& format, const Setting& setting) : format_(format), setting_(setting) {}

  [[nodiscard]] std::string text() const override { return canonical_text(format_); }

  [[nodiscard]] Checked<std::size_t> random_words(const CastInput& input) const override {
    if (!is_stochastic(format_)) return std::size_t{0};
    Words words;
    Tensor out = Tensor::zeros("values", TensorType::kFp32, input.tensor.shape);
    if (std::string why = cast(input, words, patterns_of(out)); !why.empty()) {
      return Problem{std::move(why)};
    }
    return words.drawn();
  }

  [[nodiscard]] Checked<std::vector<Tensor>> apply(const CastInput& input) const override {
    const TensorView& tensor = input.tensor;
    std::vector<Tensor> results;
    if (passes(tensor.type)) {
      results.push_back({"values", tensor.type, tensor.shape, {}});
      results[0].bytes.assign(tensor.bytes.begin(), tensor.bytes.end());
      return results;
    }
    Words words(input.random);
    results.push_back(Tensor::zeros("values", TensorType::kFp32, tensor.shape));
    std::string why = cast(input, words, patterns_of(results[0]));
    if (why.empty()) why = lacking(words, input.random.size());
    if (!why.empty()) return Problem{std::move(why)};
    return results;
  }

  [[nodiscard]] std::size_t piece(const CastInput& input, std::size_t axis) const override {
    if (is_stochastic(format_) || has_rows_that_decide_together()) return 0;
    const std::int64_t size = block_size_of(format_);
    if (size == 1) return 1;
    if (axis_of_blocks(input) != -1) return 0;
    return axis + 1 < input.tensor.shape.size() ? 1 : static_cast<std::size_t>(size);
  }

  [[nodiscard]] std::vector<Property> properties() const override {
    return properties_of(format_, setting_.mode);
  }

 private:
  [[nodiscard]] bool passes(TensorType type) const {
    return setting_.mode == Mode::kCompat ? compat_passes(format_, type)
                                          : std::holds_alternative<Same>(format_);
  }

  /// An edge code in one row rebuilds all of them (rule DX-BA, spec S5.5).
  [[nodiscard]] bool has_rows_that_decide_together() const {
    const auto* const bfp = std::get_if<BlockFloatingPoint>(&format_);
    return setting_.mode == Mode::kCompat && bfp != nullptr && !bfp->symmetric;
  }

  [[nodiscard]] std::int64_t axis_of_blocks(const CastInput& input) const {
    const auto* const bfp = std::get_if<BlockFloatingPoint>(&format_);
    const std::int64_t own = bfp != nullptr && bfp->axis ? *bfp->axis : -1;
    return input.axis.value_or(own);
  }

  [[nodiscard]] std::string cast(const CastInput& input, Words& words, std::span<Bits> out) const {
    const std::int64_t axis = axis_of_blocks(input);
    const TensorView& tensor = input.tensor;
    if (tensor.type == TensorType::kFp32 && is_aligned(tensor)) {
      const auto* const data = reinterpret_cast<const Bits*>(tensor.bytes.data());
      return cast_values(format_, setting_, tensor, {data, tensor.size()}, axis, words, out);
    }
    return cast_values(format_, setting_, tensor, to_binary32(tensor, setting_), axis, words, out);
  }

  static bool is_aligned(const TensorView& tensor) {
    return reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % alignof(Bits) == 0;
  }

  Format format_;
  Setting setting_;
};

}  // namespace

std::vector<Bits> to_binary32(const TensorView& tensor, const Setting& setting) {
  std::vector<Bits> values(tensor.size());
  if (tensor.type == TensorType::kBf16) {
    // The bits as they are: signalling NaNs stay signalling.
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<Bits>(word_at(tensor, i)) << 16;
    }
    return values;
  }
  if (!is_integer(tensor.type)) {
    values = to_fp32(tensor);
    const bool has_one_nan = setting.mode == Mode::kCompat && setting.platform == Platform::kCuda &&
                             tensor.type == TensorType::kFp16;
    if (!has_one_nan) return values;
    for (Bits& value : values) value = fp32::is_nan(value) ? made_nan(setting.platform) : value;
    return values;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t integer = integer_at(tensor, i);
    const auto magnitude = static_cast<std::uint64_t>(integer);
    values[i] =
        fp32::round(unpack_integer(integer < 0, integer < 0 ? 0 - magnitude : magnitude, 0));
    if (integer == 0) values[i] = 0;
  }
  return values;
}

std::string cast_values(const Format& format, const Setting& setting, const TensorView& tensor,
                        std::span<const Bits> values, std::int64_t axis, Words& words,
                        std::span<Bits> out) {
  const Source source{.values = values,
                      .shape = tensor.shape,
                      .type = tensor.type,
                      .axis = axis,
                      .platform = setting.platform};
  return setting.mode == Mode::kCompat ? compat_cast(format, source, words, out)
                                       : strict_cast(format, source, words, out);
}

std::string lacking(const Words& words, std::size_t given) {
  if (words.drawn() <= given) return {};
  return "ValueError: " + std::to_string(words.drawn()) + " random words are drawn, " +
         std::to_string(given) + " were given";
}

CastPointer make_format_cast(const Format& format, const Setting& setting) {
  return std::make_shared<FormatCast>(format, setting);
}

Checked<CastPointer> make_dmx_cast(std::string_view body, const Setting& setting) {
  if (body.starts_with("CastTo")) return make_cast_to(body, setting);
  for (const std::string_view function :
       {"fixed_point_quantize", "float_quantize", "block_quantize", "make_mantissa_asymmetric"}) {
    if (body.starts_with(function)) return make_function_cast(body, setting);
  }
  constexpr std::string_view kNamed = "format.";
  std::string_view shorthand = body;
  if (body.starts_with(kNamed)) {
    shorthand = shorthand_of(body.substr(kNamed.size()), setting.mode);
    if (shorthand.empty()) {
      return Problem{"AttributeError: dmx.compressor.format has no attribute '" +
                     std::string(body.substr(kNamed.size())) + "'"};
    }
  }
  const auto format = from_shorthand(shorthand, setting.mode);
  if (!format) return Problem{std::string(format.problem())};
  return make_format_cast(*format, setting);
}

}  // namespace mx::emulators::dmx

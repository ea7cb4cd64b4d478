#include "emulators/aimet/aimet.hpp"

#include <algorithm>
#include <memory>

#include "emulators/aimet/element/scale.hpp"
#include "emulators/aimet/operations.hpp"
#include "emulators/aimet/quantizer.hpp"
#include "emulators/common/call.hpp"
#include "emulators/common/interface.hpp"
#include "emulators/common/refusals.hpp"

namespace mx {

/// The functions of the texts.
#define MX_AIMET_FUNCTION(X)                              \
  X(kFloatQuantizeDequantize, "FloatQuantizeDequantize")  \
  X(kQuantizeDequantize, "QuantizeDequantize")            \
  X(kMxfp4QuantizeDequantize, "_MXFP4QuantizeDequantize") \
  X(kQuantize, "quantize")                                \
  X(kDequantize, "dequantize")                            \
  X(kAnalyzer, "MinMaxEncodingAnalyzer")                  \
  X(kScale, "get_scale")                                  \
  X(kMxfp4Scale, "get_mxfp4_scale")                       \
  X(kMxfp4WeightScale, "mxfp4_weight_scale")              \
  X(kFakeCast, "fake_cast_to_ieee_float")
MX_POLICY(AimetFunction, MX_AIMET_FUNCTION);

}  // namespace mx

namespace mx::emulators::aimet {
namespace {

using Function = AimetFunction;
using Results = Checked<std::vector<Tensor>>;

Problem problem_of(std::string_view text) { return {std::string(text)}; }

/// Functions whose name says the type: float4_e2m1fn.
bool is_mxfp4(Function function) {
  return function == Function::kMxfp4QuantizeDequantize || function == Function::kMxfp4Scale ||
         function == Function::kMxfp4WeightScale;
}

bool is_quantizer(Function function) {
  return function == Function::kFloatQuantizeDequantize ||
         function == Function::kQuantizeDequantize ||
         function == Function::kMxfp4QuantizeDequantize;
}

class AimetCast final : public Cast, public ReadsOperands {
 public:
  AimetCast(Function function, const QuantizerConfig& config, bool has_maxval_6,
            const Setting& setting)
      : function_(function),
        config_(config),
        has_maxval_6_(has_maxval_6),
        mode_(setting.mode),
        platform_(setting.platform) {}

  [[nodiscard]] std::string text() const override {
    const FloatInfo& info = config_.info;
    std::string text(token_of(function_));
    text += '(';
    const auto add = [&text](std::string_view key, std::string_view value) {
      text.append(key).append("=").append(value).append(",");
    };
    if (is_mxfp4(function_)) {
      // The type is the function's.
    } else if (info.dtype() && function_ != Function::kFakeCast) {
      add("dtype", info.name());
    } else {
      add("exponent_bits", std::to_string(info.exponent_bits));
      add("mantissa_bits", std::to_string(info.mantissa_bits));
      if (info.finite != (function_ == Function::kFakeCast)) {
        add("finite", info.finite ? "True" : "False");
      }
      if (info.unsigned_zero) add("unsigned_zero", "True");
      if (has_maxval_6_) add("maxval", "6");
    }
    if (!config_.shape.empty()) add("shape", packed(tuple_text(config_.shape)));
    if (!config_.block_size.empty()) add("block_size", packed(tuple_text(config_.block_size)));
    if (config_.analyzer) add("encoding_analyzer", token_of(*config_.analyzer));
    if (text.back() == ',') text.pop_back();
    text += ')';
    return text;
  }

  [[nodiscard]] Checked<std::size_t> random_words(const CastInput&) const override {
    return std::size_t{0};
  }

  [[nodiscard]] Results apply(const CastInput& input) const override {
    switch (function_) {
      case Function::kFloatQuantizeDequantize:
      case Function::kQuantizeDequantize:
      case Function::kMxfp4QuantizeDequantize:
        return quantize_dequantize(input);
      case Function::kQuantize:
        return half(Operation::kQuantize, input);
      case Function::kDequantize:
        return half(Operation::kDequantize, input);
      case Function::kAnalyzer:
        return analyze(input);
      case Function::kScale:
      case Function::kMxfp4Scale:
      case Function::kMxfp4WeightScale:
        return scale(input);
      case Function::kFakeCast:
        break;
    }
    // Here "finite" is the function's own, not the type's.
    const FloatInfo& info = config_.info;
    const FloatInfo type = {info.exponent_bits, info.mantissa_bits, has_maxval_6_, false};
    if (is_scalar_on_cuda(input.tensor, {})) return problem_of(kCudaBinary64);
    const TensorView* const maxval = input.operand("maxval");
    if (maxval == nullptr) return one(fake_cast(type, info.finite, mode_, input.tensor));
    if (std::string why = operand_problem(*maxval); !why.empty()) return Problem{why};
    return one(strict_fake_cast(type, input.tensor, *maxval));
  }

  [[nodiscard]] std::vector<Property> properties() const override {
    const FloatInfo& info = config_.info;
    const auto truth = [](bool value) { return std::string(value ? "True" : "False"); };
    return {{"bitwidth", std::to_string(info.bitwidth()), ""},
            {"exponent_bits", std::to_string(info.exponent_bits), ""},
            {"mantissa_bits", std::to_string(info.mantissa_bits), ""},
            {"finite", truth(info.finite), ""},
            {"unsigned_zero", truth(info.unsigned_zero), ""},
            {"is_float16", truth(info == info_of(Dtype::kFloat16)), ""},
            {"is_bfloat16", truth(info == info_of(Dtype::kBfloat16)), ""},
            {"name", info.name(), ""}};
  }

  /// torch's log2 and pow make the scale of one range, so compat takes it as data (spec S8.3).
  [[nodiscard]] std::vector<std::string> row_operands() const override {
    const bool has_one_scale = config_.shape.size() == 1 && config_.shape[0] == 1;
    if (mode_ == Mode::kCompat && is_quantizer(function_) && has_one_scale) return {"scale"};
    return {};
  }

  [[nodiscard]] std::vector<std::string_view> operands() const override {
    if (function_ == Function::kQuantize || function_ == Function::kDequantize) return {"scale"};
    if (function_ == Function::kAnalyzer) return {"min", "max"};
    // Compat takes a maximum that is not the type's through torch's own logarithm and power.
    if (function_ == Function::kFakeCast && mode_ == Mode::kStrict) return {"maxval"};
    if (!is_quantizer(function_)) return {};
    if (!FloatQuantizeDequantize(config_, mode_).is_calibrated()) {
      return {"scale", "maxval", "gradient"};
    }
    return {"scale", "maxval", "min", "max", "gradient"};
  }

 private:
  /// Without blanks, as texts are written.
  static std::string packed(std::string text) {
    std::erase(text, ' ');
    return text;
  }

  static Results one(Checked<Tensor> tensor) {
    if (!tensor) return problem_of(tensor.problem());
    return listed(std::move(tensor).value());
  }

  /// Why an operand cannot be scales or a range ("" if it can).
  static std::string operand_problem(const TensorView& operand) {
    if (is_float(operand.type) && type_problem(operand.type).empty()) return {};
    return "TypeError: the operand '" + std::string(operand.name) + "' must be fp32, bf16 or fp16";
  }

  /// Why the operands of a quantizer leave one of them unread ("" if each is read).
  static std::string range_problem(const CastInput& input) {
    const bool has_range = input.operand("min") != nullptr;
    if (has_range != (input.operand("max") != nullptr)) {
      return "ValueError: min and max go together";
    }
    const int given = (input.operand("scale") != nullptr ? 1 : 0) +
                      (input.operand("maxval") != nullptr ? 1 : 0) + (has_range ? 1 : 0);
    return given > 1 ? "ValueError: give scale, maxval, or min and max" : "";
  }

  [[nodiscard]] Results quantize_dequantize(const CastInput& input) const {
    if (std::string why = range_problem(input); !why.empty()) return Problem{why};
    // With scales it is an encoding, which has no buffer.
    const bool has_buffer = input.operand("scale") == nullptr;
    const std::string_view overflow =
        maximum_problem(config_.info, mode_, has_buffer ? MaximumUse::kBuffer : MaximumUse::kBound);
    if (!overflow.empty()) return problem_of(overflow);
    FloatQuantizeDequantize quantizer(config_, mode_);
    if (!is_float(input.tensor.type)) return one(quantizer.forward(input.tensor));
    Tensor scales;
    if (const TensorView* const given = input.operand("scale")) {
      if (std::string why = operand_problem(*given); !why.empty()) return Problem{why};
      scales = {"scale", given->type, given->shape, {given->bytes.begin(), given->bytes.end()}};
    } else {
      if (const TensorView* const maxval = input.operand("maxval")) {
        if (maxval->type != TensorType::kFp32 || maxval->shape != config_.shape) {
          return Problem{"ValueError: maxval must be fp32 and of shape " +
                         tuple_text(config_.shape)};
        }
        quantizer.set_maxval(to_fp32(*maxval));
      } else if (quantizer.is_calibrated() && input.tensor.size() != 0) {
        const Checked<Range> range = seen(input);
        if (!range) return problem_of(range.problem());
        quantizer.set_maxval(maxval_of(*range, config_.info.bitwidth(), mode_));
      }
      scales = quantizer.get_scale();
    }
    if (!config_.info.dtype() && is_scalar_on_cuda(input.tensor, scales.shape)) {
      return problem_of(kCudaBinary64);
    }
    const FloatEncoding encoding{config_.info, as_taken(scales, input.tensor), config_.block_size};
    Checked<Tensor> values =
        encoding.quantize_dequantize(input.tensor, mode_, input.threads, platform_);
    if (!values) return problem_of(values.problem());
    std::vector<Tensor> results = listed(std::move(values).value(), scales);
    results.push_back(
        input.operand("scale") != nullptr
            ? encoding.maxval()
            : from_fp32("maxval", TensorType::kFp32, config_.shape, quantizer.maxval()));
    if (const TensorView* const given = input.operand("gradient")) {
      if (std::string why = operand_problem(*given); !why.empty()) return Problem{why};
      Checked<Tensor> backward =
          gradient(config_.info, mode_, input.tensor, scales, config_.block_size, *given);
      if (!backward) return problem_of(backward.problem());
      results.push_back(std::move(backward).value());
    }
    return results;
  }

  [[nodiscard]] Results half(Operation operation, const CastInput& input) const {
    const TensorView* const scales = input.operand("scale");
    if (scales == nullptr) return Problem{"ValueError: scale cannot be None"};
    if (std::string why = operand_problem(*scales); !why.empty()) return Problem{why};
    const Tensor given = {
        "scale", scales->type, scales->shape, {scales->bytes.begin(), scales->bytes.end()}};
    if (operation == Operation::kQuantize) {
      const std::string_view overflow = maximum_problem(config_.info, mode_, MaximumUse::kBound);
      if (!overflow.empty()) return problem_of(overflow);
    }
    const bool is_formula = operation == Operation::kQuantize && !config_.info.dtype();
    if (is_formula && is_scalar_on_cuda(input.tensor, given.shape)) {
      return problem_of(kCudaBinary64);
    }
    return one(compute(operation, config_.info, mode_, input.tensor, as_taken(given, input.tensor),
                       config_.block_size, input.threads, platform_));
  }

  [[nodiscard]] bool is_on_cuda() const {
    return mode_ == Mode::kCompat && platform_ == Platform::kCuda;
  }

  /// Does torch compute in binary64, which it does where everything is 0-dimensional?
  [[nodiscard]] bool is_scalar_on_cuda(const TensorView& tensor, const Shape& scale) const {
    return is_on_cuda() && tensor.shape.empty() && scale.empty();
  }

  /// A 0-dimensional scale of a 16-bit tensor: the CPU takes it as it is, CUDA in the tensor's
  /// type.
  [[nodiscard]] Tensor as_taken(const Tensor& scale, const TensorView& tensor) const {
    const bool is_narrow = tensor.type == TensorType::kBf16 || tensor.type == TensorType::kFp16;
    if (!is_on_cuda() || !is_narrow || !scale.shape.empty() || tensor.shape.empty()) return scale;
    std::vector<Bits> values = to_fp32(scale);
    for (Bits& value : values) value = rounded_to(tensor.type, value);
    return from_fp32(scale.name, scale.type, scale.shape, values);
  }

  /// The range of the tensor and of what was seen before.
  [[nodiscard]] Checked<Range> seen(const CastInput& input) const {
    if (!is_float(input.tensor.type)) {
      return Problem{"TypeError: torch.finfo() requires a floating point input type"};
    }
    if (const std::string_view why = type_problem(input.tensor.type); !why.empty()) {
      return problem_of(why);
    }
    if (input.tensor.size() == 0) return Problem{"RuntimeError: no statistics in an empty tensor"};
    Checked<Range> range = observe(input.tensor, config_.shape, config_.block_size, mode_);
    const TensorView* const min = input.operand("min");
    const TensorView* const max = input.operand("max");
    if (!range || min == nullptr || max == nullptr) return range;
    if (!operand_problem(*min).empty() || min->shape != config_.shape || max->type != min->type ||
        max->shape != config_.shape) {
      return Problem{"ValueError: min and max must be of one type of floats and of shape " +
                     tuple_text(config_.shape)};
    }
    return merge({min->type, min->shape, to_fp32(*min), to_fp32(*max)}, *range);
  }

  /// Of functions that have a quantizer's buffer.
  [[nodiscard]] std::string_view buffer_problem() const {
    return maximum_problem(config_.info, mode_, MaximumUse::kBuffer);
  }

  [[nodiscard]] Results analyze(const CastInput& input) const {
    if (!buffer_problem().empty()) return problem_of(buffer_problem());
    if (std::string why = range_problem(input); !why.empty()) return Problem{why};
    const Checked<Range> range = seen(input);
    if (!range) return problem_of(range.problem());
    FloatQuantizeDequantize quantizer(config_, mode_);
    quantizer.set_maxval(maxval_of(*range, config_.info.bitwidth(), mode_));
    return listed(from_fp32("values", TensorType::kFp32, config_.shape, quantizer.maxval()),
                  from_fp32("min", range->type, config_.shape, range->min),
                  from_fp32("max", range->type, config_.shape, range->max));
  }

  [[nodiscard]] Results scale(const CastInput& input) const {
    if (!buffer_problem().empty()) return problem_of(buffer_problem());
    if (std::string why = operand_problem(input.tensor); !why.empty()) return Problem{why};
    if (function_ == Function::kMxfp4WeightScale) {
      std::vector<Bits> results = to_fp32(input.tensor);
      for (Bits& value : results) value = mxfp4_weight_scale(value, mode_);
      return listed(from_fp32("values", TensorType::kFp32, input.tensor.shape, results));
    }
    QuantizerConfig config = config_;
    config.shape = input.tensor.shape;
    FloatQuantizeDequantize quantizer(config, mode_);
    quantizer.set_maxval(to_fp32(input.tensor));
    Tensor scales = quantizer.get_scale();
    scales.name = "values";
    return listed(std::move(scales));
  }

  Function function_;
  QuantizerConfig config_;
  bool has_maxval_6_;  ///< fake_cast_to_ieee_float: of float4_e2m1fn, not of the IEEE-like E2M1
  Mode mode_;
  Platform platform_;
};

constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

/// A tuple of sizes, each at least `least`.
std::vector<std::int64_t> sizes_of(Call& call, std::string_view key, std::int64_t least) {
  const std::string text = call.word(key, "()");
  if (text == "None") return {};
  const std::optional<std::vector<std::int64_t>> sizes = parse_tuple(text);
  if (!sizes) {
    call.refuse(key, "must be a tuple of integers, not '" + text + "'");
    return {};
  }
  const auto fits = [&](std::int64_t size) { return size >= least && size <= kLargestSize; };
  if (!std::all_of(sizes->begin(), sizes->end(), fits)) {
    call.refuse(key, "has a size outside " + std::to_string(least) + "..2^40");
  }
  return *sizes;
}

/// The type of a call, from its dtype or its bits.
Checked<FloatInfo> info_from(Call& call, Function function, Mode mode) {
  if (is_mxfp4(function)) return kFloat4E2m1fn;
  std::string name = call.word("dtype", "None");
  if (name.starts_with("torch.")) name.erase(0, 6);
  if (name != "None") {
    for (const char* const key : {"exponent_bits", "mantissa_bits", "finite", "unsigned_zero"}) {
      if (call.has(key)) {
        return Problem{
            "ValueError: Argument \"dtype\" is mutually exclusive with "
            "\"exponent/mantissa_bits/finite/unsigned_zero\"."};
      }
    }
    const std::optional<Dtype> dtype = parse_token<Dtype>(name);
    if (!dtype) return Problem{"ValueError: dtype '" + name + "' is none that can be simulated"};
    return info_of(*dtype);
  }
  if (!call.has("exponent_bits") || !call.has("mantissa_bits")) {
    return Problem{"ValueError: Neither \"dtype\" nor \"exponent/mantissa_bits\" was specified."};
  }
  FloatInfo info;
  info.exponent_bits = static_cast<int>(call.integer("exponent_bits", {}, 0, 1 << 20));
  info.mantissa_bits = static_cast<int>(call.integer("mantissa_bits", {}, 0, 1 << 20));
  const bool is_function = function == Function::kFakeCast;
  info.finite = call.boolean("finite", is_function);
  info.unsigned_zero = call.boolean("unsigned_zero", false);
  FloatInfo checked = info;
  if (is_function) checked.finite = false;
  const Checked<FloatInfo> known = make_info(checked, mode);
  if (!known) return problem_of(known.problem());
  return info;
}

}  // namespace

Checked<CastPointer> make_cast(std::string_view body, const Setting& setting) {
  Checked<Call> read = Call::read(body);
  if (!read) return problem_of(read.problem());
  Call call = std::move(read).value();
  const std::optional<Function> function = parse_token<Function>(call.name());
  if (!function) {
    std::string names;
    for (const auto& each : tokens<Function>()) names.append(" ").append(each.text);
    return Problem{"ValueError: position 0: one of the functions is expected:" + names};
  }
  const Checked<FloatInfo> info = info_from(call, *function, setting.mode);
  if (!info) return problem_of(info.problem());
  QuantizerConfig config{*info, {}, {}, {}, ScaleKind::kQuotient};
  if (is_mxfp4(*function)) config.kind = ScaleKind::kMxfp4;
  bool has_maxval_6 = false;
  if (*function == Function::kFakeCast) {
    has_maxval_6 = call.has("maxval");
    const std::string maxval = call.word("maxval", "");
    const bool is_e2m1 = info->exponent_bits == 2 && info->mantissa_bits == 1;
    if (has_maxval_6 && !(is_e2m1 && (maxval == "6" || maxval == "6.0"))) {
      call.refuse("maxval",
                  "must be left out, or 6 for E2M1: another one is an operand of strict, maxval, "
                  "which scales the grid");
    }
  } else {
    for (const std::int64_t size : sizes_of(call, "shape", 0)) {
      config.shape.push_back(static_cast<std::size_t>(size));
    }
    config.block_size = sizes_of(call, "block_size", -kLargestSize);
  }
  if (is_quantizer(*function) && call.has("encoding_analyzer")) {
    const std::string name = call.word("encoding_analyzer", "minmax");
    config.analyzer = parse_token<Analyzer>(name);
    if (!config.analyzer) call.refuse("encoding_analyzer", "must be minmax or fixed");
  }
  if (std::string why = call.problem(); !why.empty()) return Problem{why};
  return CastPointer(std::make_shared<AimetCast>(*function, config, has_maxval_6, setting));
}

}  // namespace mx::emulators::aimet

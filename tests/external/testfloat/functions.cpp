#include "tests/external/testfloat/functions.hpp"

#include <array>

#include "reference/format/table.hpp"

namespace mx::external {
namespace {

using Op = ArithmeticOperation;

struct Row {
  std::string_view name;
  Op operation;
  Op wrong;
  bool has_tininess;
  bool is_rounded;
};

constexpr std::array kRows = {
    Row{"add", Op::kAdd, Op::kAdd, true, true},
    Row{"sub", Op::kSubtract, Op::kSubtract, true, true},
    Row{"mul", Op::kMultiply, Op::kMultiply, true, true},
    Row{"div", Op::kDivide, Op::kDivide, true, true},
    Row{"mulAdd", Op::kFma, Op::kFma, true, true},
    Row{"sqrt", Op::kSqrt, Op::kSqrt, true, true},
    Row{"rem", Op::kRemainder, Op::kSubtract, false, false},
    Row{"roundToInt", Op::kRoundToIntegral, Op::kRoundToIntegral, false, true},
    Row{"eq", Op::kQuietEqual, Op::kSignalingEqual, false, false},
    Row{"le", Op::kSignalingLessEqual, Op::kSignalingLess, false, false},
    Row{"lt", Op::kSignalingLess, Op::kQuietLess, false, false},
    Row{"eq_signaling", Op::kSignalingEqual, Op::kQuietEqual, false, false},
    Row{"le_quiet", Op::kQuietLessEqual, Op::kSignalingLessEqual, false, false},
    Row{"lt_quiet", Op::kQuietLess, Op::kQuietLessEqual, false, false}};

struct Whole {
  std::string_view name;
  IntegerType type;
  IntegerType wrong;  ///< of the other sign
};
constexpr std::array kWholes = {Whole{"i32", IntegerType::kI32, IntegerType::kU32},
                                Whole{"ui32", IntegerType::kU32, IntegerType::kI32},
                                Whole{"i64", IntegerType::kI64, IntegerType::kU64},
                                Whole{"ui64", IntegerType::kU64, IntegerType::kI64}};

constexpr std::array kModes = {TestfloatMode{"near_even", Rounding::kTiesToEven},
                               TestfloatMode{"near_maxMag", Rounding::kTiesToAway},
                               TestfloatMode{"minMag", Rounding::kTowardZero},
                               TestfloatMode{"min", Rounding::kTowardNegative},
                               TestfloatMode{"max", Rounding::kTowardPositive},
                               TestfloatMode{"odd", Rounding::kToOdd}};

/// The type of the other sign.
IntegerType other_sign(IntegerType type) {
  for (const Whole& each : kWholes) {
    if (each.type == type) return each.wrong;
  }
  return type;
}

/// The conversions between floats that testfloat_gen offers.
struct Cast {
  std::string_view from;
  std::string_view to;
  const ElementFormat* source;
  const ElementFormat* destination;
  bool is_exact;  ///< every value of the source is one of the destination
};
constexpr std::array kCasts = {Cast{"f16", "f32", &formats::fp16, &formats::fp32, true},
                               Cast{"f16", "f64", &formats::fp16, &formats::fp64, true},
                               Cast{"f32", "f16", &formats::fp32, &formats::fp16, false},
                               Cast{"f32", "f64", &formats::fp32, &formats::fp64, true},
                               Cast{"f64", "f16", &formats::fp64, &formats::fp16, false},
                               Cast{"f64", "f32", &formats::fp64, &formats::fp32, false},
                               Cast{"f32", "bf16", &formats::fp32, &formats::bf16, false},
                               Cast{"bf16", "f32", &formats::bf16, &formats::fp32, true}};

/// bfloat16 has no functions of its own: its one conversion stands with those of f32.
bool stands_with(const Cast& cast, std::string_view format) {
  return cast.from == format || (cast.from == "bf16" && cast.to == format);
}

Arithmetic arithmetic_of(const TestfloatFunction& function, Rounding rounding, Tininess tininess,
                         OutOfRange out_of_range, bool is_wrong) {
  Arithmetic arithmetic = Arithmetic::ieee(*function.format, rounding);
  if (rounding == Rounding::kToOdd) arithmetic.policy.overflow = Overflow::kSatFiniteKeepInf;
  arithmetic.policy.tininess = tininess;
  arithmetic.integer = {function.integer.type, out_of_range};
  if (!is_wrong) return arithmetic;
  arithmetic.policy.rounding =
      rounding == Rounding::kTiesToEven ? Rounding::kTiesToZero : Rounding::kTiesToEven;
  // Into a wide float every integer goes without rounding.
  if (function.operation == Op::kFromInteger) {
    arithmetic.integer.type = other_sign(function.integer.type);
  }
  // So does every narrow float.
  if (function.destination != nullptr && !function.is_rounded)
    arithmetic.policy.src_ftz = SourceSubnormals::kFlush;
  return arithmetic;
}

/// "f32_to_i64"
std::string conversion_name(std::string_view from, std::string_view to) {
  std::string name(from);
  name += "_to_";
  return name += to;
}

}  // namespace

std::vector<TestfloatFunction> testfloat_functions(std::string_view name,
                                                   const ElementFormat& format) {
  const std::string own(name);
  std::vector<TestfloatFunction> list;
  for (const Row& row : kRows) {
    list.push_back({.name = own + "_" + std::string(row.name),
                    .operation = row.operation,
                    .wrong = row.wrong,
                    .format = &format,
                    .has_tininess = row.has_tininess,
                    .is_rounded = row.is_rounded});
  }
  for (const Whole& each : kWholes) {
    list.push_back({.name = conversion_name(own, each.name),
                    .operation = Op::kToInteger,
                    .wrong = Op::kToInteger,
                    .format = &format,
                    .integer = {.type = each.type}});
    list.push_back({.name = conversion_name(each.name, own),
                    .operation = Op::kFromInteger,
                    .wrong = Op::kFromInteger,
                    .format = &format,
                    .integer = {.type = each.type}});
  }
  for (const Cast& cast : kCasts) {
    if (!stands_with(cast, name)) continue;
    list.push_back({.name = conversion_name(cast.from, cast.to),
                    .format = cast.source,
                    .destination = cast.destination,
                    .has_tininess = !cast.is_exact,
                    .is_rounded = !cast.is_exact});
  }
  return list;
}

std::vector<TestfloatMode> testfloat_modes(const TestfloatFunction& function) {
  if (!function.is_rounded) return {kModes[0]};
  return {kModes.begin(), kModes.end()};
}

std::vector<Tininess> testfloat_tininess(const TestfloatFunction& function) {
  if (!function.has_tininess) return {Tininess::kAfterRounding};
  return {Tininess::kAfterRounding, Tininess::kBeforeRounding};
}

std::string testfloat_arguments(const TestfloatFunction& function, const TestfloatMode& mode,
                                Tininess tininess, int level, std::uint64_t seed) {
  std::string text = "-r" + std::string(mode.option);
  text += tininess == Tininess::kBeforeRounding ? " -tininessbefore" : " -tininessafter";
  const bool is_exact =
      function.operation == Op::kRoundToIntegral || function.operation == Op::kToInteger;
  if (is_exact) text += " -exact";
  return text + " -level " + std::to_string(level) + " -seed " + std::to_string(seed) + " " +
         function.name;
}

TestfloatModel::TestfloatModel(const TestfloatFunction& function, Rounding rounding,
                               Tininess tininess, OutOfRange out_of_range, bool is_wrong)
    : arithmetic_(arithmetic_of(function, rounding, tininess, out_of_range, is_wrong)),
      operation_(is_wrong ? function.wrong : function.operation) {
  if (function.destination == nullptr) return;
  conversion_ = *Conversion::make({*function.format, *function.destination, arithmetic_.policy});
}

const ElementFormat& TestfloatModel::from() const {
  return conversion_ ? conversion_->config().source : arithmetic_.operand_format(operation_);
}

const ElementFormat& TestfloatModel::to() const {
  return conversion_ ? conversion_->config().destination : arithmetic_.result_format(operation_);
}

std::size_t TestfloatModel::operands() const { return conversion_ ? 1 : operands_of(operation_); }

Encoded TestfloatModel::operator()(std::span<const std::uint64_t> operands) const {
  return conversion_ ? (*conversion_)(operands[0]) : arithmetic_(operation_, operands);
}

}  // namespace mx::external

#include "reference/arithmetic/selection.hpp"

namespace mx {
namespace {

using Op = ArithmeticOperation;

bool is_nan(const Unpacked& x) { return x.cls == ValueClass::kNan; }

/// Three-way comparison of values that are no NaN; zeros are equal.
int compare_values(const Unpacked& a, const Unpacked& b) {
  if (a.cls == ValueClass::kZero && b.cls == ValueClass::kZero) return 0;
  const bool a_negative = a.negative && a.cls != ValueClass::kZero;
  const bool b_negative = b.negative && b.cls != ValueClass::kZero;
  if (a_negative != b_negative) return a_negative ? -1 : 1;
  const int magnitudes = compare_magnitude(a, b);
  return a_negative ? -magnitudes : magnitudes;
}

bool is_maximum(Op operation) {
  return operation == Op::kMaximum || operation == Op::kMaximumNumber || operation == Op::kMaxNum ||
         operation == Op::kSelectMaximum;
}

/// x86: the second operand unless the first is really less, or greater.
RealResult select_as_x86(bool maximum, const Unpacked& a, const Unpacked& b) {
  if (is_nan(a) || is_nan(b)) {
    // What NaN a second operand is does not change; the code of the result is quiet.
    const Unpacked nan{.cls = ValueClass::kNan, .negative = b.negative};
    return {.value = is_nan(b) ? nan : b, .invalid = true};
  }
  const int order = compare_values(a, b);
  return {(maximum ? order > 0 : order < 0) ? a : b};
}

}  // namespace

RealResult exact_select(Op operation, const Unpacked& a, const Unpacked& b) {
  const bool maximum = is_maximum(operation);
  if (operation == Op::kSelectMinimum || operation == Op::kSelectMaximum) {
    return select_as_x86(maximum, a, b);
  }
  const bool has_one_nan = is_nan(a) != is_nan(b);
  const bool signals = has_signaling({&a, &b});
  const bool prefers_number = operation == Op::kMinimumNumber || operation == Op::kMaximumNumber;
  const bool prefers_unsignaled = operation == Op::kMinNum || operation == Op::kMaxNum;
  if (has_one_nan && (prefers_number || (prefers_unsignaled && !signals))) {
    return {.value = is_nan(a) ? b : a, .invalid = signals};
  }
  if (const auto nan = propagate_nan({&a, &b})) return *nan;
  int order = compare_values(a, b);
  // -0 is less than +0; other equal values are one.
  if (order == 0) order = (a.negative ? -1 : 0) - (b.negative ? -1 : 0);
  return {(maximum ? order >= 0 : order <= 0) ? a : b};
}

Comparison compare(Op operation, const Unpacked& a, const Unpacked& b) {
  const bool signals = operation == Op::kSignalingEqual || operation == Op::kSignalingLess ||
                       operation == Op::kSignalingLessEqual;
  if (is_nan(a) || is_nan(b)) return {false, signals || has_signaling({&a, &b})};
  const int order = compare_values(a, b);
  switch (operation) {
    case Op::kQuietEqual:
    case Op::kSignalingEqual:
      return {order == 0};
    case Op::kQuietLess:
    case Op::kSignalingLess:
      return {order < 0};
    default:
      return {order <= 0};
  }
}

}  // namespace mx

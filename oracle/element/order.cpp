#include "oracle/element/order.hpp"

#include <stdexcept>

namespace mx::oracle {
namespace {

using Op = ArithmeticOperation;

bool is_nan(const Exact& x) { return x.kind == Kind::kNan; }

/// -1, 0 or 1: which infinity, or neither.
int infinity_of(const Exact& x) {
  if (x.kind != Kind::kInf) return 0;
  return x.negative ? -1 : 1;
}

Exact with_invalid(Exact x, bool invalid) {
  x.invalid = invalid;
  return x;
}

/// min of operands that are numbers: -0 comes before +0.
Exact lower(const Exact& a, const Exact& b) {
  switch (relation_of(a, b)) {
    case Relation::kLess:
      return a;
    case Relation::kGreater:
      return b;
    default:
      return a.negative ? a : b;
  }
}

/// The minima; a maximum is minus the minimum of the negated operands.
Exact minimum(Op operation, const Exact& a, const Exact& b, bool signaling) {
  const bool any_nan = is_nan(a) || is_nan(b);
  const Exact& first_nan = is_nan(a) ? a : b;
  const Exact& number = is_nan(a) ? b : a;
  switch (operation) {
    case Op::kMinimum:
      return any_nan ? with_invalid(first_nan, signaling) : lower(a, b);
    case Op::kMinimumNumber:
      return any_nan ? with_invalid(number, signaling) : lower(a, b);
    case Op::kMinNum:
      if (signaling) return with_invalid(first_nan, true);
      return any_nan ? number : lower(a, b);
    case Op::kSelectMinimum:
      if (any_nan) return with_invalid(b, true);
      return relation_of(a, b) == Relation::kLess ? a : b;
    default:
      throw std::logic_error("no minimum");
  }
}

}  // namespace

Relation relation_of(const Exact& a, const Exact& b) {
  if (is_nan(a) || is_nan(b)) return Relation::kUnordered;
  if (infinity_of(a) != infinity_of(b)) {
    return infinity_of(a) < infinity_of(b) ? Relation::kLess : Relation::kGreater;
  }
  if (infinity_of(a) != 0) return Relation::kEqual;
  const Rational difference = signed_value(a) - signed_value(b);
  if (difference == 0) return Relation::kEqual;
  return difference < 0 ? Relation::kLess : Relation::kGreater;
}

Exact select(Op operation, const Exact& a, const Exact& b, bool signaling) {
  const auto mirrored = [&](Op of_minimum) {
    return negated(minimum(of_minimum, negated(a), negated(b), signaling));
  };
  switch (operation) {
    case Op::kMaximum:
      return mirrored(Op::kMinimum);
    case Op::kMaximumNumber:
      return mirrored(Op::kMinimumNumber);
    case Op::kMaxNum:
      return mirrored(Op::kMinNum);
    case Op::kSelectMaximum:
      return mirrored(Op::kSelectMinimum);
    default:
      return minimum(operation, a, b, signaling);
  }
}

Outcome compare(Op operation, const Real& a, const Real& b) {
  const Relation relation = relation_of(from_real(a), from_real(b));
  const auto is = [&](std::initializer_list<Relation> which, bool signals) {
    bool holds = false;
    for (const Relation each : which) holds = holds || each == relation;
    const bool unordered = relation == Relation::kUnordered;
    const bool invalid = a.signaling || b.signaling || (signals && unordered);
    return Outcome{holds ? std::uint64_t{1} : 0,
                   static_cast<std::uint8_t>(invalid ? kFlagInvalid : 0)};
  };
  switch (operation) {
    case Op::kQuietEqual:
      return is({Relation::kEqual}, false);
    case Op::kQuietLess:
      return is({Relation::kLess}, false);
    case Op::kQuietLessEqual:
      return is({Relation::kLess, Relation::kEqual}, false);
    case Op::kSignalingEqual:
      return is({Relation::kEqual}, true);
    case Op::kSignalingLess:
      return is({Relation::kLess}, true);
    case Op::kSignalingLessEqual:
      return is({Relation::kLess, Relation::kEqual}, true);
    default:
      throw std::logic_error("no comparison");
  }
}

}  // namespace mx::oracle

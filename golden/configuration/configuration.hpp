// A whole configuration as vectors, runs and manifests carry it: what is computed, under whose
// rules, and what those rules leave open. Nothing that can change an answer stands elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "golden/configuration/cast_case.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/dot/dot.hpp"
#include "reference/element/encode.hpp"
#include "reference/policy/token.hpp"
#include "reference/profiles/profile.hpp"
#include "reference/unit/unit_dot.hpp"

namespace mx {

/// What one record holds.
#define MX_OPERATION(X)                                                                   \
  X(kCvt, "cvt")               /* one code of one format to one of another */             \
  X(kBlock, "block")           /* a block of codes to a scale, codes and flags */         \
  X(kDot, "dot")               /* two rows of scaled blocks to one result */              \
  X(kArith, "arith")           /* an operation of IEEE 754 on scalars */                  \
  X(kCast, "cast")             /* a row of floats through a cast of an emulated system */ \
  X(kDequantize, "dequantize") /* a scale and codes to the values of a block */           \
  X(kMma, "mma")               /* two rows of codes and C to D of a named matrix unit */
MX_POLICY(VectorOperation, MX_OPERATION);

/// Does a dot product start from an addend?
#define MX_ADDEND(X) \
  X(kAbsent, "none") \
  X(kPresent, "given")
MX_POLICY(DotAddend, MX_ADDEND);

}  // namespace mx

namespace mx::golden {

using Operation = VectorOperation;

using Addend = DotAddend;

/// A dot product with what its operands have besides codes and scales.
struct DotCase {
  DotConfig dot;
  Addend addend = Addend::kAbsent;
  std::uint32_t a_tensor_scale = 0x3F800000;  ///< binary32; two-level formats only
  std::uint32_t b_tensor_scale = 0x3F800000;
};

/// An arithmetic operation under a policy.
struct ArithmeticCase {
  ArithmeticOperation operation = ArithmeticOperation::kAdd;
  Arithmetic arithmetic;

  /// Of what the operands and the result are codes.
  [[nodiscard]] const ElementFormat& operand() const {
    return arithmetic.operand_format(operation);
  }
  [[nodiscard]] const ElementFormat& result() const { return arithmetic.result_format(operation); }
};

/// A block's codes times its scale: spec F12.2.
struct DequantizeCase {
  BlockFormat format;
  ElementFormat result;
  Dequantizing how;
  DequantOverflow overflow = DequantOverflow::kInf;
  ScaleRule rule = ScaleRule::kFloor;       ///< nvfp4_torchao rounds on its way; others do not
  std::uint32_t tensor_scale = 0x3F800000;  ///< binary32; two-level formats only

  /// The blocks that are dequantized; their source plays no part.
  [[nodiscard]] QuantizerConfig blocks() const;
};

/// D = A * B + C on a named matrix unit: spec U1 and U2. Both sides have scales of the same blocks,
/// or none.
struct UnitCase {
  UnitConfig on;
};

/// What is computed; the alternatives are in the order of Operation.
using Computation = std::variant<ConversionConfig, QuantizerConfig, DotCase, ArithmeticCase,
                                 CastCase, DequantizeCase, UnitCase>;

/// Whose policies these are, and what the comparison leaves out.
struct Origin {
  std::string profile = "mxgold-default";  ///< as --profile takes it: name, or name:variant
  std::string chosen;  ///< the policies that options set instead, joined by commas; "" for none
  Masks masks = 0;     ///< ElementMask and BlockMask bits
  bool operator==(const Origin&) const = default;

  /// The document that the profile's policies come from, with its version, of a mixture both; ""
  /// where no profile of that name is known.
  [[nodiscard]] std::string document() const;
};

struct Configuration {
  Computation what;
  Origin origin;

  [[nodiscard]] Operation operation() const { return static_cast<Operation>(what.index()); }
};

/// Why a configuration cannot be computed; "" if it can.
[[nodiscard]] std::string problem_of(const Configuration& configuration);

/// May words of an answer be left out of comparisons, so that records mark them: by the profile, or
/// because no source settles what a matrix unit gives?
[[nodiscard]] bool leaves_open(const Configuration& configuration);

/// Can an answer depend on a random word?
[[nodiscard]] bool takes_random(const Configuration& configuration);

/// N of the random words; 1 where there are none.
[[nodiscard]] int random_bits_of(const Configuration& configuration);

/// Elements of a whole block; 0 where a block reaches as far as its axis or tensor, and where codes
/// have no scales.
[[nodiscard]] int block_elements(const Configuration& configuration);

/// Records hold a multiple of so many elements: 1 but for units whose sums are trees.
[[nodiscard]] std::size_t whole_group(const Configuration& configuration);

/// Blocks along the axis that so many elements lie in, the last one short where they end inside.
[[nodiscard]] std::size_t blocks_in(const BlockFormat& format, std::size_t elements);
[[nodiscard]] std::size_t blocks_in(const UnitScale& scale, std::size_t elements);

}  // namespace mx::golden

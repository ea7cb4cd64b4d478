// A cast of an emulated package as a configuration: what a row of floats becomes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/casts/cast.hpp"
#include "reference/policy/checked.hpp"

namespace mx::golden {

struct CastCase {
  casts::CastMaker make = casts::no_casts;
  std::string text = "none";  ///< "dmx:MXFP8[E4M3]{32}", canonical
  casts::Setting setting;
  TensorType source = TensorType::kFp32;  ///< a type of floats

  [[nodiscard]] Checked<casts::CastPointer> cast() const { return make(text, setting); }
};

/// What a cast makes of a row, and what it reads besides. Rows are 1-dimensional and cast along
/// their axis.
struct CastRow {
  std::size_t random_words = 0;
  bool reads_scale = false;  ///< an operand "scale", one binary32; then it is no result
  TensorType code = TensorType::kFp32;
  std::size_t codes = 0;  ///< words of the result "data", or "values" where there is none
  TensorType scale = TensorType::kUint8;
  std::size_t scales = 0;  ///< words of the result "scale"; 0: there is none
};

/// The problem is the system's where it refuses rows of that length.
[[nodiscard]] Checked<CastRow> row_of(const CastCase& what, std::size_t elements);

/// The operands of a row.
struct RowOperands {
  std::span<const std::uint64_t> source;
  std::span<const std::uint32_t> random;
  std::optional<std::uint32_t> scale = {};  ///< the operand "scale", binary32
};

/// A row's answer, or why there is none.
struct RowAnswer {
  std::vector<std::uint64_t> scales;
  std::vector<std::uint64_t> codes;
  std::string problem;  ///< the system's words
  bool operator==(const RowAnswer&) const = default;
};

[[nodiscard]] RowAnswer cast_row(const casts::Cast& cast, TensorType source,
                                 const RowOperands& operands);

}  // namespace mx::golden

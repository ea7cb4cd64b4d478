// Records and tensors as flat arrays, for sizes that no packed vector has.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/bus/handle.hpp"

namespace mx::bridge {

/// The results of a record, and a byte for each: 1 where it is open.
struct ArrayAnswer {
  std::vector<std::uint64_t> results;
  std::vector<std::uint8_t> open;
};

/// Answers a record whose operands stand one after the other in the order of the fields: source,
/// random, a_scale, a, b_scale, b, c, those that the records have. The results stand as scale,
/// code, flags.
bool answer_array(Handle& handle, std::uint32_t elements, std::span<const std::uint64_t> operands,
                  ArrayAnswer& answer);

/// A tensor of `lines` rows, blocked along the rows.
struct TensorShape {
  std::uint32_t lines = 0;
  std::uint32_t length = 0;
  std::uint64_t seed = 0;  ///< of the counter that stochastic roundings draw from
};

struct TensorAnswer {
  std::vector<std::uint64_t> scales;  ///< lines x blocks of a line
  std::vector<std::uint64_t> codes;   ///< lines x length
  std::uint32_t tensor_scale = 0;     ///< binary32; of two-level formats, else 1
};

/// Quantizes a tensor under an op=block handle as `mxgold quantize` does: two-level formats find
/// the tensor's scale first, unless the handle was given one.
bool quantize_tensor(Handle& handle, const TensorShape& shape,
                     std::span<const std::uint64_t> source, TensorAnswer& answer);

/// The value of a code of a field: "1.5", "inf". False for a field without one format.
bool value_text(Handle& handle, std::string_view field, std::uint64_t code, std::string& text);

}  // namespace mx::bridge

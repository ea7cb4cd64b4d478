// The table of formats: data in one place. RTL constants, documentation tables and listings are
// generated from it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "mx/format.hpp"
#include "mx/format_rows.hpp"

namespace mx {

/// Element formats k elements share a scale of: what BlockFormat rows combine.
struct BlockFormat {
  std::string_view name;
  ElementFormat element;
  ScaleFormat scale;
  int block_size = 32;  ///< k, 1..1024
};

/// Every format of format_rows.hpp, in table order.
[[nodiscard]] std::span<const ElementFormat> all_formats();
/// Every named block format: mxfp8_e4m3, mxfp8_e5m2, mxfp6_e2m3, mxfp6_e3m2, mxfp4, mxint8.
[[nodiscard]] std::span<const BlockFormat> all_block_formats();

/// The format of a token of formats.md section 1.3, or nullptr.
[[nodiscard]] const ElementFormat* find_format(std::string_view name);
[[nodiscard]] const BlockFormat* find_block_format(std::string_view name);

/// Why a descriptor is not valid (formats.md section 6.2), or an empty view.
[[nodiscard]] std::string_view invalid_reason(const ElementFormat& format);

}  // namespace mx

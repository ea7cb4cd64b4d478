// A checked call: which kernel answers it, and with what.
#pragma once

#include <string_view>

#include "fast/cuda/run.hpp"

namespace mx::fast::cuda {

enum class Kernel : std::uint8_t { kGeneral, kRows, kColumns, kBoth };

/// As plans tell it. Both directions go through the tiles of columns.
[[nodiscard]] constexpr std::string_view name_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::kRows:
      return "rows";
    case Kernel::kColumns:
    case Kernel::kBoth:
      return "columns";
    case Kernel::kGeneral:
      break;
  }
  return "general";
}

struct Call {
  Kernel kernel = Kernel::kGeneral;
  Run run;
  Run rows;  ///< kBoth: the direction along the rows; `run` is that down the columns
};

[[nodiscard]] inline std::size_t elements_of(const Run& run) {
  return run.outer * run.length * run.inner;
}
[[nodiscard]] inline std::size_t blocks_of(const Run& run, int block_size) {
  const auto size = static_cast<std::size_t>(block_size);
  return run.outer * ((run.length + size - 1) / size) * run.inner;
}

/// int8 in two's complement as OCP MX has it by default: what the short encoder takes.
[[nodiscard]] inline bool is_plain_int8(const cpu::ElementConstants& c) {
  const cpu::RoundingMasks& r = c.rounding;
  const bool to_even = r.by_odd != 0 && r.nearest != 0 && r.by_negative == 0 && r.always == 0;
  return to_even && c.twos_complement != 0 && c.man_bits == 6 && c.code_mask == 0xFF &&
         c.limit[0] == c.limit[1] && c.overflow.of[0] == c.limit[0] &&
         c.overflow.of[1] == 0x100 - c.limit[1];
}

/// Rows of whole blocks at addresses that wide loads and stores take?
[[nodiscard]] bool fits_rows_kernel(const Mode& mode, const Run& run);
/// The same for columns in bands of 32 rows.
[[nodiscard]] bool fits_tile_kernel(const Mode& mode, const Run& run);

}  // namespace mx::fast::cuda

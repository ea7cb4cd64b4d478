// Golden vectors of blocks from a .tv file (docs/vector-format.md), for pins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

#include "mxgold_systemc/models.hpp"

namespace mxgold {

/// A file that is none, or not for pins: file, line, what is wrong and the remedy.
class VectorError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One vector.
struct BlockVector {
  std::uint32_t tuser = 0;
  std::uint32_t elements = 0;  ///< lanes that take part, the first ones
  std::vector<std::uint32_t> source;
  std::vector<std::uint32_t> random;  ///< zeros where the file has none
  std::uint16_t user = 0;             ///< scale code and flags, as m_axis_tuser
  std::vector<std::uint8_t> codes;
  std::vector<std::uint8_t> open;  ///< a byte each: codes, scale, flags; empty: all compared
};

struct VectorFile {
  std::string name;
  int lanes = 0;  ///< elements of a whole block
  int random_bits = 8;
  int sr_variant = 0;
  std::vector<BlockVector> vectors;
  /// "" or why the digests of the trailer are not those of the records: something was changed. A
  /// checker that is given the vectors names what.
  std::string damage;

  /// Options of mx_quantizer that the vectors were made for.
  [[nodiscard]] Build build(int beat_lanes) const;
};

/// Reads whole files only: counts, widths and digits have to be right. Throws VectorError.
[[nodiscard]] VectorFile read_vectors(std::istream& in, const std::string& name);
/// Of a path, or of a command behind "|": "|mxgold gen --suite rnd --count 1000 --format mxfp4".
[[nodiscard]] VectorFile read_vectors(const std::string& path);

}  // namespace mxgold

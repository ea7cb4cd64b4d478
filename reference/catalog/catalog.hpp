// Formats by name beyond the table: families with parameters in their names, and formats that a
// user defines.
//
// Names, lower case:
//   e{E}m{M}[b{bias}][layout]
//       signed float; bias defaults to 2^(E-1) - 1 (FNUZ: 2^(E-1)). Layouts: none given = Inf and
//       NaN as IEEE 754, `fn` = one NaN a sign and no Inf, `fnuz` = one NaN at -0, `fin` = every
//       code finite
//   ue{E}m{M}[b{bias}][nan|fin]
//       unsigned scale with zero, bias as above; `nan` (default) = the top code is NaN
//   exp{N}, exp{N}nan
//       2^(code - (2^(N-1) - 1)), N = 2..8, no zero; `nan` = the top code is NaN (microxcaling's
//       scale_bits)
//   int{N}, uint{N}
//       N = 2..32 bits, two's complement or unsigned, step 2^-(N-2) (MX)
//   fixed{W}.{F}, ufixed{W}.{F}
//       W = 2..32 bits (unsigned from 1), F fraction bits, -64..64
//   sm{N}
//       sign and N-1 magnitude bits, N = 2..16, step 2^-(N-2) (BFP elements)
//   binary{K}p{P}{s|u}{e|f}
//       IEEE P3109 v4.0, K = 3..16
// A name of the table (format_rows.hpp) always means the table's row. A name with an '=' is a
// definition (definitions.hpp).
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/casts/maker.hpp"
#include "reference/format/format.hpp"
#include "reference/format/table.hpp"

namespace mx {

/// Looks names up, keeping what it makes. Formats and their names live as long as the catalog;
/// pointers stay valid. Not safe for concurrent find() of new names. Who reads configurations by a
/// catalog also learns from it how casts are made of their texts.
class FormatCatalog {
 public:
  explicit FormatCatalog(casts::CastMaker maker = casts::no_casts) : cast_maker_(maker) {}
  FormatCatalog(const FormatCatalog&) = delete;
  FormatCatalog& operator=(const FormatCatalog&) = delete;

  /// The format of a name: a row of the table, one that was defined, or a family member or the
  /// format of a definition made now, whose name is then the canonical one; nullptr for anything
  /// else (family members out of range included).
  [[nodiscard]] const ElementFormat* find(std::string_view name);

  /// Adds a user's format under its own name. Returns why it cannot be added ("" if it was): the
  /// name is taken or the descriptor is invalid.
  [[nodiscard]] std::string define(std::string_view name, ElementFormat format);

  /// The block format of a name: one with a known procedure, one that was defined, or that of a
  /// definition; nullptr otherwise.
  [[nodiscard]] const BlockFormat* find_block(std::string_view name);

  /// Adds a user's block format; its element and scale must be formats of this catalog, so that
  /// their names live as long. Returns why it cannot be added ("" if it was).
  [[nodiscard]] std::string define_block(std::string_view name, BlockFormat format);

  [[nodiscard]] casts::CastMaker cast_maker() const { return cast_maker_; }

  /// The same text, kept as long as the catalog lives: for names of formats made elsewhere.
  [[nodiscard]] std::string_view intern(std::string_view name);

  /// What define() and define_block() added, in order.
  [[nodiscard]] std::vector<const ElementFormat*> defined() const;
  [[nodiscard]] std::vector<const BlockFormat*> defined_blocks() const;

 private:
  struct Entry {
    std::string name;
    ElementFormat format;
    bool is_defined = false;
  };
  struct BlockEntry {
    std::string name;
    BlockFormat format;
    bool is_defined = false;
  };
  [[nodiscard]] std::string taken_by(std::string_view name);
  [[nodiscard]] const ElementFormat* find_definition(std::string_view definition);
  [[nodiscard]] const BlockFormat* find_block_definition(std::string_view definition);
  Entry& keep(std::string_view name, ElementFormat format);
  casts::CastMaker cast_maker_;
  std::deque<std::string> names_;
  std::deque<Entry> entries_;
  std::deque<BlockEntry> blocks_;
};

/// The format of a name by value: a row of the table, or a family member or the format of a
/// definition, whose `name` is left empty (no storage is made for it). Nothing for anything else.
[[nodiscard]] std::optional<ElementFormat> make_format(std::string_view name);

/// The family member a name spells, without a name of its own, if the name is one and in range.
[[nodiscard]] std::optional<ElementFormat> parse_family(std::string_view name);

/// The name of a family that a format has, "" where it is in none.
[[nodiscard]] std::string family_name(const ElementFormat& format);

/// P3109 v4.0 binary{K}p{P}: is_extended chooses 'e' (infinities) or 'f'. Nothing outside K
/// = 3..16, 0 < P < K (signed) or 0 < P <= K (unsigned).
enum class P3109Domain : std::uint8_t { kFinite, kExtended };
enum class Signedness : std::uint8_t { kSigned, kUnsigned };
[[nodiscard]] std::optional<ElementFormat> p3109_format(int k, int p, Signedness signedness,
                                                        P3109Domain domain);

}  // namespace mx

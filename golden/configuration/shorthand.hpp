// A configuration in one line, for handles, registers and command lines: what is computed, whose
// policies, and the fields that are otherwise.
//
//   "format=mxfp4"                                     blocks from fp32 under mxgold-default
//   "op=block format=mxfp8_e4m3 source=bf16 profile=ocp-mx-1.0 rounding=to_odd"
//   "op=cvt destination=e4m3fn overflow=none_inf_or_nan"
//   "op=dot a=mxfp4 b=mxfp8_e4m3 mode=accumulator acc_group=16"
//   "op=dequantize format=nvfp4 result=bf16 stored_tensor_scale=3a000000"
//   "op=arith operation=fma format=fp16 rounding=toward_zero"
//   "op=cast cast=dmx:MXFP8[E4M3]{32} mode=compat"
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "golden/configuration/configuration.hpp"
#include "golden/names/config_file.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/policy/checked.hpp"

namespace mx::golden {

/// The words NAME=VALUE of a text, blanks between them: names and values, each name once.
[[nodiscard]] Checked<std::map<std::string, std::string>> shorthand_words(std::string_view text);

/// The configuration of a shorthand. Words are NAME=VALUE, separated by blanks, in any order:
///   - op (block), and what it needs: cvt source (fp32), destination; block source (fp32), format;
///     dequantize format; dot a, b (a's); arith operation, format (fp32); cast cast;
///   - profile (mxgold-default), with a variant as PROFILE:VARIANT, of cvt, block and dequantize:
///   the
///     policies to start from; blocks_as, the profile whose block rules it takes (a mixture);
///   - config, a configuration file (golden/names/config_file.hpp), for what no other word says;
///   - block_size, of block formats whose blocks have one;
///   - every other field of the configuration as fields_of() writes it, definitions of formats and
///     derived fields excepted.
/// Names of formats that it needs are kept in `catalog`. The problem names the word.
[[nodiscard]] Checked<Configuration> parse_shorthand(std::string_view text, FormatCatalog& catalog);

/// The configuration of a file for an operation, as a line "op=... config=FILE" has it.
[[nodiscard]] Checked<Configuration> configuration_of(const ConfigFile& file, Operation operation,
                                                      FormatCatalog& catalog);

/// A shorthand that parse_shorthand() makes the same configuration of: what is computed, the
/// profile, and the fields that differ from what these alone give; a mixture that an older file
/// names by its elements' profile has its own name. Nothing where a format is one that no name
/// spells.
[[nodiscard]] std::optional<std::string> shorthand_of(const Configuration& given);

}  // namespace mx::golden

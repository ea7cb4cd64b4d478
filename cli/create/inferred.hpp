// SPDX-License-Identifier: Apache-2.0
// What the ports of a module say of the device that it is.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "golden/configuration/configuration.hpp"
#include "reference/catalog/catalog.hpp"
#include "sim/device/ports.hpp"

namespace mx::cli {

/// What is known of a module before its device file is written.
struct KnownModule {
  std::string text;    ///< of its source
  std::string others;  ///< of the sources of modules in it
  std::string top;
  std::vector<sim::Port> ports;
  std::string operation;       ///< "" where the ports are to say it
  std::string format, source;  ///< "" for none
  std::string result;          ///< of dequantize and dot
};

/// The members of a device file from `operation` on: what could not be told is a text that begins
/// with sim::kFillIn and says what is wanted. `catalog` finds formats by their names.
[[nodiscard]] nlohmann::ordered_json inferred_members(const KnownModule& known,
                                                      FormatCatalog& catalog);

/// Formats that the comments above a module and its name speak of: "BF16 to MXFP4".
struct SpokenFormats {
  std::string block;                  ///< the first block format, "" for none
  std::vector<std::string> elements;  ///< of single values, in order
};
[[nodiscard]] SpokenFormats spoken_formats(const std::string& text, const std::string& top);

}  // namespace mx::cli

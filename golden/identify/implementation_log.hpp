// Logs: inputs and outputs of an implementation. docs/identify.md describes the text form.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "golden/identify/surface.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::golden {

/// What the outputs of a log are.
enum class LogOutputs : std::uint8_t {
  kCodes,  ///< element codes, and for blocks the scale code
  kValues  ///< binary32 patterns of the decoded values
};

struct LogRecord {
  BlockInput input;
  BlockAnswer answer;              ///< under kValues, `codes` are binary32 patterns
  bool has_scale = true;           ///< false: the scale is not known
  std::vector<bool> unknown = {};  ///< elements whose output is not known; empty: all are known
  std::uint64_t line = 0;          ///< of a text file; the number of the record in others, from 1
};

struct ImplementationLog {
  Surface surface;
  LogOutputs outputs = LogOutputs::kCodes;
  bool has_random = false;  ///< the log says which random words were used
  std::vector<LogRecord> records;
  std::shared_ptr<const FormatCatalog> names = {};  ///< keeps those of a vector file's formats
  std::vector<std::string> places = {};  ///< what to call each record; empty: by its line
};

/// Reads the text form; `name` is for messages. Throws VectorError naming it, line, field and
/// remedy.
[[nodiscard]] ImplementationLog parse_log(const std::string& name, const std::string& text,
                                          FormatCatalog& catalog);

/// Is the output for element i known?
[[nodiscard]] inline bool is_known(const LogRecord& record, std::size_t i) {
  return record.unknown.empty() || !record.unknown[i];
}

/// The text form of inputs without outputs: what a user runs an implementation on.
[[nodiscard]] std::string stimulus_text(const Surface& surface,
                                        const std::vector<BlockInput>& inputs);

/// The text form of a whole log.
[[nodiscard]] std::string log_text(const ImplementationLog& log);

}  // namespace mx::golden

// SPDX-License-Identifier: Apache-2.0
// A log whose words mean something else than its header says: codes of another format, as FNUZ read
// with the bias of OCP; bytes in the other order; nibbles of a byte exchanged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/makers/classes.hpp"

namespace mx::golden {

/// How the words of a log are read.
struct Reading {
  enum class Kind : std::uint8_t {
    kTarget,       ///< codes are those of another format of as many bits
    kSource,       ///< so are inputs
    kValues,       ///< values are those that another format gives the codes
    kSourceBytes,  ///< bytes of inputs come in the other order
    kOutputBytes,  ///< bytes of outputs do
    kNibbles       ///< every two codes of four bits are exchanged
  };
  Kind kind = Kind::kTarget;
  ElementFormat format;  ///< of kSource and kValues
  Surface surface;       ///< of what is read
  /// "codes of e4m3fn (bias 7), not of e4m3fnuz (bias 8)"
  [[nodiscard]] std::string text() const;
  Surface written;  ///< the log's own
};

/// Every other reading that words of a log can have.
[[nodiscard]] std::vector<Reading> readings_of(const ImplementationLog& log);

/// The log read so; nothing where it has words that mean nothing then.
[[nodiscard]] std::optional<ImplementationLog> read_as(const ImplementationLog& log,
                                                       const Reading& reading);

/// A reading under which profiles explain a log.
struct ReadLog {
  Reading reading;
  std::vector<HypothesisClass> classes;
};

/// The readings under which some profile explains every record.
[[nodiscard]] std::vector<ReadLog> explained_readings(const ImplementationLog& log, int threads);

}  // namespace mx::golden

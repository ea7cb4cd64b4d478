// SPDX-License-Identifier: Apache-2.0
// A log whose words mean something else than its header says: codes of another format, as FNUZ read
// with the bias of OCP; bytes in the other order; nibbles of a byte exchanged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/makers/classes.hpp"
#include "golden/makers/next_input.hpp"

namespace mx::golden {

/// How the words of a log are read.
struct Reading {
  enum class Kind : std::uint8_t {
    kTarget,       ///< codes are those of another format of as many bits
    kSource,       ///< so are inputs
    kValues,       ///< values are those that another format gives the codes
    kSourceBytes,  ///< bytes of inputs come in the other order
    kOutputBytes,  ///< bytes of outputs do
    kNibbles,      ///< every two codes of four bits are exchanged
    kDecimal,      ///< random words are decimal
    kTiles,        ///< scales of rows of blocks stand in tiles of 128 x 4
    kColumns       ///< they stand column by column
  };
  Kind kind = Kind::kTarget;
  ElementFormat format;           ///< of kSource and kValues
  Surface surface;                ///< of what is read
  std::size_t row_of_blocks = 0;  ///< of kTiles and kColumns: blocks in a row
  /// "codes of e4m3fn (bias 7), not e4m3fnuz (bias 8)"
  [[nodiscard]] std::string text() const;
  Surface written;  ///< the log's own
};

/// Every other reading that words of a log can have.
[[nodiscard]] std::vector<Reading> readings_of(const ImplementationLog& log);

/// The first `count` records of the log read so; nothing where it has words that mean nothing then.
[[nodiscard]] std::optional<ImplementationLog> read_as(const ImplementationLog& log,
                                                       const Reading& reading, std::size_t count);

/// A reading under which profiles explain a log.
struct ReadLog {
  Reading reading;
  std::vector<HypothesisClass> classes;
};

/// The readings under which some profile explains every record. Where other random words are read,
/// `changed` may do so too.
[[nodiscard]] std::vector<ReadLog> explained_readings(const ImplementationLog& log,
                                                      const std::vector<Hypothesis>& changed,
                                                      int threads);

/// The first profile of each class as it would have written a log of the reading; no answer where
/// that takes several records. The log's records are not looked at; all of it outlives the
/// respondents.
[[nodiscard]] std::vector<Respondent> respondents_of(const ImplementationLog& log,
                                                     const ReadLog& read);

}  // namespace mx::golden

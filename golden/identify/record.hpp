// One record of a log against one subject.
#pragma once

#include <cstdint>
#include <vector>

#include "golden/identify/implementation_log.hpp"
#include "golden/identify/surface.hpp"

namespace mx::golden {

/// What became of the answers of a log under a hypothesis. An answer is the code or the value of an
/// element, or, in logs of codes, a block's scale code.
struct AnswerCounts {
  std::uint64_t compared = 0;
  std::uint64_t open = 0;     ///< known, but left open by the hypothesis, or a scale of other codes
  std::uint64_t unknown = 0;  ///< not in the log
  std::uint64_t dont_care = 0;  ///< known, but codes under a NaN scale, which mean nothing

  /// Counts one answer. True: it is to be compared.
  bool add(bool is_known, bool is_open, bool is_under_nan = false) {
    ++(!is_known ? unknown : !is_open ? compared : is_under_nan ? dont_care : open);
    return is_known && !is_open;
  }
  AnswerCounts& operator+=(const AnswerCounts& other) {
    compared += other.compared;
    open += other.open;
    unknown += other.unknown;
    dont_care += other.dont_care;
    return *this;
  }
  bool operator==(const AnswerCounts&) const = default;
};

/// What a subject should have answered, in the log's terms, and whether the record agrees with it.
struct Explanation {
  BlockAnswer expected;
  bool agrees = true;
  OpenParts open = {};
  AnswerCounts counts = {};
};
[[nodiscard]] Explanation explain_record(const ImplementationLog& log, const Subject& subject,
                                         const LogRecord& record);

/// The same of an answer that somebody like the subject gives: in its formats, with this of it
/// open.
[[nodiscard]] Explanation explain_answer(const ImplementationLog& log, const Subject& subject,
                                         const LogRecord& record, BlockAnswer answer,
                                         OpenParts open);

/// What a subject would log: its codes, those it leaves open as not known.
[[nodiscard]] LogRecord record_of(const Surface& surface, const Subject& subject,
                                  const BlockInput& input);

/// The configuration by which the codes of a log are read: the block format as it is listed.
[[nodiscard]] QuantizerConfig reader_of(const Surface& surface);

/// Do two binary32 patterns agree as far as the element format can tell? Any NaN is as good as
/// another, and two's complement has one zero (spec F21).
[[nodiscard]] bool same_value(const ElementFormat& format, std::uint64_t a, std::uint64_t b);

/// The value of a code as a binary32 pattern.
[[nodiscard]] std::uint64_t value32(const ElementFormat& format, std::uint64_t code);

}  // namespace mx::golden

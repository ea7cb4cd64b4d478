// Who says what the answers of a golden file should be. The reference is one judge; an oracle that
// shares no code with it can be another.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "golden/files/vector_file.hpp"

namespace mx::golden {

/// Computes answers from operands. One judge serves one file.
class Judge {
 public:
  Judge() = default;
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;
  virtual ~Judge() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Replaces the answers of a batch whose configuration `header` states. May throw
  /// std::invalid_argument where it cannot judge the configuration.
  virtual void answer(const VectorHeader& header, CvtBatch& batch) = 0;
  virtual void answer(const VectorHeader& header, BlockBatch& batch) = 0;
};

/// The judge behind fill_expected().
[[nodiscard]] std::unique_ptr<Judge> reference_judge();

/// What verification of one golden file found.
struct Verdict {
  std::uint64_t count = 0;      ///< vectors read and judged
  std::uint64_t disagreed = 0;  ///< vectors with an answer that a judge disagrees with
  std::string first;            ///< the first of them, for a person; "" if none
  FileDigests digests;
};

/// Reads a golden file to its end and compares every answer, don't-care codes included, with every
/// judge. Throws VectorError for a bad file.
[[nodiscard]] Verdict verify_goldens(VectorReader& reader,
                                     std::span<const std::unique_ptr<Judge>> judges);

}  // namespace mx::golden

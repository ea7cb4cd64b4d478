// Goldens judged again: every answer of a file by answerers of one's choice.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "golden/answers/answers.hpp"
#include "golden/files/vector_file.hpp"

namespace mx::golden {

/// What verification of one golden file found.
struct GoldenVerdict {
  std::uint64_t count = 0;      ///< vectors read and judged
  std::uint64_t disagreed = 0;  ///< vectors with an answer that an answerer disagrees with
  std::string set_problem;      ///< why the operands are not those of the named set; "" if they are
  std::uint64_t open = 0;       ///< vectors that the file's profile leaves open, at least in part
  bool set_is_checked = false;  ///< the operands were made again from the name of the set
  std::string first;            ///< the first that disagreed, for a person; "" if none
  FileDigests digests;

  [[nodiscard]] bool is_right() const { return disagreed == 0 && set_problem.empty(); }
};

/// Reads a golden file to its end and compares every answer, don't-care codes included, with every
/// answerer, its operands with those of the suite it names, and the field `open` with what the
/// profile leaves open. Throws VectorError for a bad file.
[[nodiscard]] GoldenVerdict verify_goldens(VectorReader& reader,
                                           std::span<const AnswererFactory> answerers,
                                           const ForEachPiece& for_each_piece);

}  // namespace mx::golden

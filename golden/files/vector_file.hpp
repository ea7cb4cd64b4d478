// Reading and writing vector files: .tv, .mem, .bin and .jsonl, the same records in each.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "golden/bytes/error.hpp"
#include "golden/bytes/sha256.hpp"
#include "golden/vectors/header.hpp"
#include "golden/vectors/record.hpp"

namespace mx::golden {

enum class FileKind : std::uint8_t { kTv, kMem, kBin, kJsonl };
inline constexpr std::array kFileKinds = {FileKind::kTv, FileKind::kMem, FileKind::kBin,
                                          FileKind::kJsonl};
[[nodiscard]] std::string_view extension(FileKind kind);

/// The two digests of a file's trailer: over the operand bytes of all records in order, and over
/// all record bytes in order (docs/vector-format.md, "Digests").
struct FileDigests {
  Digest operands{};
  Digest records{};
  bool operator==(const FileDigests&) const = default;
};

/// Writes one file. The records must come in order and as many as header.count says.
/// A file takes its name by commit() or finish(); a writer destroyed before leaves nothing behind.
/// The path "-" is standard output. Throws VectorError.
class VectorWriter {
 public:
  VectorWriter(std::string path, FileKind kind, const VectorHeader& header);
  ~VectorWriter();
  VectorWriter(VectorWriter&&) noexcept;
  VectorWriter& operator=(VectorWriter&&) noexcept;

  void write(const RecordBatch& batch);
  /// Writes the trailer and puts all but the name on the disk. Throws if the count is not met.
  FileDigests complete();
  /// Where the completed file can be read before it is named; "" of an output that is no file.
  [[nodiscard]] std::string unnamed() const;
  /// Names the completed file.
  void commit();
  /// complete() and commit().
  FileDigests finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a reader verifies at the trailer.
enum class ReadMode : std::uint8_t {
  kGoldens,  ///< counts and both digests
  kAnswers   ///< counts and the operand digest: the result fields are a device's answers
};

/// Who compares the operands with those of the set that the header names?
enum class SetCheck : std::uint8_t {
  kByReader,  ///< the reader, which refuses others
  kByCaller   ///< the caller, by a NamedSet of its own, or nobody
};

/// Reads one file of any kind, recognised by its first bytes, in pieces of bounded size. The path
/// "-" is standard input. `casts` makes those that its header names. Throws VectorError for
/// whatever is not exactly a vector file; read() returns 0 only after the trailer was found right
/// and nothing follows it.
class VectorReader {
 public:
  explicit VectorReader(std::string path, casts::CastMaker casts = casts::no_casts,
                        ReadMode mode = ReadMode::kGoldens, SetCheck check = SetCheck::kByReader);
  ~VectorReader();
  VectorReader(VectorReader&&) noexcept;
  VectorReader& operator=(VectorReader&&) noexcept;

  [[nodiscard]] const VectorHeader& header() const;
  [[nodiscard]] FileKind kind() const;
  /// Replaces the batch by the next records, at most `max`; their number, 0 at the end.
  std::size_t read(RecordBatch& batch, std::size_t max);
  /// Valid after a read() returned 0. In mode kAnswers `records` is what was seen, not what the
  /// trailer says.
  [[nodiscard]] FileDigests digests() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a whole file. Throws VectorError.
[[nodiscard]] RecordBatch read_records(const std::string& path, VectorHeader& header,
                                       casts::CastMaker casts = casts::no_casts,
                                       ReadMode mode = ReadMode::kGoldens,
                                       SetCheck check = SetCheck::kByReader);

}  // namespace mx::golden

// What a VectorReader keeps while it reads; what belongs to one kind of file is in reader_text.cpp,
// reader_bin.cpp and reader_jsonl.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/bytes/source.hpp"
#include "golden/files/digest_stream.hpp"
#include "golden/files/layout.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/stimulus/named_set.hpp"
#include "golden/vectors/operand_check.hpp"
#include "golden/vectors/record_codec.hpp"

namespace mx::golden {

struct VectorReader::State {
  static constexpr std::string_view kRemedy = "regenerate the file with mxgold gen";

  State(std::string path, casts::CastMaker casts_in, ReadMode mode_in, SetCheck check_in)
      : source(std::move(path)), casts(casts_in), mode(mode_in), set_check(check_in) {
    start();
    const std::string why = header_problem(header);
    if (!why.empty()) fail(1, why);
  }

  // Errors: at a line of a text file, or at a byte of a binary one.
  [[noreturn]] void fail(std::uint64_t at, std::string_view what,
                         std::string_view remedy = kRemedy) const;
  /// Where record i stands.
  [[nodiscard]] std::uint64_t place(std::uint64_t i) const {
    return kind == FileKind::kBin ? records_at + i * codec->record_bytes() : first_line + i;
  }

  void start();
  void start_text(std::string_view prefix_in);
  void start_bin();
  void start_jsonl();
  std::string header_line();
  std::string next_line(std::string_view meaning);
  void check_size();

  std::size_t read(RecordBatch& batch, std::size_t max);
  std::size_t read_text(std::byte* records, std::size_t n);
  void read_bin(std::byte* records, std::size_t n);
  void read_jsonl(std::byte* records, std::size_t n);
  std::string line_of_records(std::uint64_t at);
  [[noreturn]] void refuse_line();
  void check(const RecordBatch& batch, std::size_t first, std::size_t n);
  void check_set(const RecordBatch& batch, std::uint64_t at);
  void finish();
  void finish_text();
  void finish_bin();
  void finish_jsonl();
  void compare_digests(const FileDigests& stated, std::uint64_t at);

  ByteSource source;
  casts::CastMaker casts;
  ReadMode mode;
  SetCheck set_check;
  FileKind kind = FileKind::kTv;
  VectorHeader header;
  std::optional<RecordCodec> codec;
  DigestStream stream;
  FileDigests seen_digests;
  std::vector<std::byte> packed;

  std::string_view prefix;
  std::string pad;  ///< what a .mem record starts with
  char separator = kTvSeparator;
  std::uint64_t line = 1;  ///< of the next line in text
  std::uint64_t first_line = 1;
  std::uint64_t records_at = 0;
  std::uint64_t seen = 0;
  bool finished = false;
  std::optional<OperandCheck> operands;
  std::unique_ptr<const NamedSet> set;  ///< made when the first records are read
};

}  // namespace mx::golden

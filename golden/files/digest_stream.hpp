// The two running digests of a record stream.
#pragma once

#include <vector>

#include "golden/files/vector_file.hpp"
#include "golden/vectors/record_codec.hpp"

namespace mx::golden {

class DigestStream {
 public:
  /// Adds n packed records.
  void add(const RecordCodec& codec, const std::byte* records, std::size_t n) {
    operands_.resize(n * codec.operand_bytes());
    codec.copy_operands(records, n, operands_.data());
    operand_hash_.update(operands_);
    record_hash_.update({records, n * codec.record_bytes()});
  }
  [[nodiscard]] FileDigests finish() { return {operand_hash_.finish(), record_hash_.finish()}; }

 private:
  std::vector<std::byte> operands_;
  Sha256 operand_hash_;
  Sha256 record_hash_;
};

}  // namespace mx::golden

#include "cli/tensors/packing.hpp"

#include <vector>

#include "backend/layout/packing.hpp"
#include "cli/base/error.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

CodeLayout layout_of(std::string_view name, std::uint64_t group) {
  return {*parse_packing(name), group};
}

backend::CodePacker packer_of(std::string_view name, std::uint64_t group) {
  const backend::CodePacker packer(layout_of(name, group));
  if (const std::string problem = packer.self_check(); !problem.empty()) {
    fail(Exit::kInternal, "{}; nothing was written. Report this with the processor's name",
         problem);
  }
  return packer;
}

}  // namespace

std::string packing_help() {
  std::string text = "Dense layout of the codes as flat bytes:";
  for (const PackingRow& row : packings()) text += fmt::format(" {} ({});", row.name, row.meaning);
  text.pop_back();
  return text;
}

std::string require_packing(std::string_view name, const ElementFormat& format) {
  if (name.empty()) return "";
  std::vector<std::string_view> known;
  for (const PackingRow& row : packings()) known.push_back(row.name);
  const auto packing = parse_packing(name);
  if (!packing) throw Error(Exit::kUsage, unknown_name("layout", name, known));
  if (*packing == Packing::kBytePadded) return "";
  if (const std::string problem = packing_problem(*packing, format); !problem.empty()) {
    throw Error(Exit::kUsage, problem);
  }
  return std::string(name);
}

std::string packing_of_type(std::string_view dtype) {
  const DType* const type = find_dtype(dtype);
  if (type == nullptr || type->bits >= 8) return "";
  return std::string(packing_name(type->bits == 4 ? Packing::kNibbleLowFirst : Packing::kDense6));
}

std::uint64_t packed_bytes(std::string_view name, std::uint64_t elements, std::uint64_t group) {
  return layout_of(name, group).bytes(elements).value_or(0);
}

void pack(std::string_view name, std::span<const std::byte> codes, std::span<std::byte> packed,
          std::uint64_t group, int threads) {
  packer_of(name, group).pack(codes, packed, threads);
}

void unpack(std::string_view name, std::span<const std::byte> packed, std::span<std::byte> codes,
            std::uint64_t group, int threads) {
  packer_of(name, group).unpack(packed, codes, threads);
}

}  // namespace mx::cli

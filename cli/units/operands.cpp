#include "cli/units/operands.hpp"

#include <algorithm>
#include <array>

#include "cli/base/error.hpp"
#include "cli/files/tensor_file.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/tensors/dot_operands.hpp"
#include "cli/text/names.hpp"
#include "reference/format/table.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {
namespace {

/// The types of tensors whose words are codes.
struct CodeType {
  std::string_view dtype;
  ElementFormat format;
  int dropped = 0;  ///< low bits of a word that are no part of the code
};
constexpr std::array kCodeTypes = {CodeType{"F16", formats::fp16},
                                   CodeType{"BF16", formats::bf16},
                                   CodeType{"F32", formats::tf32, 32 - formats::tf32.bits},
                                   CodeType{"F8_E4M3", formats::e4m3fn},
                                   CodeType{"F8_E5M2", formats::e5m2},
                                   CodeType{"F8_E4M3FNUZ", formats::e4m3fnuz},
                                   CodeType{"F8_E5M2FNUZ", formats::e5m2fnuz}};

/// `remedy` ends the message about a file of several tensors.
const Tensor& one_tensor(const TensorFile& file, const std::string& path, const std::string& tensor,
                         std::string_view remedy) {
  if (tensor == "all" && file.tensors().size() == 1) return file.tensors().front();
  if (tensor == "all") {
    fail(Exit::kUsage, "{}: {} tensors; {}", path, file.tensors().size(), remedy);
  }
  if (const Tensor* const found = file.find(tensor)) return *found;
  std::vector<std::string_view> known;
  for (const Tensor& each : file.tensors()) known.push_back(each.name);
  throw Error(Exit::kUsage, path + ": " + unknown_name("tensor", tensor, known));
}

std::string named_by(std::string_view option) { return fmt::format("name one with {}", option); }

CodeType type_of(const std::string& path, const Tensor& tensor, const std::string& format,
                 FormatBook& book) {
  for (const CodeType& type : kCodeTypes) {
    if (type.dtype != tensor.dtype) continue;
    if (format.empty() || book.require_element("value of --format", format) == type.format) {
      return type;
    }
    fail(Exit::kUsage, "--format {}: {} holds {}, read as {}; leave the format out",
         printable(format), path, tensor.dtype, type.format.name);
  }
  if (tensor.dtype != "U8") {
    fail(Exit::kUsage,
         "{}: {} of type {}; mma takes F16, BF16, F32 (for tf32), F8_E4M3, F8_E5M2 and their FNUZ, "
         "codes as U8, and files of mxgold quantize",
         path, printable(tensor.name), tensor.dtype);
  }
  if (format.empty()) {
    fail(Exit::kUsage, "{}: codes of type U8; say of which element format with --format", path);
  }
  const ElementFormat& element = book.require_element("value of --format", format);
  if (element.storage_bits != 8) {
    fail(Exit::kUsage, "--format {}: its codes do not fit U8", element.name);
  }
  return {"U8", element};
}

/// Rows along the last axis.
void set_rows(const std::string& path, const Tensor& tensor, UnitMatrix& matrix) {
  if (tensor.elements == 0) fail(Exit::kBadInput, "{}: the tensor is empty", path);
  matrix.columns = tensor.shape.empty() ? 1 : tensor.shape.back();
  matrix.rows = tensor.elements / matrix.columns;
  matrix.leading = tensor.shape;
  if (!matrix.leading.empty()) matrix.leading.pop_back();
}

UnitMatrix plain(const TensorFile& file, const std::string& path, const std::string& name,
                 std::string_view option, const std::string& format,
                 const std::shared_ptr<FormatBook>& book) {
  const Tensor& tensor = one_tensor(file, path, name, named_by(option));
  const CodeType type = type_of(path, tensor, format, *book);
  UnitMatrix matrix;
  matrix.book = book;
  matrix.side.element = type.format;
  matrix.format_name = type.format.name;
  matrix.origin = origin_of_values(path, file.metadata());
  matrix.origin.fields["format"] = matrix.format_name;
  const std::string definitions =
      book->definitions_of({type.format.name, nullptr, &matrix.side.element});
  if (!definitions.empty()) matrix.origin.fields["definitions"] = definitions;
  set_rows(path, tensor, matrix);
  const std::size_t size = tensor.data.size() / static_cast<std::size_t>(tensor.elements);
  for (std::size_t i = 0; i < tensor.elements; ++i) {
    const std::uint64_t code = load_word(tensor.data.data() + i * size, size) >> type.dropped;
    if (!type.format.takes(code)) {
      fail(Exit::kBadInput, "{}: element {}: code {:X} has bits above the {} of {}", path, i, code,
           type.format.bits, type.format.name);
    }
    matrix.codes.push_back(code & type.format.code_mask());
  }
  return matrix;
}

UnitMatrix quantized(const std::string& path, const std::string& tensor, std::string_view option,
                     const std::string& block_format, const std::shared_ptr<FormatBook>& book) {
  DotMatrix from = load_dot_matrix(path, tensor, option, block_format, book);
  const BlockFormat& format = from.format;
  if (format.extent != BlockExtent::kElements || format.sublevels[0] != 0) {
    fail(Exit::kUsage, "{}: {}: no matrix unit takes such blocks", path, from.format_name);
  }
  UnitMatrix matrix;
  matrix.book = from.book;
  matrix.format_name = from.format_name;
  matrix.held = from.held;
  matrix.origin = std::move(from.origin);
  matrix.leading = std::move(from.leading);
  matrix.side = {format.element, UnitScale{format.scale, format.block_size}};
  matrix.rows = from.rows;
  matrix.columns = from.columns;
  matrix.row_scales = from.row_scales;
  matrix.scales = std::move(from.scales);
  matrix.codes = std::move(from.codes);
  return matrix;
}

ScaleFormat scale_type(const std::string& path, const Tensor& tensor, const std::string& format) {
  std::string_view said;
  if (tensor.dtype == "F8_E8M0") said = "e8m0";
  if (tensor.dtype == "F8_E4M3") said = "ue4m3";
  if (said.empty() && tensor.dtype != "U8") {
    fail(Exit::kUsage, "{}: scales of type {}; give F8_E8M0, F8_E4M3 or U8", path, tensor.dtype);
  }
  const std::string_view name = said.empty() ? std::string_view(format) : said;
  if (!format.empty() && name != format) {
    fail(Exit::kUsage, "--scale-format {}: {} holds {}, read as {}; leave it out",
         printable(format), path, tensor.dtype, name);
  }
  if (name == "e8m0") return formats::e8m0;
  if (name == "ue4m3") return formats::ue4m3;
  fail(Exit::kUsage, "{}: scales of type U8; say --scale-format e8m0 or ue4m3", path);
}

}  // namespace

DotOperand UnitMatrix::row(std::uint64_t r) const {
  return {std::span(scales).subspan(r * row_scales, row_scales),
          std::span(codes).subspan(r * columns, columns)};
}

void load_unit_scales(const std::string& path, const std::string& format, UnitMatrix& matrix) {
  if (matrix.side.scale) {
    fail(Exit::kUsage, "{}: the operand brings its scales; leave these out", path);
  }
  const TensorFile file = TensorFile::open(path);
  const Tensor& tensor = one_tensor(file, path, "all", "give a file that holds the scales alone");
  const ScaleFormat scale = scale_type(path, tensor, format);
  const std::uint64_t blocks = tensor.shape.empty() ? 1 : tensor.shape.back();
  if (tensor.elements == 0 || tensor.elements / blocks != matrix.rows) {
    fail(Exit::kBadInput, "{}: {} scales in rows of {}; give a row for each of the operand's {}",
         path, tensor.elements, blocks, matrix.rows);
  }
  int block_size = 0;
  for (const int size : {16, 32}) {
    const auto width = static_cast<std::uint64_t>(size);
    if ((matrix.columns + width - 1) / width == blocks) block_size = size;
  }
  if (block_size == 0) {
    fail(Exit::kBadInput, "{}: {} scales for {} elements; units take blocks of 16 or 32", path,
         blocks, matrix.columns);
  }
  if (scale == formats::ue4m3) block_size = std::min(block_size, 16);
  for (const std::byte each : tensor.data) {
    matrix.scales.push_back(std::to_integer<std::uint64_t>(each) & scale.code_mask());
  }
  matrix.row_scales = blocks;
  matrix.side.scale = UnitScale{scale, block_size};
  matrix.origin.fields["scale_format"] = std::string(scale.name);
  matrix.origin.fields["block_size"] = std::to_string(block_size);
}

UnitMatrix load_unit_matrix(const std::string& path, const std::string& tensor,
                            std::string_view option, const std::string& format,
                            const std::shared_ptr<FormatBook>& book) {
  const TensorFile file = TensorFile::open(path);
  if (holds_codes(file.metadata())) return quantized(path, tensor, option, "", book);
  // A block format quantizes here, as `mxgold dot` does.
  if (!format.empty() && book->require(format).block != nullptr) {
    return quantized(path, tensor, option, format, book);
  }
  return plain(file, path, tensor, option, format, book);
}

UnitResults load_unit_results(const std::string& path, const ResultTensor& wanted) {
  const TensorFile file = TensorFile::open(path);
  const Tensor& tensor = one_tensor(file, path, wanted.tensor, named_by(wanted.option));
  const ElementFormat& format = wanted.format;
  if (tensor.format == nullptr || *tensor.format != format) {
    fail(Exit::kUsage, "{}: {} of type {}; {} are of {} here (--result)", path,
         printable(tensor.name), tensor.dtype, wanted.what, format.name);
  }
  require_shape(path, tensor, wanted.what, wanted.shapes);
  UnitResults results{{}, origin_of_values(path, file.metadata())};
  refuse_transformed(results.origin, wanted.what);
  results.origin.fields["format"] = std::string(format.name);
  const std::size_t size = storage_bytes(format);
  for (std::size_t i = 0; i < tensor.elements; ++i) {
    results.codes.push_back(load_word(tensor.data.data() + i * size, size));
  }
  return results;
}

}  // namespace mx::cli

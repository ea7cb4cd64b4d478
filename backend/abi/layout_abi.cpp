// SPDX-License-Identifier: Apache-2.0
// Layouts of codes and scales over the C ABI.
#include <optional>
#include <string>

#include "backend/abi/guard.hpp"
#include "backend/abi/objects.hpp"
#include "backend/layout/packing.hpp"
#include "backend/layout/scale_layout.hpp"
#include "mxgold.h"
#include "reference/catalog/catalog.hpp"
#include "reference/tensor/tensor.hpp"

namespace {

using mx::abi::guarded;
using mx::abi::Message;
using mx::abi::read_bytes;
using mx::abi::write_bytes;

/// Codes of a format in a packing, and what the caller's texts say of both.
struct Codes {
  mx::CodeLayout layout;
  mx::ElementFormat format;

  [[nodiscard]] mxgold_status read(const char* packing, const char* name, std::uint64_t group,
                                   Message message) {
    if (packing == nullptr || name == nullptr) return MXGOLD_NULL_ARGUMENT;
    std::optional<mx::ElementFormat> found = mx::make_format(name);
    if (!found) return mx::abi::unknown_format("format", name, message);
    const std::optional<mx::Packing> known = mx::parse_packing(packing);
    if (!known) {
      message.write({"unknown packing '", packing, "'"});
      return MXGOLD_BAD_VALUE;
    }
    found->name = name;
    if (const std::string problem = mx::packing_problem(*known, *found); !problem.empty()) {
      message.write({problem});
      return MXGOLD_BAD_VALUE;
    }
    layout = {*known, group};
    format = *found;
    return MXGOLD_OK;
  }

  /// The same, and checks the buffers of a way between codes and packed codes.
  [[nodiscard]] mxgold_status read(const char* packing, const char* name, std::uint64_t group,
                                   const mx::abi::Buffer& codes, const mx::abi::Buffer& packed) {
    const mxgold_status status = read(packing, name, group, Message(nullptr, 0));
    if (status != MXGOLD_OK) return status;
    if (layout.bytes(codes.bytes) != packed.bytes) return MXGOLD_BAD_SIZE;
    if (codes.bytes > 0 && (codes.data == nullptr || packed.data == nullptr)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    return mx::abi::is_shared({packed}, {codes}) ? MXGOLD_OVERLAP : MXGOLD_OK;
  }

  [[nodiscard]] bool have_stray(std::span<const std::byte> codes, int threads) const {
    return !mx::stray_word(format, codes, threads).empty();
  }

  /// What packs so many codes.
  [[nodiscard]] mx::backend::CodePacker packer(std::uint64_t count) const {
    const mx::backend::CodePacker packer(layout);
    const std::string problem = count < mx::abi::kLarge ? "" : packer.self_check();
    if (!problem.empty()) throw std::runtime_error(problem);
    return packer;
  }
};

/// The matrix of scales that the caller's numbers say.
mxgold_status read_matrix(const char* layout, std::uint64_t rows, std::uint64_t blocks,
                          mx::backend::ScaleMatrix& matrix) {
  if (layout == nullptr) return MXGOLD_NULL_ARGUMENT;
  const std::optional<mx::ScaleLayout> known = mx::parse_scale_layout(layout);
  if (!known) return MXGOLD_BAD_VALUE;
  matrix = {*known, rows, blocks};
  return matrix.bytes() ? MXGOLD_OK : MXGOLD_BAD_SIZE;
}

/// Checks the buffers of a way between two layouts of scales.
mxgold_status check_scales(const mx::backend::ScaleMatrix& matrix, const void* plane,
                           std::uint64_t plane_bytes, const void* laid_out,
                           std::uint64_t laid_out_bytes) {
  if (matrix.plane_bytes() != plane_bytes || matrix.bytes() != laid_out_bytes) {
    return MXGOLD_BAD_SIZE;
  }
  if (laid_out_bytes > 0 && (plane == nullptr || laid_out == nullptr)) return MXGOLD_NULL_ARGUMENT;
  return mx::abi::is_shared({{plane, plane_bytes}}, {{laid_out, laid_out_bytes}}) ? MXGOLD_OVERLAP
                                                                                  : MXGOLD_OK;
}

}  // namespace

extern "C" mxgold_status mxgold_packed_bytes(const char* packing, const char* format,
                                             uint64_t group, uint64_t count, uint64_t* bytes,
                                             char* message, size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (bytes == nullptr) return MXGOLD_NULL_ARGUMENT;
    Message text(message, message_size);
    Codes codes;
    const mxgold_status status = codes.read(packing, format, group, text);
    if (status != MXGOLD_OK) return status;
    const std::optional<std::uint64_t> found = codes.layout.bytes(count);
    if (!found) {
      text.write({packing, " packs whole groups of an even number of codes; ",
                  std::to_string(count), " codes are no groups of ",
                  std::to_string(group == 0 ? count : group)});
      return MXGOLD_BAD_SIZE;
    }
    *bytes = *found;
    return MXGOLD_OK;
  });
}

extern "C" mxgold_status mxgold_pack(const char* packing, const char* format, uint64_t group,
                                     const void* codes, uint64_t code_bytes, void* packed,
                                     uint64_t packed_bytes) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    Codes of;
    const mxgold_status status =
        of.read(packing, format, group, {codes, code_bytes}, {packed, packed_bytes});
    if (status != MXGOLD_OK) return status;
    const std::span<const std::byte> from = read_bytes(codes, code_bytes);
    const int threads = mx::abi::threads_for(code_bytes);
    if (of.have_stray(from, threads)) return MXGOLD_BAD_CODE;
    of.packer(code_bytes).pack(from, write_bytes(packed, packed_bytes), threads);
    return MXGOLD_OK;
  });
}

extern "C" mxgold_status mxgold_unpack(const char* packing, const char* format, uint64_t group,
                                       const void* packed, uint64_t packed_bytes, void* codes,
                                       uint64_t code_bytes) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    Codes of;
    const mxgold_status status =
        of.read(packing, format, group, {codes, code_bytes}, {packed, packed_bytes});
    if (status != MXGOLD_OK) return status;
    const std::span<const std::byte> from = read_bytes(packed, packed_bytes);
    const int threads = mx::abi::threads_for(code_bytes);
    // A code that fills its place cannot stray; byte_padded has room above.
    if (of.layout.packing == mx::Packing::kBytePadded && of.have_stray(from, threads)) {
      return MXGOLD_BAD_CODE;
    }
    of.packer(code_bytes).unpack(from, write_bytes(codes, code_bytes), threads);
    return MXGOLD_OK;
  });
}

extern "C" mxgold_status mxgold_scale_layout_bytes(const char* layout, uint64_t rows,
                                                   uint64_t blocks, uint64_t* bytes) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (bytes == nullptr) return MXGOLD_NULL_ARGUMENT;
    mx::backend::ScaleMatrix matrix;
    const mxgold_status status = read_matrix(layout, rows, blocks, matrix);
    if (status == MXGOLD_OK) *bytes = *matrix.bytes();
    return status;
  });
}

extern "C" mxgold_status mxgold_lay_out_scales(const char* layout, uint64_t rows, uint64_t blocks,
                                               const void* plane, uint64_t plane_bytes,
                                               void* laid_out, uint64_t laid_out_bytes) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    mx::backend::ScaleMatrix matrix;
    mxgold_status status = read_matrix(layout, rows, blocks, matrix);
    if (status == MXGOLD_OK) {
      status = check_scales(matrix, plane, plane_bytes, laid_out, laid_out_bytes);
    }
    if (status != MXGOLD_OK) return status;
    mx::backend::lay_out(matrix, read_bytes(plane, plane_bytes),
                         write_bytes(laid_out, laid_out_bytes),
                         mx::abi::threads_for(laid_out_bytes));
    return MXGOLD_OK;
  });
}

extern "C" mxgold_status mxgold_bring_back_scales(const char* layout, uint64_t rows,
                                                  uint64_t blocks, const void* laid_out,
                                                  uint64_t laid_out_bytes, void* plane,
                                                  uint64_t plane_bytes) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    mx::backend::ScaleMatrix matrix;
    mxgold_status status = read_matrix(layout, rows, blocks, matrix);
    if (status == MXGOLD_OK) {
      status = check_scales(matrix, plane, plane_bytes, laid_out, laid_out_bytes);
    }
    if (status != MXGOLD_OK) return status;
    mx::backend::bring_back(matrix, read_bytes(laid_out, laid_out_bytes),
                            write_bytes(plane, plane_bytes), mx::abi::threads_for(laid_out_bytes));
    return MXGOLD_OK;
  });
}

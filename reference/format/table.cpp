#include "reference/format/table.hpp"

#include <array>

namespace mx {
namespace {

constexpr std::array kFormats = {
    formats::fp64,         formats::fp32,        formats::tf32,  formats::bf16,
    formats::fp16,         formats::e4m3fn,      formats::e5m2,  formats::e3m2fn,
    formats::e2m3fn,       formats::e2m1fn,      formats::int8,  formats::e4m3fnuz,
    formats::e5m2fnuz,     formats::e4m3b11fnuz, formats::e4m3,  formats::e3m4,
    formats::e3m4fn_intel, formats::e3m0,        formats::hif8,  formats::e8m0,
    formats::e8m0_cann,    formats::ue4m3,       formats::ue5m3, formats::ue6m2,
    formats::bfp_exp8,     formats::bfp_exp5};

template <typename Row>
const Row* find_row(std::span<const Row> rows, std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

std::span<const ElementFormat> all_formats() { return kFormats; }

const ElementFormat* find_format(std::string_view name) {
  return find_row<ElementFormat>(kFormats, name);
}

}  // namespace mx

// SPDX-License-Identifier: Apache-2.0
#include "backend/layout/scale_layout.hpp"

#include <algorithm>
#include <limits>

#include "reference/parallel/threads.hpp"

namespace mx::backend {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > kMost / b) return std::nullopt;
  return a * b;
}

std::optional<std::uint64_t> rounded_up(std::uint64_t count, std::uint64_t to) {
  if (count > kMost - to) return std::nullopt;
  return (count + to - 1) / to * to;
}

/// Calls work(layout, plane, laid out) with rows of whole tiles, from several threads.
template <typename Plane, typename LaidOut, typename Work>
void by_rows_of_tiles(const ScaleMatrix& matrix, Plane plane, LaidOut laid_out, int threads,
                      const Work& work) {
  constexpr std::uint64_t kTall = Swizzle128x4::kRows;
  const std::uint64_t tall = (matrix.rows + kTall - 1) / kTall;
  if (tall == 0 || laid_out.empty()) return;
  const std::uint64_t bytes = laid_out.size() / tall;
  share_work(tall, std::max<std::uint64_t>((1 << 17) / bytes, 1), threads,
             [&](std::uint64_t first, std::uint64_t last) {
               const std::uint64_t rows = std::min(last * kTall, matrix.rows) - first * kTall;
               work(Swizzle128x4{rows, matrix.blocks},
                    plane.subspan(first * kTall * matrix.blocks, rows * matrix.blocks),
                    laid_out.subspan(first * bytes, (last - first) * bytes));
             });
}

}  // namespace

std::optional<std::uint64_t> ScaleMatrix::plane_bytes() const { return product(rows, blocks); }

std::optional<std::uint64_t> ScaleMatrix::bytes() const {
  if (layout == ScaleLayout::kPlane) return plane_bytes();
  const auto tall = rounded_up(rows, Swizzle128x4::kRows);
  const auto wide = rounded_up(blocks, Swizzle128x4::kBlocks);
  return tall && wide ? product(*tall, *wide) : std::nullopt;
}

void lay_out(const ScaleMatrix& matrix, std::span<const std::byte> plane,
             std::span<std::byte> laid_out, int threads) {
  if (matrix.layout == ScaleLayout::kPlane) {
    std::ranges::copy(plane, laid_out.begin());
    return;
  }
  by_rows_of_tiles(matrix, plane, laid_out, threads,
                   [](const Swizzle128x4& tiles, std::span<const std::byte> from,
                      std::span<std::byte> to) { swizzle(tiles, from, to); });
}

void bring_back(const ScaleMatrix& matrix, std::span<const std::byte> laid_out,
                std::span<std::byte> plane, int threads) {
  if (matrix.layout == ScaleLayout::kPlane) {
    std::ranges::copy(laid_out, plane.begin());
    return;
  }
  by_rows_of_tiles(matrix, plane, laid_out, threads,
                   [](const Swizzle128x4& tiles, std::span<std::byte> to,
                      std::span<const std::byte> from) { unswizzle(tiles, from, to); });
}

}  // namespace mx::backend

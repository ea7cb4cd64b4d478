// What a sweep proves, on paper: a file that says which segments of which conversions were
// compared, by whom, with what digests.
#pragma once

#include <compare>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sweep/sweep.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::cli {

/// Beyond any receipt: one that is larger is not read.
inline constexpr std::uint64_t kMostReceiptBytes = std::uint64_t{1} << 28;

/// What the receipts of `mxgold farm` call themselves: they hold that of a sweep as `result`.
inline constexpr std::string_view kFarmReceiptSchema = "mxgold-farm-receipt 1";

/// A conversion that was asked for and that the device cannot be asked.
struct LeftOut {
  std::string conversion;  ///< and where there is more than one, under which scale
  std::string dut;         ///< as --dut named it
  std::string why;
  auto operator<=>(const LeftOut&) const = default;
};

/// "source bf16, destination hif8 by cpu: no fast path: ..."
[[nodiscard]] std::string text_of(const LeftOut& left_out);

/// A receipt file: the sweeps of one call of the program.
struct Receipt {
  std::string version;  ///< of the program
  std::string commit;
  std::string sources;  ///< digest of the program's sources
  std::string host;
  std::vector<Sweep> sweeps;
  std::vector<LeftOut> left_out;
  std::shared_ptr<FormatCatalog> catalog;  ///< keeps the formats of a receipt that was read
};

/// The receipt of sweeps of this program on this host.
[[nodiscard]] Receipt receipt_of(std::vector<Sweep> sweeps, std::vector<LeftOut> left_out = {});

/// JSON with the SHA-256 of everything before it as its last field, and a final line feed.
[[nodiscard]] std::string receipt_text(const Receipt& receipt);

/// Reads a file back. Throws Error kBadInput naming file and field for anything that is not a
/// receipt as it was written.
[[nodiscard]] Receipt read_receipt(const std::string& path);

/// The same of a text; `name` is what messages call it. Of a receipt of `mxgold farm` the sweeps
/// that it holds.
[[nodiscard]] Receipt parse_receipt(const std::string& name, const std::string& text);

}  // namespace mx::cli

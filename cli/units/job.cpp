#include "cli/units/job.hpp"

#include "reference/unit/chunks.hpp"

namespace mx::cli {

std::string_view UnitJob::problem(const MatrixUnit& unit, std::uint64_t chunk) const {
  std::string_view why = UnitDot::problem(config(unit));
  if (why.empty()) why = UnitDot::size_problem(config(unit), a.columns);
  return why.empty() && chunk != 0 ? ChunkedDot::problem(config(unit), chunk) : why;
}

std::vector<std::uint64_t> UnitJob::results(const MatrixUnit& unit, std::uint64_t chunk,
                                            std::uint64_t count) const {
  const UnitDot whole = UnitDot::make(config(unit)).value();
  const Checked<ChunkedDot> chunked = ChunkedDot::make(config(unit), chunk);
  std::vector<std::uint64_t> results;
  for (std::uint64_t at = 0; at < count; ++at) {
    const DotOperand row = a.row(at / columns());
    const DotOperand column = b.row(is_paired ? at : at % columns());
    results.push_back(chunk == 0 ? whole(row, column, c[at]) : (*chunked)(row, column));
  }
  return results;
}

}  // namespace mx::cli

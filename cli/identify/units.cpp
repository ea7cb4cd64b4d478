#include "cli/identify/units.hpp"

#include <algorithm>
#include <vector>

#include "cli/units/verdict.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/answers/answers.hpp"
#include "golden/files/vector_file.hpp"

namespace mx::cli {
namespace {

using golden::Field;
using golden::UnitCase;

/// Can a unit sum every record of the file?
bool takes(const golden::VectorHeader& header, const golden::RecordBatch& seen) {
  const bool is_possible =
      header.problem().empty() && std::ranges::all_of(header.configs, [](const auto& each) {
        return golden::problem_of(each).empty();
      });
  if (!is_possible) return false;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::size_t group = golden::whole_group(header.configs[seen.config(i)]);
    if (seen.elements(Field::kA, i) % group != 0) return false;
  }
  return true;
}

}  // namespace

Exit identify_units(const std::string& path, bool is_json) {
  golden::VectorHeader header;
  const golden::RecordBatch seen =
      golden::read_records(path, header, emulators::make_cast, golden::ReadMode::kAnswers);
  const ElementFormat result = std::get<UnitCase>(header.configs.front().what).on.result;
  std::vector<UnitVerdict> verdicts;
  std::size_t left_out = 0;
  for (const MatrixUnit& unit : matrix_units()) {
    golden::VectorHeader own = header;
    for (golden::Configuration& each : own.configs) std::get<UnitCase>(each.what).on.unit = unit;
    if (!takes(own, seen)) {
      ++left_out;
      continue;
    }
    golden::RecordBatch given = seen;
    golden::ReferenceAnswerer(own).answer(given, 0, given.size());
    verdicts.push_back(unit_verdict(unit, result, given.all(Field::kCode), seen.all(Field::kCode)));
  }
  return report_verdicts(verdicts, result, left_out, is_json);
}

}  // namespace mx::cli

#include "cli/identify/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/identify/answer.hpp"
#include "cli/identify/probes.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/answers/answers.hpp"
#include "golden/bytes/number_text.hpp"
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

/// A unit on the results of a file.
Maker score(const MatrixUnit& unit, const ElementFormat& result, const golden::RecordBatch& given,
            const golden::RecordBatch& seen, RecordTally& tally) {
  Maker maker{.name = std::string(unit.name), .first = {}, .facts = {}};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::uint64_t own = given.word(Field::kCode, i);
    const std::uint64_t wanted = seen.word(Field::kCode, i);
    const UnitMatch found = match(unit, result, own, wanted);
    if (found == UnitMatch::kOpen) {
      ++maker.open;
      continue;
    }
    tally.note(i, found == UnitMatch::kEqual);
    ++maker.compared;
    if (found == UnitMatch::kEqual) {
      ++maker.agree;
    } else if (maker.first.empty()) {
      maker.first = fmt::format("record {}: expected {}, seen {}", i, golden::hex(own, result.bits),
                                golden::hex(wanted, result.bits));
    }
  }
  return maker;
}

/// What parts units that explain a file, among operands of its first configuration.
Partings parting_units(const golden::VectorHeader& header,
                       const std::vector<golden::VectorHeader>& explaining) {
  if (explaining.empty()) return {};
  const golden::RecordBatch operands = probes_of(header);
  std::vector<golden::RecordBatch> answers;
  std::vector<std::string> names;
  for (const golden::VectorHeader& own : explaining) {
    golden::ReferenceAnswerer(own).answer(answers.emplace_back(operands), 0, operands.size());
    names.emplace_back(std::get<UnitCase>(own.configs.front().what).on.unit.name);
  }
  const UnitConfig& on = std::get<UnitCase>(header.configs.front().what).on;
  return partings_of(
      names, operands.size(),
      [&](std::size_t maker, std::size_t at) {
        return golden::hex(answers[maker].word(Field::kCode, at), on.result.bits);
      },
      [&](std::size_t at) {
        return fmt::format("A {} B {} C {}",
                           words_text(operands.of(Field::kA, at), on.a.element.bits),
                           words_text(operands.of(Field::kB, at), on.b.element.bits),
                           golden::hex(operands.word(Field::kC, at), on.result.bits));
      });
}

}  // namespace

Exit identify_units(const std::string& path, bool is_verbose, bool is_json) {
  golden::VectorHeader header;
  const golden::RecordBatch seen =
      golden::read_records(path, header, emulators::make_cast, golden::ReadMode::kAnswers);
  const ElementFormat result = std::get<UnitCase>(header.configs.front().what).on.result;
  WholeAnswer answer{.what = fmt::format("op mma, results in {}", result.name),
                     .kind = "units",
                     .words = "results",
                     .makers = {},
                     .tally = RecordTally(seen.size()),
                     .partings = {},
                     .notes = {}};
  std::vector<golden::VectorHeader> explaining;
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
    answer.makers.push_back(score(unit, result, given, seen, answer.tally));
    if (answer.makers.back().explains()) explaining.push_back(std::move(own));
  }
  if (answer.makers.empty()) {
    fail(Exit::kUsage, "no unit takes these operands (mxgold list units)");
  }
  answer.notes.push_back(fmt::format("{} units do not take these operands", left_out));
  answer.partings = parting_units(header, explaining);
  return report(std::move(answer), is_verbose, is_json);
}

}  // namespace mx::cli

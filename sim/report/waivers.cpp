#include "sim/report/waivers.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "golden/bytes/json_text.hpp"

namespace mx::sim {

nlohmann::ordered_json waivers_json(const golden::Waivers& waivers) {
  auto list = nlohmann::ordered_json::array();
  for (const golden::WaiverUse& use : waivers.uses()) {
    list.push_back({{"id", use.waiver.id},
                    {"reason", use.waiver.reason},
                    {"expires", use.waiver.expires},
                    {"is_expired", use.is_expired},
                    {"is_contradicted", use.is_contradicted()},
                    {"words", use.words},
                    {"records", use.records},
                    {"right_concerned", use.right},
                    {"right_against_cause", use.against}});
    if (use.against != 0) list.back()["first_against_cause"] = use.first_against;
  }
  return list;
}

nlohmann::ordered_json causes_json(std::span<const Cause> causes) {
  auto list = nlohmann::ordered_json::array();
  for (const Cause& cause : causes) {
    list.push_back({{"text", cause.text}, {"transactions", cause.count}, {"first", cause.first}});
    if (cause.right != 0) {
      list.back()["right_answers"] = {{"tried", cause.right}, {"contradicted", 0}};
    }
    if (cause.waiver.empty()) continue;
    list.back()["waiver"] = golden::json_of_text("{" + cause.waiver + "}");
  }
  return list;
}

void add_waivers(JUnitReport& report, const golden::Waivers& waivers) {
  for (const golden::WaiverUse& use : waivers.uses()) {
    const std::array counts = {JUnitCount{"words_waived", use.words},
                               JUnitCount{"records", use.records}};
    report.add_case("waiver " + use.waiver.id, counts);
    if (use.is_expired) report.fail("expired on " + use.waiver.expires, use.waiver.reason);
    if (!use.is_expired && use.is_contradicted()) {
      report.fail(fmt::format("{} right answers would be wrong by its cause, the first is {}",
                              use.against, use.first_against),
                  use.waiver.reason);
    }
  }
}

}  // namespace mx::sim

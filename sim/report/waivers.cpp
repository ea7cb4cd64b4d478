#include "sim/report/waivers.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace mx::sim {

nlohmann::ordered_json waivers_json(const golden::Waivers& waivers) {
  auto list = nlohmann::ordered_json::array();
  for (const golden::WaiverUse& use : waivers.uses()) {
    list.push_back({{"id", use.waiver.id},
                    {"reason", use.waiver.reason},
                    {"expires", use.waiver.expires},
                    {"is_expired", use.is_expired},
                    {"words", use.words},
                    {"records", use.records}});
  }
  return list;
}

void add_waivers(JUnitReport& report, const golden::Waivers& waivers) {
  for (const golden::WaiverUse& use : waivers.uses()) {
    const std::array counts = {JUnitCount{"words_waived", use.words},
                               JUnitCount{"records", use.records}};
    report.add_case("waiver " + use.waiver.id, counts);
    if (use.is_expired) report.fail("expired on " + use.waiver.expires, use.waiver.reason);
  }
}

}  // namespace mx::sim

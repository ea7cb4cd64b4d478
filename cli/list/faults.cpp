#include "cli/list/faults.hpp"

#include <fmt/format.h>

#include "sim/block/fault.hpp"
#include "sim/record/reference.hpp"
#include "sim/rtl/faults.hpp"

namespace mx::cli {

using golden::Tree;

Tree faults_json() {
  Tree list = Tree::list();
  for (const sim::Fault& fault : sim::all_faults()) {
    list.push_back({{"device", "reference"}, {"fault", fault.token}, {"breaks", fault.breaks}});
  }
  for (const sim::RecordFault& fault : sim::record_faults()) {
    list.push_back({{"device", "reference"}, {"fault", fault.token}, {"breaks", fault.breaks}});
  }
  for (const sim::RtlFault& fault : sim::rtl_faults()) {
    // A unit of its own is built under parameters, whose list the fault is a part of.
    list.push_back(
        {{"device", "rtl"},
         {"fault",
          fault.is_of_other_unit() ? fmt::format("{},{}", fault.unit(), fault.token) : fault.token},
         {"breaks", fault.breaks},
         {"builds", fault.builds}});
  }
  return list;
}

void print_faults() {
  fmt::print("Faults of devices (mxgold run --dut DEVICE:FAULT), and what they break\n");
  for (const Tree& row : faults_json()) {
    const std::string builds(row.text_of("builds", "whole"));
    fmt::print("  {:45} {}{}\n",
               fmt::format("{}:{}", row.at("device").text(), row.at("fault").text()),
               row.at("breaks").text(),
               builds.starts_with("whole") || builds.starts_with("mx_")
                   ? ""
                   : fmt::format(" (tests only: {})", builds));
  }
}

}  // namespace mx::cli

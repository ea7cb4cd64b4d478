#include "cli/list/faults.hpp"

#include <fmt/format.h>

#include "sim/block/fault.hpp"
#include "sim/record/reference.hpp"
#include "sim/rtl/faults.hpp"

namespace mx::cli {

using golden::Tree;

namespace {

/// Is it of a unit beside the quantizer, which runs build under its name?
bool has_unit_of_its_own(std::string_view builds) {
  return builds == "dequantizer" || builds == "nvfp4" || builds == "dot";
}

}  // namespace

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
    const bool is_unit = has_unit_of_its_own(fault.builds);
    list.push_back(
        {{"device", "rtl"},
         {"fault", is_unit ? fmt::format("{},{}", fault.unit(), fault.token) : fault.token},
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
               builds.starts_with("whole") || has_unit_of_its_own(builds)
                   ? ""
                   : fmt::format(" (tests only: {})", builds));
  }
}

}  // namespace mx::cli

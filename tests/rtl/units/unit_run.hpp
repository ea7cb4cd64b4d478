// SPDX-License-Identifier: Apache-2.0
// Records through a unit of rtl/, built under parameters: what the tests of units share.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "sim/device/device.hpp"
#include "sim/parameters/built.hpp"
#include "sim/rtl/faults.hpp"
#include "tests/sim/record_fixture.hpp"

namespace mx::sim::test {

/// Every record of a header through `rtl:UNIT,...`.
inline RecordRun run_unit(const std::string& build, const golden::VectorHeader& header,
                          const RecordInput& input) {
  setenv("MXGOLD_CACHE", MX_CACHE, 1);
  DescribedDevice device(described_rtl(build), {});
  return run_records(header, input, device, one_thread());
}

/// The faults of a unit, by name.
inline std::vector<std::string> faults_of(std::string_view unit) {
  std::vector<std::string> tokens;
  for (const RtlFault& fault : rtl_faults()) {
    if (fault.unit() == unit) tokens.push_back(fault.token);
  }
  return tokens;
}

}  // namespace mx::sim::test

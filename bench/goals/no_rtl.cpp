// A build without the Verilated device: the rows of our RTL say so.
#include "bench/goals/rows.hpp"

namespace mx::goals {

std::vector<RowPlan> rtl_rows() {
  std::vector<RowPlan> rows;
  for (const char* id : {"R2", "R3"}) {
    rows.push_back({.id = id, .make = [id](const Setting&) {
                      return Row{.id = id,
                                 .what = "our RTL in simulation",
                                 .skip = "this build has no Verilated device (MXGOLD_SIM=OFF)"};
                    }});
  }
  return rows;
}

}  // namespace mx::goals

// Stimuli at the ends of the range: bottom, top, special values, signs of zeros.
#pragma once

#include "tests/device/accumulators/dot_maker.hpp"

namespace mx::probe {

void make_bottom(DotMaker& dot);
void make_top(DotMaker& dot);
void make_special(DotMaker& dot);
void make_zeros(DotMaker& dot);

}  // namespace mx::probe

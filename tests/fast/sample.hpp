// SPDX-License-Identifier: Apache-2.0
// Parts of repeated products, by the names that tests of the fast paths use.
#pragma once

#include "tests/support/sample.hpp"

namespace mx::fast::test {

using namespace mx::test;

}  // namespace mx::fast::test

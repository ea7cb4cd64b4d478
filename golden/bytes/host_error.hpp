// SPDX-License-Identifier: Apache-2.0
// What the machine lacks for the work: memory, processes, threads, descriptors, a folder for
// temporary files. It is no verdict on a device and no error of anybody's input.
#pragma once

#include <stdexcept>

namespace mx::golden {

/// The message says what is lacking and for what. Programs end with exit code 7.
class HostError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mx::golden

// The last record of a handle in words.
#pragma once

#include <string>

#include "bridge/bus/handle.hpp"

namespace mx::bridge {

/// What `mxgold explain` prints for the operands that the handle was asked last, of op=block, cvt
/// and dequantize. False and Handle::error() where nothing explains the operation or nothing was
/// asked.
bool explain(Handle& handle, std::string& text);

}  // namespace mx::bridge

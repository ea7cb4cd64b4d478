// The one way into every function of the C ABI that can fail: nothing that is thrown leaves it.
#pragma once

#include <exception>
#include <new>

#include "backend/abi/options.hpp"
#include "mxgold.h"

#ifdef MXGOLD_ABI_ENTRY  // a test's build throws here
void MXGOLD_ABI_ENTRY(const char* function);
#endif

namespace mx::abi {

/// Runs the body of a function. A failed allocation becomes MXGOLD_NO_MEMORY, any other exception
/// MXGOLD_INTERNAL_ERROR; the message, which is written without allocating, says which.
template <typename Body>
mxgold_status guarded([[maybe_unused]] const char* function, Message message,
                      const Body& body) noexcept {
  try {
#ifdef MXGOLD_ABI_ENTRY
    MXGOLD_ABI_ENTRY(function);
#endif
    return body();
  } catch (const std::bad_alloc&) {
    message.write({mxgold_status_text(MXGOLD_NO_MEMORY)});
    return MXGOLD_NO_MEMORY;
  } catch (const std::exception& error) {
    message.write({function, ": ", error.what()});
  } catch (...) {
    message.write({function, ": ", mxgold_status_text(MXGOLD_INTERNAL_ERROR)});
  }
  return MXGOLD_INTERNAL_ERROR;
}

template <typename Body>
mxgold_status guarded(const char* function, const Body& body) noexcept {
  return guarded(function, Message(nullptr, 0), body);
}

}  // namespace mx::abi

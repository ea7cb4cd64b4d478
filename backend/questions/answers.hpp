// SPDX-License-Identifier: Apache-2.0
// Answers of the C interface: what every question of golden/ gives.
#pragma once

#include <string>

#include "backend/abi/guard.hpp"
#include "golden/bytes/error.hpp"
#include "golden/names/asking.hpp"
#include "mxgold.h"

struct mxgold_answer {
  std::string json;
  std::string text;
  bool holds = true;
};

namespace mx::abi {

[[nodiscard]] inline mxgold_status status_of(golden::Refusal::Kind kind) {
  switch (kind) {
    case golden::Refusal::Kind::kFormat:
      return MXGOLD_UNKNOWN_FORMAT;
    case golden::Refusal::Kind::kName:
      return MXGOLD_UNKNOWN_OPTION;
    case golden::Refusal::Kind::kValue:
      break;
  }
  return MXGOLD_BAD_VALUE;
}

/// What a question throws to end with a status and its text.
struct Failed {
  mxgold_status status;
};

/// Puts what `ask` gives into *out; a refusal is a status and its message.
template <typename Ask>
mxgold_status answered(const char* function, mxgold_answer** out, Message message,
                       const Ask& ask) noexcept {
  return guarded(function, message, [&]() -> mxgold_status {
    if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
    *out = nullptr;
    try {
      golden::Answer answer = ask();
      *out = new mxgold_answer{answer.data.json(), std::move(answer.text), answer.holds};
      return MXGOLD_OK;
    } catch (const golden::Refusal& refusal) {
      Message(message).write({refusal.what()});
      return status_of(refusal.kind());
    } catch (const Failed& failed) {
      Message(message).write({mxgold_status_text(failed.status)});
      return failed.status;
    } catch (const golden::VectorError& error) {
      Message(message).write({error.what()});
      return MXGOLD_BAD_VALUE;
    }
  });
}

}  // namespace mx::abi

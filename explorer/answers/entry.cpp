// SPDX-License-Identifier: Apache-2.0
// What explorer/page/engine.js calls. Texts are UTF-8 with a NUL; what is returned is freed with
// explorer_free().
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "explorer/answers/answers.hpp"
#include "explorer/answers/errors.hpp"
#include "golden/text/tree.hpp"

namespace {

using mx::explorer::Errors;

char* copied(const std::string& text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

std::span<const std::byte> bytes_at(const void* words, std::size_t size) {
  return {static_cast<const std::byte*>(words), size};
}

}  // namespace

extern "C" {

void* explorer_memory(std::size_t size) noexcept { return std::malloc(size); }
void explorer_free(void* memory) noexcept { std::free(memory); }

char* explorer_answer(const char* question) noexcept {
  return copied(mx::explorer::answer(question));
}

/// JSON: {"errors": handle, "looks_first": ...} or {"problem": ...}.
char* explorer_errors_open(const char* question) noexcept {
  using mx::golden::Tree;
  try {
    auto errors = std::make_unique<Errors>(mx::explorer::Question(question));
    const bool looks_first = errors->looks_first();
    const auto handle = reinterpret_cast<std::uintptr_t>(errors.release());
    return copied(Tree{{"errors", handle}, {"looks_first", looks_first}}.json());
  } catch (const std::exception& problem) {
    return copied(Tree{{"problem", problem.what()}}.json());
  }
}

void explorer_errors_look(Errors* errors, const void* words, std::size_t size) noexcept {
  errors->look(bytes_at(words, size));
}

void explorer_errors_add(Errors* errors, const void* words, std::size_t size) noexcept {
  errors->add(bytes_at(words, size));
}

/// The numbers of ErrorSums, in order. They live as long as the handle.
const double* explorer_errors_sums(const Errors* errors) noexcept {
  return &errors->sums().elements;
}

void explorer_errors_close(Errors* errors) noexcept { delete errors; }

}  // extern "C"

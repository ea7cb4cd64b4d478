// Numbers and record fields between the arguments of a system call and a handle.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/vpi/calls.hpp"

namespace mx::bridge::vpi {

/// A number that fits `bits` and has no X or Z. Returns what is wrong with it under the operand's
/// name; "" for nothing.
[[nodiscard]] std::string take_number(const Arguments& in, std::size_t i, std::string_view name,
                                      int bits, std::uint64_t& value);

/// What argument i is the number of, from 1; nullptr where it is no such number.
template <typename T>
[[nodiscard]] T* find(const std::vector<std::unique_ptr<T>>& all, const Arguments& in,
                      std::size_t i) {
  std::uint64_t place = 0;
  if (!take_number(in, i, "handle", 64, place).empty()) return nullptr;
  return place >= 1 && place <= all.size() ? all[place - 1].get() : nullptr;
}

[[nodiscard]] inline Handle* model_of(Bench& bench, const Arguments& in) {
  return find(bench.models, in, 0);
}

/// A number of up to 64 bits, known, under the name of the operand.
[[nodiscard]] bool known(Handle& model, const Arguments& in, std::size_t i, std::string_view name,
                         std::uint64_t& value);

/// Operands of the record that was started; fields that it does not have are left out.
[[nodiscard]] bool put(Handle& model, golden::Field field, const Arguments& in, std::size_t i);
[[nodiscard]] bool put_number(Handle& model, golden::Field field, const Arguments& in,
                              std::size_t i);
/// A result of the record that was answered.
[[nodiscard]] bool get(Handle& model, golden::Field field, const Arguments& in, std::size_t i);
/// A record of as many elements as argument 1 says.
[[nodiscard]] bool start(Handle& model, golden::Operation operation, const Arguments& in);

/// Bits above the argument's are cut.
void set_number(const Arguments& in, std::size_t i, std::uint64_t value);

}  // namespace mx::bridge::vpi

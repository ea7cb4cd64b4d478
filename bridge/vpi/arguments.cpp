#include "bridge/vpi/arguments.hpp"

#include <algorithm>
#include <bit>

namespace mx::bridge::vpi {
namespace {

std::size_t words_of(int bits) { return static_cast<std::size_t>(bits + 31) / 32; }

/// As which values an object can be read and set.
enum class Holds : std::uint8_t { kVector, kText, kOther };

struct What {
  Holds holds = Holds::kVector;
  bool is_constant = false;
  const char* name = "";  ///< of what holds neither
};

What what_of_constant(vpiHandle object) {
  const bool is_real = vpi_get(vpiConstType, object) == vpiRealConst;
  return {is_real ? Holds::kOther : Holds::kVector, true, "a real number"};
}

/// The format in which a simulator would give the value by itself.
What what_of_word(vpiHandle object) {
  s_vpi_value value{};
  value.format = vpiObjTypeVal;
  vpi_get_value(object, &value);
  if (value.format == vpiRealVal) return {Holds::kOther, false, "a real number"};
  return {value.format == vpiStringVal ? Holds::kText : Holds::kVector};
}

What what_of(vpiHandle object, bool is_running) {
  constexpr PLI_INT32 kStringVar = 616;  // sv_vpi_user.h
  constexpr PLI_INT32 kClassVar = 615;
  switch (vpi_get(vpiType, object)) {
    case vpiConstant:
    case vpiParameter:
      return what_of_constant(object);
    case vpiRealVar:
      return {Holds::kOther, false, "a real number"};
    case kStringVar:
      return {Holds::kText};
    case vpiMemoryWord:
      return is_running ? what_of_word(object) : What{};
    case vpiMemory:
    case vpiNetArray:
    case vpiRegArray:
      return {Holds::kOther, false, "a whole array"};
    case vpiSysFuncCall:
      return {Holds::kOther, false, "a system call"};
    case vpiModule:
    case vpiNamedEvent:
    case kClassVar:
      return {Holds::kOther, false, "no value"};
    default:
      return {};
  }
}

}  // namespace

int Vector::unknown_below(std::size_t end) const {
  for (std::size_t i = 0; i < unknown.size() && 32 * i < end; ++i) {
    if (unknown[i] == 0) continue;
    const std::size_t bit = 32 * i + static_cast<std::size_t>(std::countr_zero(unknown[i]));
    return bit < end ? static_cast<int>(bit) : -1;
  }
  return -1;
}

Arguments::Arguments() : call_(vpi_handle(vpiSysTfCall, nullptr)) {
  vpiHandle list = vpi_iterate(vpiArgument, call_);
  if (list == nullptr) return;
  while (vpiHandle one = vpi_scan(list)) handles_.push_back(one);
}

std::string Arguments::problem(std::size_t i, Role role, bool is_running) const {
  const What what = what_of(handles_.at(i), is_running);
  const bool is_result = role == Role::kVectorResult || role == Role::kTextResult;
  const bool is_text = role == Role::kText || role == Role::kTextResult;
  if (what.holds == Holds::kOther) return what.name;
  if (what.holds == Holds::kText && !is_text) return "a string";
  if (what.is_constant && is_result) return "no variable";
  return {};
}

int Arguments::bits(std::size_t i) const {
  return std::max<int>(vpi_get(vpiSize, handles_.at(i)), 0);
}

Vector Arguments::vector(std::size_t i) const {
  s_vpi_value value{};
  value.format = vpiVectorVal;
  vpi_get_value(handles_.at(i), &value);
  Vector result;
  // A simulator says by the format that it has no such value.
  if (value.format != vpiVectorVal || value.value.vector == nullptr) return result;
  result.bits = bits(i);
  for (std::size_t word = 0; word < words_of(result.bits); ++word) {
    const auto a = static_cast<std::uint32_t>(value.value.vector[word].aval);
    auto b = static_cast<std::uint32_t>(value.value.vector[word].bval);
    const std::size_t left = static_cast<std::size_t>(result.bits) - 32 * word;
    const std::uint32_t mask = left >= 32 ? ~0U : (1U << left) - 1;
    b &= mask;
    result.value.push_back(a & ~b & mask);
    result.unknown.push_back(b);
  }
  return result;
}

std::string Arguments::text(std::size_t i) const {
  s_vpi_value value{};
  value.format = vpiStringVal;
  vpi_get_value(handles_.at(i), &value);
  return value.format != vpiStringVal || value.value.str == nullptr ? "" : value.value.str;
}

void Arguments::set(std::size_t i, BusIn bus) const {
  std::vector<s_vpi_vecval> words(words_of(bits(i)));
  for (std::size_t word = 0; word < std::min(words.size(), bus.size()); ++word) {
    words[word].aval = static_cast<PLI_INT32>(bus[word]);
  }
  s_vpi_value value{};
  value.format = vpiVectorVal;
  value.value.vector = words.data();
  vpi_put_value(handles_.at(i), &value, nullptr, vpiNoDelay);
}

void Arguments::set_unknown(std::size_t i) const {
  std::vector<s_vpi_vecval> words(words_of(bits(i)), {-1, -1});
  s_vpi_value value{};
  value.format = vpiVectorVal;
  value.value.vector = words.data();
  vpi_put_value(handles_.at(i), &value, nullptr, vpiNoDelay);
}

void Arguments::set_text(std::size_t i, const std::string& text) const {
  std::string copy = text;
  s_vpi_value value{};
  value.format = vpiStringVal;
  value.value.str = copy.data();
  vpi_put_value(handles_.at(i), &value, nullptr, vpiNoDelay);
}

void Arguments::give(int number) const {
  s_vpi_value value{};
  value.format = vpiIntVal;
  value.value.integer = number;
  vpi_put_value(call_, &value, nullptr, vpiNoDelay);
}

}  // namespace mx::bridge::vpi

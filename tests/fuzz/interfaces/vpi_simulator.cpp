#include "tests/fuzz/interfaces/vpi_simulator.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

VpiSimulator* now = nullptr;

std::size_t words_of(int size) { return static_cast<std::size_t>(std::max(size, 1) + 31) / 32; }

}  // namespace

VpiObject vpi_other(PLI_INT32 type, PLI_INT32 natural, int size) {
  VpiObject object;
  object.type = type;
  object.natural = natural;
  object.size = size;
  return object;
}

VpiObject vpi_vector(std::vector<s_vpi_vecval> bits, int size) {
  VpiObject object = vpi_other(vpiReg, vpiVectorVal, size);
  object.bits = std::move(bits);
  object.bits.resize(words_of(size));
  return object;
}

VpiObject vpi_text(std::string text) {
  constexpr PLI_INT32 kStringVar = 616;  // sv_vpi_user.h
  VpiObject object = vpi_other(kStringVar, vpiStringVal, 0);
  object.text = std::move(text);
  return object;
}

VpiSimulator::VpiSimulator(std::vector<VpiObject> arguments, std::string_view input)
    : arguments_(std::move(arguments)), input_(input) {
  now = this;
}

VpiSimulator::~VpiSimulator() { now = nullptr; }

void VpiSimulator::must(bool holds, std::string_view law) const { require(holds, law, input_); }

int VpiSimulator::result() const {
  must(given_.size() == 1, "a function gives one result");
  return given_[0];
}

vpiHandle VpiSimulator::next() {
  return place_ < arguments_.size() ? handle_of(&arguments_[place_++]) : nullptr;
}

VpiObject& VpiSimulator::object_of(vpiHandle handle) {
  const auto found = std::ranges::find_if(
      arguments_, [&](VpiObject& object) { return handle_of(&object) == handle; });
  must(found != arguments_.end(), "a handle is that of an argument");
  return *found;
}

PLI_INT32 VpiSimulator::get(PLI_INT32 property, vpiHandle handle) {
  const VpiObject& object = object_of(handle);
  switch (property) {
    case vpiType:
      return object.type;
    case vpiSize:
      return object.size;
    case vpiConstType:
      return object.natural == vpiRealVal ? vpiRealConst : vpiBinaryConst;
    default:
      return vpiUndefined;
  }
}

void VpiSimulator::get_value(vpiHandle handle, s_vpi_value& value) {
  VpiObject& object = object_of(handle);
  if (value.format == vpiObjTypeVal) {
    must(object.type == vpiMemoryWord, "only a word of an array is asked what it holds");
    value.format = object.natural;
    return;
  }
  must(object.natural == vpiVectorVal || object.natural == value.format,
       "an object is asked for a value that it has");
  if (value.format == vpiVectorVal) {
    value.value.vector = object.bits.data();
    return;
  }
  must(value.format == vpiStringVal, "vectors and texts are asked for");
  lent_ = object.text;
  for (std::size_t byte = 4 * object.bits.size(); byte-- > 0;) {
    const int shift = static_cast<int>(8 * (byte % 4));
    const auto word = static_cast<std::uint32_t>(object.bits[byte / 4].aval);
    if (const auto letter = static_cast<char>(word >> shift); letter != '\0') lent_ += letter;
  }
  value.value.str = lent_.data();
}

void VpiSimulator::put_value(vpiHandle handle, const s_vpi_value& value) {
  if (handle == call()) {
    must(value.format == vpiIntVal, "a function gives a number");
    given_.push_back(value.value.integer);
    return;
  }
  VpiObject& object = object_of(handle);
  must(object.is_result && object.type != vpiConstant, "results alone are set");
  if (value.format == vpiVectorVal) {
    must(object.natural == vpiVectorVal, "a vector is set to a vector");
    std::copy_n(value.value.vector, static_cast<std::size_t>(object.size + 31) / 32,
                object.bits.begin());
    return;
  }
  must(value.format == vpiStringVal && object.natural != vpiRealVal, "a text is set to a text");
  object.text = value.value.str;
  object.bits.assign(object.bits.size(), {});
}

}  // namespace mx::fuzz

// NOLINTBEGIN(readability-identifier-naming): a simulator's functions.
extern "C" {
vpiHandle vpi_handle(PLI_INT32 /*type*/, vpiHandle /*of*/) { return mx::fuzz::now->call(); }
vpiHandle vpi_iterate(PLI_INT32 /*type*/, vpiHandle call) {
  return mx::fuzz::now->arguments().empty() ? nullptr : call;
}
vpiHandle vpi_scan(vpiHandle /*list*/) { return mx::fuzz::now->next(); }
PLI_INT32 vpi_get(PLI_INT32 property, vpiHandle object) {
  return mx::fuzz::now->get(property, object);
}
void vpi_get_value(vpiHandle object, p_vpi_value value) {
  mx::fuzz::now->get_value(object, *value);
}
vpiHandle vpi_put_value(vpiHandle object, p_vpi_value value, p_vpi_time /*when*/,
                        PLI_INT32 /*flags*/) {
  mx::fuzz::now->put_value(object, *value);
  return nullptr;
}
PLI_INT32 vpi_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  char text[4096];
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  mx::fuzz::now->print(text);
  return length;
}
}
// NOLINTEND(readability-identifier-naming)

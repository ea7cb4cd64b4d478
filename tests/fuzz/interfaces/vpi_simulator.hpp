// A simulator as the functions of mxgold.vpi see it: the arguments of one call, and the functions
// of IEEE 1800 section 38 over them. What Icarus 11 ends at breaks a law here.
#pragma once

#include <vpi_user.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mx::fuzz {

/// What stands in the place of an argument.
struct VpiObject {
  PLI_INT32 type = vpiReg;
  /// vpiVectorVal, vpiStringVal, vpiRealVal, or vpiSuppressVal for what has no value.
  PLI_INT32 natural = vpiVectorVal;
  int size = 0;
  std::vector<s_vpi_vecval> bits;  ///< of a vector, one word at least
  std::string text;
  bool is_result = false;  ///< the call may set it
};

[[nodiscard]] VpiObject vpi_vector(std::vector<s_vpi_vecval> bits, int size);
[[nodiscard]] VpiObject vpi_text(std::string text);
/// Neither of them.
[[nodiscard]] VpiObject vpi_other(PLI_INT32 type, PLI_INT32 natural, int size);

/// One call at a time.
class VpiSimulator {
 public:
  VpiSimulator(std::vector<VpiObject> arguments, std::string_view input);
  ~VpiSimulator();
  VpiSimulator(const VpiSimulator&) = delete;
  VpiSimulator& operator=(const VpiSimulator&) = delete;

  [[nodiscard]] const std::vector<VpiObject>& arguments() const { return arguments_; }
  /// What the call gave; it has to give one number.
  [[nodiscard]] int result() const;
  /// Everything that was printed.
  [[nodiscard]] const std::string& printed() const { return printed_; }

  // What the functions of vpi_user.h do.
  [[nodiscard]] vpiHandle call() { return handle_of(&place_); }
  [[nodiscard]] vpiHandle next();
  [[nodiscard]] PLI_INT32 get(PLI_INT32 property, vpiHandle object);
  void get_value(vpiHandle object, s_vpi_value& value);
  void put_value(vpiHandle object, const s_vpi_value& value);
  void print(const std::string& text) { printed_ += text; }

 private:
  template <typename T>
  static vpiHandle handle_of(T* object) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): a handle is whatever it likes
    return reinterpret_cast<vpiHandle>(object);
  }
  [[nodiscard]] VpiObject& object_of(vpiHandle handle);
  void must(bool holds, std::string_view law) const;

  std::vector<VpiObject> arguments_;
  std::string_view input_;
  std::size_t place_ = 0;  ///< of the next argument
  std::vector<int> given_;
  std::string printed_;
  std::string lent_;  ///< a text that was asked for, until the next one is
};

}  // namespace mx::fuzz

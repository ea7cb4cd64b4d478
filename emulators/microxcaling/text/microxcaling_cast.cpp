#include "emulators/microxcaling/text/microxcaling_cast.hpp"

#include <string>

#include "emulators/common/call.hpp"
#include "emulators/microxcaling/text/block_cast.hpp"
#include "emulators/microxcaling/text/element_cast.hpp"

namespace mx::emulators::microxcaling {
namespace {

struct Function {
  std::string_view name;
  Checked<CastPointer> (*make)(Call& call, const Setting& setting);
};

constexpr Function kFunctions[] = {{"quantize_mx", quantize_mx_cast},
                                   {"quantize_mx_op", quantize_mx_op_cast},
                                   {"quantize_elemwise", quantize_elemwise_cast},
                                   {"quantize_elemwise_op", quantize_elemwise_op_cast},
                                   {"quantize_bfloat", quantize_bfloat_cast},
                                   {"quantize_fp", quantize_fp_cast}};

}  // namespace

Checked<CastPointer> make(std::string_view body, const Setting& setting) {
  auto read = Call::read(body);
  if (!read) return Problem{std::string(read.problem())};
  Call call = *std::move(read);
  std::string names;
  for (const Function& each : kFunctions) {
    if (each.name == call.name()) return each.make(call, setting);
    names.append(" ").append(each.name);
  }
  return Problem{"ValueError: position 0: '" + call.name() + "' is none of" + names};
}

}  // namespace mx::emulators::microxcaling

// Stands in for the emulated systems, which no configuration of the quantizer asks for.
#include "reference/systems/cast/cast.hpp"

namespace mx::systems {

Checked<CastPointer> make_cast(std::string_view, const Setting&) {
  return Problem{"RuntimeError: this program is built without the emulated systems"};
}

}  // namespace mx::systems

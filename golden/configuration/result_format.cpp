#include "golden/configuration/result_format.hpp"

#include <variant>

#include "golden/configuration/overloaded.hpp"

namespace mx::golden {

const ElementFormat* result_format(const Configuration& configuration) {
  using Format = const ElementFormat*;
  return std::visit(Overloaded{[](const ConversionConfig& c) -> Format { return &c.destination; },
                               [](const QuantizerConfig& c) -> Format { return &c.format.element; },
                               [](const DotCase& c) -> Format { return &c.dot.result; },
                               [](const ArithmeticCase& c) -> Format { return &c.result(); },
                               [](const CastCase&) -> Format { return nullptr; },
                               [](const DequantizeCase& c) -> Format { return &c.result; },
                               [](const UnitCase& c) -> Format { return &c.on.result; }},
                    configuration.what);
}

}  // namespace mx::golden

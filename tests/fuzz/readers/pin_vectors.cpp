// Vector files as the SystemC bench reads them, without a library of mxgold: what is read has the
// lanes of its blocks.
#include <sstream>

#include "bridge/systemc/mxgold_systemc/vectors.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

Outcome pin_vectors(std::string_view input) {
  std::istringstream text{std::string(input)};
  return read_or_refuse<mxgold::VectorError>(input, [&] {
    const mxgold::VectorFile file = mxgold::read_vectors(text, "fuzz");
    require(!file.vectors.empty(), "zero cases are a failure", input);
    const auto lanes = static_cast<std::size_t>(file.lanes);
    for (const mxgold::BlockVector& each : file.vectors) {
      require(each.source.size() == lanes && each.codes.size() == lanes &&
                  each.random.size() == lanes && each.elements <= lanes,
              "a vector has its lanes", input);
      require(each.open.empty() || each.open.size() == lanes + 2, "a byte for each result", input);
    }
    (void)file.build(mxgold::kMaxBeatLanes);
  });
}

/// The first vectors of a set of blocks with configuration words.
std::vector<std::string> pin_seeds() {
  std::string words, zeros, codes;
  for (int lane = 0; lane < 2; ++lane) {
    words += " 3f800000";
    zeros += " 00";
    codes += " 38";
  }
  const std::string head = "# mxgold-vectors 2\n# op block\n# lanes 2\n# random_bits 8\n# fields ";
  return {head + "tuser:8 source[2]:8 | scale:2 code[2]:2 flags:2\n# count 1\n00000001" + words +
              " 7f" + codes + " 00\n# end 1\n# operands 0\n# records 0\n",
          head +
              "tuser:8 elements:2 source[2]:8 random[2]:2 | scale:2 code[2]:2 flags:2 open[1]:2\n"
              "# config 0 rounding=stochastic_b\n# count 1\n00000001 02" +
              words + zeros + " 7f" + codes + " 00 05\n# end 1\n# operands 0\n# records 0\n"};
}

}  // namespace

Target pin_vectors_target() { return {"pin_vectors", pin_vectors, pin_seeds}; }

}  // namespace mx::fuzz

#include "cli/manual/layers.hpp"

#include <algorithm>

namespace mx::cli {
namespace {

using enum Role;

// Positional arguments and required options are shown too.
constexpr Layer kLayers[] = {
    {"gen", kVerify, true,
     "op suite format source rounding rule profile input count seed output kind"},
    {"check", kVerify, true, "profile observe waivers errors threads json"},
    {"run", kVerify, true,
     "dut op suite format source rounding rule profile vectors input count seed errors shrink "
     "html log json"},
    {"replay", kVerify, false, "dut waves trust time-limit"},
    {"verify-goldens", kVerify, false, "judge no-manifest threads json"},
    {"answer", kVerify, false, ""},
    {"cover", kVerify, false, "output html ucis gate missing json"},
    {"explain", kAsk, true,
     "format source profile rounding rule overflow scale block-size random json"},
    {"identify", kAsk, true,
     "tensors-in tensors-out format emit-stimulus source count threads verbose json"},
    {"diff-profile", kAsk, true, "format source all threads json markdown"},
    {"list", kAsk, false, "json markdown format-file define"},
    {"word", kSimulate, false, "unit format source profile rounding rule scale result json"},
    {"inspect", kAsk, false, "tensor headers json"},
    {"quantize", kConvert, true,
     "output format profile rounding rule overflow axis block-size tensor seed packed threads "
     "json"},
    {"dequantize", kConvert, false, "output to tensor profile undo-hadamard threads json"},
    {"dot", kConvert, false, "format c output mode result rounding trace"},
    {"mma", kConvert, false,
     "unit format c output result chunk pairs expect scales-a scales-b json"},
    {"plot", kAsk, false, "output format profile rounding rule"},
    {"dpi", kSimulate, true, "sv cflags ldflags vpi"},
    {"prove", kSimulate, false, "list fault seconds threads shard json"},
    {"mutate", kSimulate, false, "rtl build count seed gate list threads json"},
    {"sweep", kRegress, false,
     "dut format source scale rounding profile shard threads output json dry-run"},
    {"merge", kRegress, false, "json markdown"},
    {"farm", kRegress, false, "local shards threads status merge slurm sbatch retries json"},
    {"init", kProgram, false, "format source profile rounding rule overflow dut"},
    {"new", kProgram, false, "output format source rounding top library bench ci"},
    {"help", kProgram, false, ""},
    {"doctor", kProgram, false, "json"},
    {"man", kProgram, false, "json"},
    {"completion", kProgram, false, ""}};

}  // namespace

std::string_view title_of(Role role) {
  constexpr std::string_view kTitles[] = {"Verify",   "Ask",       "Convert",
                                          "Simulate", "Long runs", "The program itself"};
  return kTitles[static_cast<std::size_t>(role)];
}

std::span<const Layer> layers() { return kLayers; }

const Layer* layer_of(std::string_view command) {
  const auto* const row = std::ranges::find(kLayers, command, &Layer::command);
  return row == std::end(kLayers) ? nullptr : row;
}

}  // namespace mx::cli

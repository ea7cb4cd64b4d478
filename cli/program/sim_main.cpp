#include "cli/program/sim_main.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/program/program.hpp"
#include "cli/text/command_text.hpp"

namespace mx {
namespace {

/// Does a command line begin with a subcommand, or ask about the program?
bool is_whole(int argc, char** argv) {
  constexpr std::array<std::string_view, 3> kQuestions = {"--help", "-h", "--version"};
  if (argc < 2) return false;
  const std::string_view first = argv[1];
  return !first.starts_with('-') || std::ranges::find(kQuestions, first) != kQuestions.end();
}

}  // namespace

int sim_main(int argc, char** argv, sim::DutKind device) {
  if (argc > 0) cli::set_program(argv[0]);
  sim::add_dut_kind(std::move(device));
  if (is_whole(argc, argv)) return cli::run_program(argc, argv);
  std::string run = "run";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + (argc > 0 ? 1 : 0), run.data());
  return cli::run_program(static_cast<int>(arguments.size()), arguments.data());
}

int sim_main(int argc, char** argv, const std::string& name, sim::DutFactory make) {
  sim::DutKind device{.name = name, .argument = "", .help = "the device of this program"};
  device.make = [make = std::move(make)](const sim::DutRequest&) { return make; };
  return sim_main(argc, argv, std::move(device));
}

}  // namespace mx

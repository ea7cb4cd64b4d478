// The mxgold program: parses the command line, runs one subcommand, turns its end into an exit
// code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "mx/cli/command.hpp"

namespace {

std::string version_text() {
  const std::string commit(mx::cli::commit());
  return fmt::format("mxgold {}{}", mx::cli::version(),
                     commit.empty() ? "" : fmt::format(" (commit {})", commit));
}

const std::string& selected_name(const CLI::App& root, const std::string& none) {
  const auto chosen = root.get_subcommands();
  return chosen.empty() ? none : chosen.front()->get_name();
}

int run(int argc, char** argv) {
  using mx::cli::Exit;
  CLI::App root{"Bit-exact reference, golden vectors and hardware conformance for MX formats"};
  root.name("mxgold");
  root.set_version_flag("--version", version_text());
  root.require_subcommand(1);
  root.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  Exit exit = Exit::kPass;
  mx::cli::add_all_commands(root, exit);
  const std::string program = "mxgold";
  const auto end = [&](Exit status, const char* message) {
    const std::string& name = selected_name(root, program);
    const std::string prefix = name == program ? program : program + " " + name;
    fmt::print(stderr, "{}: {}\n", prefix, message);
    return static_cast<int>(status);
  };
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return root.exit(error);  // --help, --version
    return end(Exit::kUsage, error.what());
  } catch (const mx::cli::Error& error) {
    return end(error.exit(), error.what());
  } catch (const std::exception& error) {
    return end(Exit::kInternal, error.what());
  }
  return static_cast<int>(exit);
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }

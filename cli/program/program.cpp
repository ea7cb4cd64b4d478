#include "cli/program/program.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/base/by_signal.hpp"
#include "cli/base/command.hpp"
#include "cli/base/source_digest.hpp"
#include "cli/files/mapped_file.hpp"
#include "cli/line/root.hpp"
#include "cli/manual/help.hpp"
#include "cli/options/command_line.hpp"
#include "cli/program/streams.hpp"
#include "cli/settings/config_option.hpp"
#include "cli/text/command_text.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/error.hpp"
#include "golden/bytes/host_error.hpp"
#include "golden/bytes/unfinished.hpp"
#include "sim/plugin/crash.hpp"

namespace mx::cli {
namespace {

std::string version_text() {
  return fmt::format("mxgold {} ({}sources {})", version(),
                     commit().empty() ? "" : fmt::format("commit {}, ", commit()), source_digest());
}

/// What was not understood, with the nearest option or subcommand.
std::string unknown_argument(const Root& root) {
  const std::vector<std::string> rest = root.remaining();
  if (rest.empty()) return "the arguments were not understood; see --help";
  const std::optional<Command> chosen = root.chosen();
  std::vector<std::string> known;
  const bool is_option = rest.front().starts_with("-");
  if (is_option) {
    for (const Option option : chosen.value_or(root.command()).get_options()) {
      for (const std::string& name : option.get_lnames()) known.push_back("--" + name);
      for (const std::string& name : option.get_snames()) known.push_back("-" + name);
    }
  } else if (!chosen) {
    for (const Command each : root.command().get_subcommands()) known.push_back(each.get_name());
  } else {
    return fmt::format("unexpected argument {}; see {} {} --help", printable(rest.front()),
                       program_word(), chosen->get_name());
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  return unknown_name(is_option ? "option" : "subcommand", rest.front(), names) + "; see --help";
}

/// CLI11 knows negative numbers but takes -inf and -nan for options; a space in front, which number
/// parsing skips, makes them arguments.
std::string as_argument(std::string text) {
  const bool is_number = text == "-inf" || text == "-infinity" || text == "-nan";
  return is_number ? " " + text : text;
}

/// Tells people on stderr; where that cannot be written either, the exit code has to do. Who closed
/// the pipe that results go to knows it: the program ends by SIGPIPE, as others do.
Exit end(const Root& root, Exit status, const std::string& message) {
  if (status == Exit::kUnwritable && reader_left()) end_by_signal(SIGPIPE);
  const std::optional<Command> chosen = root.chosen();
  const std::string name = chosen ? " " + chosen->get_name() : "";
  std::fputs(fmt::format("{}{}: {}\n", program_name(), name, message).c_str(), stderr);
  return status;
}

/// What the machine lacks, by the words of the library that met it; "" for any other error.
std::string lack_in(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "out of memory: this machine, or the limit of this process (ulimit -v), has not enough";
  }
  if (dynamic_cast<const golden::HostError*>(&error) != nullptr) return error.what();
  const auto* const system = dynamic_cast<const std::system_error*>(&error);
  const int code = system == nullptr ? 0 : system->code().value();
  const bool is_lack = code == EAGAIN || code == ENOMEM || code == EMFILE || code == ENFILE;
  // That of TBB's threads has no type of its own.
  if (is_lack || std::string_view(error.what()).starts_with("pthread_create")) {
    return fmt::format("the machine lacks threads, files or memory for this: {}", error.what());
  }
  return "";
}

Exit run(const Root& root, std::vector<std::string> arguments, const Exit& exit) {
  try {
    const std::optional<std::string> problem = root.parse(std::move(arguments));
    if (!problem) return exit;
    // A misspelt name explains a missing one better than the missing one itself.
    const std::vector<std::string> rest = root.remaining();
    const bool has_rest = !rest.empty() && rest.front() != "--";
    return end(root, Exit::kUsage, has_rest ? unknown_argument(root) : *problem);
  } catch (const Error& error) {
    return end(root, error.exit(), error.what());
  } catch (const golden::VectorError& error) {
    return end(root, Exit::kBadInput, error.what());
  } catch (const std::exception& error) {
    const std::string lack = lack_in(error);
    if (!lack.empty()) return end(root, Exit::kHost, lack);
    if (dynamic_cast<const std::filesystem::filesystem_error*>(&error) != nullptr) {
      return end(root, Exit::kBadInput, error.what());
    }
    // fmt::print throws where a stream takes nothing; of standard output finish() tells.
    if (std::ferror(stdout) != 0) return Exit::kUnwritable;
    return end(root, std::ferror(stderr) != 0 ? Exit::kUnwritable : Exit::kInternal, error.what());
  }
}

/// A result that nobody got is none. Of several exit codes the first in the order of spec V9 holds.
Exit finish(const Root& root, Exit status) {
  const std::string problem = stdout_problem();
  if (problem.empty() || status == Exit::kUsage) return status;
  return end(root, Exit::kUnwritable, problem);
}

void print_help(const Root& root, const std::optional<Command>& chosen, Root::Help help) {
  const Command all = root.command();
  const bool is_all = help == Root::Help::kAll;
  std::string text;
  if (chosen) {
    const std::string name = chosen->get_name();
    text = is_all ? command_help_all(all, name) : command_help(all, name);
  } else {
    text = is_all ? program_help_all(all) : program_help(all);
  }
  fmt::print("{}", text);
}

}  // namespace

int run_program(int argc, char** argv) {
  open_missing_streams();
  survive_closed_pipes();
  collect_children();
  guard_mapped_files();
  golden::remove_unfinished_on_signals();
  Root root(std::string(program_name()),
            "Bit-exact reference, golden vectors and hardware conformance for MX formats",
            version_text());
  Exit exit = Exit::kPass;
  add_all_commands(root.command(), exit);
  check_numbers(root.command());
  add_config_option(root);
  root.on_help([&root](const auto& chosen, Root::Help help) { print_help(root, chosen, help); });
  if (argc < 2) {
    std::fputs(overview(root.command()).c_str(), stderr);
    return static_cast<int>(Exit::kUsage);
  }
  root.parse_complete_callback([&root] { check_outputs(root.chosen().value_or(root.command())); });
  std::vector<std::string> arguments;  // last first, as CLI11 wants them
  for (int i = argc - 1; i > 0; --i) arguments.push_back(as_argument(argv[i]));
  const Exit status = finish(root, run(root, std::move(arguments), exit));
  return sim::leave_exit_code(static_cast<int>(status));
}

}  // namespace mx::cli

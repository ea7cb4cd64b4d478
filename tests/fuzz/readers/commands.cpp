// Command lines, an argument a line: every option of every subcommand is read, nothing is
// done. And
// numbers as `explain` takes them.
#include <CLI/CLI.hpp>

#include "cli/base/command.hpp"
#include "cli/base/error.hpp"
#include "golden/explain/input.hpp"
#include "reference/format/table.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

struct Understood {};

void read_number(std::string_view input) {
  const ElementFormat& source = input.size() % 2 == 0 ? formats::fp32 : formats::e5m2;
  (void)golden::parse_input(source, std::string(input), golden::BitsFirst::kNo,
                            golden::Spelling::kOptions);
}

Outcome command(std::string_view input) {
  std::vector<std::string> arguments(1);
  for (const char c : input) {
    if (c == '\n') {
      arguments.emplace_back();
    } else if (c != '\0') {
      arguments.back() += c;
    }
  }
  try {
    if (arguments.size() == 1) {
      read_number(arguments[0]);
      return Outcome::kRead;
    }
    CLI::App root{"mxgold"};
    root.require_subcommand(1);
    root.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    cli::Exit exit = cli::Exit::kPass;
    cli::add_all_commands(cli::Command(root), exit);
    // Between reading and doing.
    root.parse_complete_callback([] { throw Understood{}; });
    std::ranges::reverse(arguments);
    root.parse(std::move(arguments));
  } catch (const Understood&) {
    return Outcome::kRead;
  } catch (const cli::Error& error) {
    require_words(error.what(), input);
    return Outcome::kRefused;
  } catch (const golden::Refusal& refusal) {
    require_words(refusal.what(), input);
    return Outcome::kRefused;
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? Outcome::kRead : Outcome::kRefused;
  }
  return Outcome::kRead;
}

std::vector<std::string> seeds() {
  return {"gen\n--suite\nsmoke\n--source\nbf16\n--format\nmxfp4\n--seed\n5\n--shard\n1/3\n-o\na.tv",
          "run\n--dut\nreference\n--suite\nrnd\n--count\n400\n--format\nmxfp4,mxfp8_e4m3",
          "quantize\nx.npy\n--format\nmxfp4\n--axis\n0\n--block-size\n16\n-o\ny.safetensors",
          "explain\ncvt\n--from\nfp32\n--to\ne4m3fn\n3FA66666",
          "identify\nlog.txt\n--json",
          "list\nformats",
          "mutate\n--count\n10",
          "run\n--dut\nprocess:./dut\n--pipe\nfifo\n--time-out\n2.5\n--waivers\nw.json",
          "diff-profile\n--all",
          "1.0625",
          "0x1.8p-3",
          "-inf"};
}

}  // namespace

Target commands_target() { return {"commands", command, seeds, 300}; }

}  // namespace mx::fuzz

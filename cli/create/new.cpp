// SPDX-License-Identifier: Apache-2.0
// mxgold new: the files to begin with, for a module, a header, a name or vectors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "cli/base/asked.hpp"
#include "cli/base/command.hpp"
#include "cli/create/answer_bench.hpp"
#include "cli/create/bench.hpp"
#include "cli/create/inferred.hpp"
#include "cli/create/skeletons.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/policies.hpp"
#include "cli/run/device_errors.hpp"
#include "cli/text/command_text.hpp"
#include "cli/text/names.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/source.hpp"
#include "golden/files/vector_file.hpp"
#include "sim/compile/compiled.hpp"
#include "sim/device/build.hpp"

namespace mx::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
A .sv or .v file becomes a device file: Verilator reads the ports of the module, their names and
widths say what they carry. A .h file becomes a plugin in C++, a name a program in Python that
answers on a pipe. A file beside it runs it every night. What could not be found out
is a line FILL IN: a run refuses the file until somebody has filled it in. No file is replaced.
`new bench` writes a program in SystemVerilog, VHDL, C or Python that reads vectors, asks a device
and writes its answers, for mxgold check (docs/howto/check-answers.md).

Examples:
  mxgold new dut my_quantizer.sv --format mxfp4 --source bf16
  mxgold new dut rtl/my_pkg.sv my_quantizer.sv -y rtl --format mxfp4 --source bf16
  mxgold new dut my_converter.sv --bench
  mxgold new dut my_model.h --format mxfp8_e4m3 --source fp32
  mxgold new dut my_model --ci gitlab
  mxgold new bench in.tv --language vhdl

Exit codes: 0 written, 2 usage, 3 a source that does not compile, 4 no Verilator.)";

struct NewOptions {
  std::string what;
  std::vector<std::string> inputs;
  std::string output = ".";
  bool is_printed = false;  ///< the first file, and none is written
  std::string top;
  Names libraries, includes, formats, sources;
  std::string operation, result;
  std::string ci = "github";
  std::string language = "sv";
  bool is_bench = false;
  std::vector<Names> policies;
  FormatBook book;
};

/// What to type to try it, and what else the machine needs for it.
struct Made {
  std::vector<NewText> texts;
  std::string packages;  ///< of Debian, for CI
  std::string build;     ///< a line before the run
  std::string run;       ///< its command
  std::size_t unfilled = 0;
};

std::string stem_of(const std::string& path) { return fs::path(path).stem().string(); }

void refuse_name(const std::string& name) {
  static const std::regex kName("[A-Za-z_][A-Za-z0-9_]*");
  if (std::regex_match(name, kName)) return;
  fail(Exit::kUsage, "{}: give a file .sv, .v or .h, or a name of letters, digits and _",
       printable(name));
}

/// The one value of an option of lists.
std::string one(const Names& values, std::string_view option) {
  if (values.size() > 1) fail(Exit::kUsage, "{}: give one", option);
  return values.empty() ? "" : values.front();
}

/// A path as the device file has it: from its own folder.
std::string seen_from(const std::string& folder, const std::string& path) {
  if (fs::path(path).is_absolute()) return path;
  std::error_code ignored;
  const fs::path relative = fs::relative(path, folder, ignored);
  return relative.empty() ? path : relative.string();
}

/// The module of a source: the one that is named, else the last.
std::string top_of(const NewOptions& options, const std::string& text) {
  if (!options.top.empty()) return options.top;
  static const std::regex kModule(R"((?:^|\n)\s*module\s+(?:automatic\s+|static\s+)?(\w+))");
  std::string top;
  for (std::sregex_iterator each(text.begin(), text.end(), kModule), end; each != end; ++each) {
    top = (*each)[1];
  }
  if (top.empty()) fail(Exit::kUsage, "{}: has no module", options.inputs.back());
  return top;
}

/// Parameters in the header of a module whose defaults are plain numbers.
Json parameters_of(const std::string& text, const std::string& top) {
  Json parameters = Json::object();
  const std::regex header(fmt::format(R"(module\s+(?:automatic\s+|static\s+)?{}\s*#\s*\()", top));
  std::smatch found;
  if (!std::regex_search(text, found, header)) return parameters;
  std::string list = text.substr(static_cast<std::size_t>(found.position() + found.length()));
  list = list.substr(0, list.find(';'));
  static const std::regex kParameter(
      R"(\bparameter\b[^=,()]*?\b(\w+)\s*=\s*(\d+)\s*(?=[,)]|//|\n))");
  for (std::sregex_iterator each(list.begin(), list.end(), kParameter), end; each != end; ++each) {
    parameters[(*each)[1].str()] = std::stoll((*each)[2].str());
  }
  return parameters;
}

/// The other sources, and those of the folders of further modules.
std::string others_of(const NewOptions& options) {
  std::vector<std::string> files(options.inputs.begin(), options.inputs.end() - 1);
  for (const std::string& folder : options.libraries) {
    std::error_code ignored;
    for (const auto& each : fs::directory_iterator(folder, ignored)) {
      const std::string suffix = each.path().extension();
      if (suffix == ".sv" || suffix == ".v") files.push_back(each.path());
    }
  }
  std::string text;
  for (const std::string& each : files) text += sim::whole_file(each);
  return text;
}

std::size_t count_unfilled(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(sim::kFillIn, at)) != std::string::npos; ++at) ++count;
  return count;
}

std::string canonical(NewOptions& options, const std::string& name, std::string_view option) {
  if (name.empty() || option == "--format") {
    return name.empty() ? name : std::string(options.book.require(name).name);
  }
  return std::string(options.book.require_element(fmt::format("value of {}", option), name).name);
}

/// The policies that were given, as fields of a device's configuration.
void add_policies(const NewOptions& options, Json& configuration) {
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    const PolicyOption& policy = policy_options()[i];
    Names values;
    for (const std::string& given : options.policies[i]) {
      const std::vector<std::string_view> known = policy.values();
      const std::string kind = "value of " + option_name(policy);
      const std::string_view meant = asked([&] { return golden::known_as(kind, given, known); });
      if (meant.empty()) throw Error(Exit::kUsage, unknown_name(kind, given, known));
      values.emplace_back(meant);
    }
    if (values.size() == 1) configuration[policy.name] = values.front();
    if (values.size() > 1) configuration[policy.name] = values;
  }
}

Made device_file(NewOptions& options) {
  const std::string& path = options.inputs.back();
  KnownModule known;
  known.text = golden::whole_text(path, {std::uint64_t{1} << 24, "give a SystemVerilog file"});
  known.top = top_of(options, known.text);
  known.operation = options.operation;
  known.format = canonical(options, one(options.formats, "--format"), "--format");
  known.source = canonical(options, one(options.sources, "--source"), "--source");
  known.result = canonical(options, options.result, "--result");
  known.others = others_of(options);
  sim::Description module;
  module.path = path;
  module.top = known.top;
  std::error_code ignored;
  for (const std::string& each : options.inputs) {
    module.sources.push_back(fs::weakly_canonical(each, ignored));
  }
  for (const std::string& each : options.includes) {
    module.include.push_back(fs::weakly_canonical(each, ignored));
  }
  for (const std::string& each : options.libraries) {
    module.verilator.emplace_back("-y");
    module.verilator.push_back(fs::weakly_canonical(each, ignored));
  }
  known.ports = sim::ports_of_module(module);
  Json json;
  json["device_schema"] = 1;
  for (const std::string& each : options.inputs) {
    json["sources"].push_back(seen_from(options.output, each));
  }
  for (const std::string& each : options.includes) {
    json["include"].push_back(seen_from(options.output, each));
  }
  // An option of Verilator is no path of the file: it holds from anywhere.
  for (const std::string& each : module.verilator) json["verilator"].push_back(each);
  json["top"] = known.top;
  const Json parameters = parameters_of(known.text, known.top);
  if (!parameters.empty()) json["parameter"] = parameters;
  json.update(inferred_members(known, options.book.catalog()));
  add_policies(options, json["configuration"]);
  if (options.is_bench) {
    NewText bench = bench_skeleton(json, known.ports);
    const std::size_t unfilled = count_unfilled(bench.text);
    return {{std::move(bench)}, "verilator g++ make", "", bench_command(json), unfilled};
  }
  const std::string text = golden::dumped(json, 2) + "\n";
  const std::string file = known.top + ".json";
  return {{{file, text}},
          "verilator g++ make",
          "",
          fmt::format("mxgold run --dut device:{} --suite smoke", file),
          count_unfilled(text)};
}

ModelFacts model_facts(NewOptions& options, const std::string& name) {
  ModelFacts facts{name, "mxfp4", "fp32", 32};
  if (!options.formats.empty()) facts.format = one(options.formats, "--format");
  if (!options.sources.empty()) facts.source = one(options.sources, "--source");
  const FormatChoice format = options.book.require(facts.format);
  if (format.block == nullptr || format.block->extent != BlockExtent::kElements) {
    fail(Exit::kUsage, "--format {}: the skeleton of a model takes blocks; give a block format",
         facts.format);
  }
  facts.format = format.name;
  facts.block = static_cast<unsigned>(format.block->block_size);
  facts.source = options.book.require_element("value of --source", facts.source).name;
  return facts;
}

Made plugin(NewOptions& options) {
  const std::string& path = options.inputs.back();
  const std::string name = stem_of(path);
  refuse_name(name);
  const std::string header =
      golden::whole_text(path, {std::uint64_t{1} << 24, "give a header of C or C++"});
  NewText text = plugin_skeleton(model_facts(options, name), seen_from(options.output, path),
                                 prototypes_of(header));
  const std::string build = fmt::format(
      "c++ -std=c++17 -shared -fPIC $(mxgold dpi --cflags) {} -o lib{}.so", text.path, name);
  return {{std::move(text)},
          "g++",
          build,
          fmt::format("mxgold run --dut plugin:./lib{}.so --suite smoke", name),
          1};
}

Made pipe(NewOptions& options) {
  const std::string& name = options.inputs.back();
  refuse_name(name);
  const ModelFacts facts = model_facts(options, name);
  NewText text = pipe_skeleton(facts);
  const std::string run = fmt::format(
      "mxgold run --dut process:'python3 {}' --format {} --source {} --observe "
      "scale,code --lengths full --suite smoke",
      text.path, facts.format, facts.source);
  return {{std::move(text)}, "python3", "", run, 1};
}

/// A program that writes answers to a file of vectors.
Made answers(const NewOptions& options) {
  const std::string& path = options.inputs.back();
  if (fs::path(path).extension() != ".tv") {
    fail(Exit::kUsage, "{}: give a .tv file, as mxgold gen writes with -o in.tv", printable(path));
  }
  const golden::VectorReader reader(path, emulators::make_cast);
  std::string name = stem_of(path) + "_bench";
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  if (std::isalpha(static_cast<unsigned char>(name.front())) == 0) name.insert(0, "b");
  AnswerBench bench = answer_bench(options.language, name, seen_from(options.output, path),
                                   reader.header().shape());
  return {{std::move(bench.text)}, bench.packages, bench.build, bench.run, 1};
}

Made made_of(NewOptions& options) {
  const std::string suffix = fs::path(options.inputs.back()).extension().string();
  const bool is_dut = options.what == "dut";
  if (is_dut && (suffix == ".sv" || suffix == ".v")) return device_file(options);
  const auto refuse = [&](bool is_given, std::string_view option) {
    if (is_given) fail(Exit::kUsage, "{}: goes with new dut and a .sv or .v file", option);
  };
  refuse(options.inputs.size() > 1, "several files");
  refuse(!options.top.empty(), "--top");
  refuse(!options.libraries.empty(), "-y");
  refuse(!options.includes.empty(), "-I");
  refuse(!options.operation.empty(), "--op");
  refuse(options.is_bench, "--bench");
  refuse(!options.result.empty(), "--result");
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    refuse(!options.policies[i].empty(), option_name(policy_options()[i]));
  }
  if (!is_dut) {
    refuse(!options.formats.empty(), "--format");
    refuse(!options.sources.empty(), "--source");
    return answers(options);
  }
  return suffix == ".h" || suffix == ".hpp" ? plugin(options) : pipe(options);
}

void write(const NewOptions& options, const Made& made) {
  if (options.is_printed) {
    fmt::print("{}", made.texts.front().text);
    return;
  }
  std::error_code ignored;
  for (const NewText& each : made.texts) {
    const fs::path path = fs::path(options.output) / each.path;
    if (fs::exists(path, ignored)) {
      fail(Exit::kUsage, "{}: is there already; name another folder by -o, or remove it",
           path.lexically_normal().string());
    }
  }
  for (const NewText& each : made.texts) {
    const fs::path path = (fs::path(options.output) / each.path).lexically_normal();
    fs::create_directories(path.parent_path().empty() ? "." : path.parent_path());
    golden::NewFile file(path.string());
    file.write(each.text);
    file.commit();
    fmt::print("{}\n", path.string());
  }
}

void run_new(NewOptions& options) {
  const bool is_bench_of_vectors = options.what == "bench";
  if (options.what != "dut" && !is_bench_of_vectors) {
    constexpr std::array<std::string_view, 2> kKinds = {"dut", "bench"};
    throw Error(Exit::kUsage, unknown_name("kind of file", options.what, kKinds));
  }
  options.is_printed = golden::is_standard_output(options.output);
  if (options.is_printed) options.output = ".";
  Made made = made_of(options);
  // The options of a run are none of a bench.
  if (options.ci != "none" && !options.is_bench && !is_bench_of_vectors) {
    const CiService service = options.ci == "gitlab" ? CiService::kGitlab : CiService::kGithub;
    made.texts.push_back(
        ci_file(service, stem_of(options.inputs.back()), made.packages, made.build, made.run));
  }
  write(options, made);
  std::FILE* const people = options.is_printed ? stderr : stdout;
  if (made.unfilled != 0) {
    fmt::print(people, "{} {} to fill in; look for FILL IN\n", made.unfilled,
               made.unfilled == 1 ? "line is" : "lines are");
  }
  if (!made.build.empty()) fmt::print(people, "build: {}\n", made.build);
  fmt::print(people, "run: {}\n", made.run);
}

}  // namespace

void add_new(const Command& root, Exit& exit) {
  const Command app =
      root.add_subcommand("new", "Write a device file, a plugin, a model or a bench");
  app.footer(kExamples);
  const auto options = std::make_shared<NewOptions>();
  app.add_option("KIND", options->what,
                 "dut, a device under test, or bench, which writes answers to vectors")
      .type_name("NAME")
      .required();
  app.add_option("FILES", options->inputs,
                 "A SystemVerilog module (packages first), a header of C or C++, or a name; of a "
                 "bench a .tv file")
      .required();
  app.add_option("-o,--output", options->output, "The folder to write to; - prints the first file")
      .type_name("FOLDER")
      .capture_default_str();
  format_option(app, options->formats).default_str("what the module's comment says");
  source_option(app, options->sources).default_str("what the module's comment says");
  app.add_option("--result", options->result, "Format of the results of dot and dequantize")
      .type_name("NAME");
  app.add_option("--op", options->operation, "What the module computes")
      .is_member({"cvt", "block", "dot", "mma", "arith", "cast", "dequantize"});
  app.add_option("--top", options->top, "The module").default_str("the last of the last file");
  as_list(app.add_option("-y,--library", options->libraries, "Folder of further modules"))
      .type_name("FOLDER");
  as_list(app.add_option("-I,--include", options->includes, "Folder of files to include"))
      .type_name("FOLDER");
  app.add_flag("--bench", options->is_bench,
               "A bench by DPI-C around the module, in place of the device file");
  app.add_option("--ci", options->ci, "The file for CI: github | gitlab | none")
      .is_member({"github", "gitlab", "none"})
      .capture_default_str();
  app.add_option("--language", options->language, "Of new bench: sv | vhdl | c | python")
      .is_member({"sv", "vhdl", "c", "python"})
      .capture_default_str();
  options->policies.resize(policy_options().size());
  for (std::size_t i = 0; i < options->policies.size(); ++i) {
    policy_option(app, policy_options()[i], options->policies[i]).default_str("any");
  }
  app.callback([options, app, &exit] {
    if (options->what == "dut" && app.count("--language") != 0) {
      fail(Exit::kUsage, "--language: goes with new bench");
    }
    if (options->what == "bench" && app.count("--ci") != 0) {
      fail(Exit::kUsage, "--ci: goes with new dut");
    }
    exit = with_device_errors([&] {
      run_new(*options);
      return Exit::kPass;
    });
  });
}

}  // namespace mx::cli

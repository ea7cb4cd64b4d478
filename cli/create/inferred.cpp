// SPDX-License-Identifier: Apache-2.0
#include "cli/create/inferred.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <span>

#include "golden/names/names.hpp"
#include "sim/device/description.hpp"

namespace mx::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string fill_in(const std::string& what) { return fmt::format("{} {}", sim::kFillIn, what); }

/// The words of a name, without the letters that say a direction: "s_axis_tdata" is s, axis, tdata.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (c == '_') {
      words.emplace_back();
    } else {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  std::erase(words, "");
  if (words.size() > 1 && (words.back() == "i" || words.back() == "o")) words.pop_back();
  return words;
}

bool says(const sim::Port& port, std::initializer_list<std::string_view> wanted) {
  const std::vector<std::string> words = words_of(port.name);
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(wanted, word) != wanted.end();
  });
}

bool is_bit(const sim::Port& port) { return port.width == 1 && port.elements == 0; }

bool is_clock(const sim::Port& port) {
  return is_bit(port) && port.is_input && says(port, {"clk", "clock", "aclk", "ck"});
}

bool is_reset(const sim::Port& port) {
  return is_bit(port) && port.is_input &&
         says(port, {"rst", "rstn", "nrst", "reset", "resetn", "nreset", "aresetn", "areset",
                     "arst", "arstn"});
}

bool is_active_low(const sim::Port& port) {
  const std::vector<std::string> words = words_of(port.name);
  const std::string& last = words.back();
  return last == "n" || last == "ni" || last == "b" || says(port, {"nrst", "nreset"}) ||
         std::ranges::any_of(words, [](const std::string& word) {
           return word == "rstn" || word.ends_with("resetn") || word == "arstn";
         });
}

/// Ports by what they are for; each is taken once.
class Ports {
 public:
  explicit Ports(const std::vector<sim::Port>& ports) : left_(ports) {}

  template <typename Is>
  std::optional<sim::Port> take(const Is& is) {
    const auto found = std::ranges::find_if(left_, is);
    if (found == left_.end()) return std::nullopt;
    const sim::Port port = *found;
    left_.erase(found);
    return port;
  }
  std::optional<sim::Port> take(bool is_input, std::initializer_list<std::string_view> words) {
    return take(
        [&](const sim::Port& port) { return port.is_input == is_input && says(port, words); });
  }
  std::optional<sim::Port> take_bit(bool is_input, std::initializer_list<std::string_view> words) {
    return take([&](const sim::Port& port) {
      return is_bit(port) && port.is_input == is_input && says(port, words);
    });
  }
  [[nodiscard]] std::vector<sim::Port> left(bool is_input) const {
    std::vector<sim::Port> list;
    std::ranges::copy_if(left_, std::back_inserter(list),
                         [&](const sim::Port& port) { return port.is_input == is_input; });
    return list;
  }

 private:
  std::vector<sim::Port> left_;
};

/// The formats of a device, as far as they are known.
struct Formats {
  std::optional<ElementFormat> in;   ///< of a word of the main input
  std::optional<ElementFormat> out;  ///< of a code
  unsigned block = 0;                ///< elements of a block; 0: none, or unknown
};

class Inference {
 public:
  Inference(const KnownModule& known, FormatCatalog& catalog)
      : known_(known), catalog_(catalog), ports_(known.ports) {}

  Json members() {
    take_control();
    take_words();
    find_operation();
    configuration();
    Json members;
    members["operation"] = operation_;
    members["configuration"] = configuration_;
    add_lanes(members);
    if (clock_) members["clock"] = clock_->name;
    if (reset_) members["reset"] = reset_member();
    add_ties(members);
    members["input"] = side(input_, in_beats_);
    members["output"] = side(output_, out_beats_);
    if (clock_ && !output_.valid && input_.valid) {
      members["latency"] = fill_in("cycles from the (last) beat of a question to its answer");
    }
    return members;
  }

 private:
  struct Side {
    std::optional<sim::Port> valid, ready, last, keep;
    std::vector<std::pair<sim::Port, std::string>> fields;  ///< of the record
    Json more = Json::object();                             ///< ports with parts of their own
  };

  void take_control() {
    clock_ = ports_.take(is_clock);
    reset_ = ports_.take(is_reset);
    if (const auto taker = ports_.take_bit(false, {"rnd", "random"})) random_taker_ = taker->name;
    input_.valid = ports_.take_bit(true, {"valid", "vld", "tvalid", "en"});
    input_.ready = ports_.take_bit(false, {"ready", "rdy", "tready"});
    output_.valid = ports_.take_bit(false, {"valid", "vld", "tvalid"});
    output_.ready = ports_.take_bit(true, {"ready", "rdy", "tready"});
    input_.last = ports_.take_bit(true, {"last", "tlast", "eop"});
    output_.last = ports_.take_bit(false, {"last", "tlast", "eop"});
    input_.keep = ports_.take(true, {"keep", "tkeep"});
    output_.keep = ports_.take(false, {"keep", "tkeep"});
  }

  void take_fields(Side& side, bool is_input,
                   std::initializer_list<std::pair<std::string_view, std::string>> fields) {
    for (const auto& [word, field] : fields) {
      if (const auto port = ports_.take(is_input, {word})) side.fields.emplace_back(*port, field);
    }
  }

  /// Ports whose names are those of fields.
  void take_words() {
    if (const auto word = ports_.take(true, {"tuser"}); word && word->width >= 32) {
      input_.more[word->name] = {{"field", "tuser"}, {"width", 32}};
    }
    if (const auto status = ports_.take(false, {"tuser"}); status && status->width >= 16) {
      has_scale_ = true;
      output_.more[status->name] = {{{"field", "scale"}, {"width", 8}},
                                    {{"field", "flags"}, {"width", 8}, {"beats", "last"}}};
    }
    if (const auto random = ports_.take(true, {"rnd", "random"})) {
      input_.more[random->name] = {{"field", "random"}};
      if (!random_taker_.empty()) input_.more[random->name]["taken_by"] = random_taker_;
    }
    const auto of_side = [&](std::string_view side, bool is_input) {
      return ports_.take([&](const sim::Port& port) {
        const std::string letter(side);
        return port.is_input == is_input && says(port, {side}) && says(port, {"scale", "sf"});
      });
    };
    for (const char* side : {"a", "b"}) {
      if (const auto port = of_side(side, true)) {
        input_.fields.emplace_back(*port, fmt::format("{}_scale", side));
      }
    }
    take_fields(input_, true, {{"a", "a"}, {"b", "b"}, {"c", "c"}});
    if (const auto scale = ports_.take(true, {"scale", "sf"})) {
      input_.fields.emplace_back(*scale, "a_scale");
      is_dequantizer_ = true;
    }
    if (const auto scale = ports_.take(false, {"scale", "sf"})) {
      output_.fields.emplace_back(*scale, "scale");
      has_scale_ = true;
    }
    take_fields(output_, false, {{"flags", "flags"}, {"flag", "flags"}, {"status", "flags"}});
    take_fields(output_, false, {{"code", "code"}, {"codes", "code"}});
    if (!has(output_, "code")) take_only(output_, false, "code");
    if (!has(input_, "a")) take_only(input_, true, is_dequantizer_ ? "a" : "source");
  }

  static bool has(const Side& side, std::string_view field) {
    return std::ranges::any_of(side.fields, [&](const auto& each) { return each.second == field; });
  }

  /// The one port of several bits that is left carries the words.
  void take_only(Side& side, bool is_input, const std::string& field) {
    std::vector<sim::Port> wide = ports_.left(is_input);
    std::erase_if(wide, [](const sim::Port& port) { return port.width < 4; });
    if (wide.size() != 1) return;
    const auto port = ports_.take([&](const sim::Port& each) { return each.name == wide[0].name; });
    side.fields.emplace_back(*port, field);
  }

  void find_operation() {
    operation_ = known_.operation;
    if (!operation_.empty()) return;
    if (has_scale_) {
      operation_ = "block";
    } else if (has(input_, "a_scale") && has(input_, "b")) {
      operation_ = "dot";
    } else if (is_dequantizer_) {
      operation_ = "dequantize";
    } else if (has(input_, "source") && has(output_, "code")) {
      operation_ = "cvt";
    } else {
      operation_ = fill_in("one of cvt, block, dot, mma, arith, cast, dequantize");
    }
  }

  std::optional<ElementFormat> element(const std::string& name) {
    const ElementFormat* const found = name.empty() ? nullptr : catalog_.find(name);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }

  /// The formats that were said, else those that comments speak of, if the widths agree.
  void configuration() {
    const SpokenFormats spoken = spoken_formats(known_.text, known_.top);
    const auto nth = [&](std::size_t i) {
      return i < spoken.elements.size() ? spoken.elements[i] : std::string();
    };
    const auto said = [](const std::string& given, const std::string& otherwise) {
      return given.empty() ? otherwise : given;
    };
    if (operation_ == "cvt") {
      const std::string from = said(known_.source, nth(0));
      const std::string to = said(known_.format, nth(known_.source.empty() ? 1 : 0));
      add("source", from, "the source format: fp32, bf16, fp16, ...", formats_.in);
      add("destination", to, "the format of the result: e4m3fn, e5m2, ...", formats_.out);
      return;
    }
    const std::string name = said(known_.format, spoken.block);
    const BlockFormat* const block = name.empty() ? nullptr : catalog_.find_block(name);
    if (block != nullptr) formats_.block = static_cast<unsigned>(block->block_size);
    const std::string wanted = "the block format: mxfp4, mxfp8_e4m3, nvfp4, ...";
    if (operation_ == "block") {
      add("source", said(known_.source, nth(0)), "the source format: fp32, bf16, fp16, ...",
          formats_.in);
      configuration_["format"] = block == nullptr ? fill_in(wanted) : name;
      if (block != nullptr) formats_.out = block->element;
    } else if (operation_ == "dequantize") {
      configuration_["format"] = block == nullptr ? fill_in(wanted) : name;
      if (block != nullptr) formats_.in = block->element;
      add("result", said(known_.result, nth(0)), "the format of the results: fp32, bf16, ...",
          formats_.out);
    } else if (operation_ == "dot") {
      configuration_["a_format"] = configuration_["b_format"] =
          block == nullptr ? fill_in(wanted) : name;
      if (block != nullptr) formats_.in = block->element;
      add("result", said(known_.result, nth(0)), "the format of the results: fp32, bf16, ...",
          formats_.out);
      configuration_["mode"] = fill_in("how it sums: exact_once, fp32_seq, fp32_tree, ...");
    } else {
      configuration_["note"] = fill_in("the fields of docs/vector-format.md that it computes");
    }
  }

  void add(const std::string& field, const std::string& name, const std::string& wanted,
           std::optional<ElementFormat>& format) {
    format = element(name);
    configuration_[field] = format ? std::string(name) : fill_in(wanted);
  }

  const sim::Port* port_of(const Side& side, std::string_view field) const {
    for (const auto& [port, each] : side.fields) {
      if (each == field) return &port;
    }
    return nullptr;
  }

  /// Elements of one beat; nothing where the widths do not say it.
  static std::optional<unsigned> per_beat(const sim::Port* port,
                                          const std::optional<ElementFormat>& format) {
    if (port == nullptr || !format) return std::nullopt;
    if (port->elements > 1) return port->elements;
    const auto bits = static_cast<unsigned>(format->bits);
    if (port->width % bits != 0) return std::nullopt;
    return port->width / bits;
  }

  void add_lanes(Json& members) {
    const bool is_dequantizer = operation_ == "dequantize" || operation_ == "dot";
    const auto in = per_beat(port_of(input_, is_dequantizer ? "a" : "source"), formats_.in);
    const auto out = per_beat(port_of(output_, "code"), formats_.out);
    if (operation_ == "cvt") {
      if (in && *in > 1) members["records"] = *in;
      return;
    }
    if (operation_ == "dot") {
      if (in) members["lanes"] = *in;
      return;
    }
    if (operation_ != "block" && operation_ != "dequantize") return;
    const std::string wanted = "beats of a whole block: its elements by the lanes of a beat";
    const auto beats = [&](const std::optional<unsigned>& lanes, bool has_port) -> Json {
      const bool is_known = lanes && formats_.block != 0 && formats_.block % *lanes == 0;
      if (is_known) return formats_.block / *lanes;
      return has_port ? Json(fill_in(wanted)) : Json(1);
    };
    if (formats_.block != 0) members["lanes"] = formats_.block;
    in_beats_ = beats(in, true);
    // A code may stand in a wider slot: as many a beat as come in, if that goes.
    const bool is_alike = out && in && *out >= *in && *out % *in == 0;
    out_beats_ = beats(is_alike ? in : out, true);
  }

  /// A reset that edges are taken of is asynchronous. Where it is only passed on, those of the
  /// modules within say it. A bench that takes it for synchronous is right with both.
  [[nodiscard]] bool is_asynchronous() const {
    const std::regex own(fmt::format(R"((posedge|negedge)\s+{}\b)", reset_->name));
    if (std::regex_search(known_.text, own)) return true;
    const std::regex used(fmt::format(R"(if\s*\(\s*[!~]?\s*{}\b)", reset_->name));
    static const std::regex kAny(R"((posedge|negedge)\s+\w*(rst|reset)\w*)");
    return !std::regex_search(known_.text, used) && std::regex_search(known_.others, kAny);
  }

  Json reset_member() const {
    return {{"port", reset_->name},
            {"active", is_active_low(*reset_) ? "low" : "high"},
            {"kind", is_asynchronous() ? "asynchronous" : "synchronous"}};
  }

  void add_ties(Json& members) {
    for (const sim::Port& port : ports_.left(true)) {
      members["tie"][port.name] =
          fill_in("its constant value; or say under input.ports what it carries");
    }
  }

  Json side(const Side& side, const Json& beats) const {
    const bool is_input = &side == &input_;
    Json member = Json::object();
    if (side.valid) member["valid"] = side.valid->name;
    if (side.ready) member["ready"] = side.ready->name;
    if (beats != 1) member["beats"] = beats;
    Json ports = Json::object();
    for (const auto& [port, field] : side.fields) ports[port.name] = {{"field", field}};
    for (const auto& [name, parts] : side.more.items()) ports[name] = parts;
    if (side.keep) ports[side.keep->name] = {{"keep", keep_bits(side)}};
    if (side.last) ports[side.last->name] = {{"last", true}};
    if (ports.empty()) {
      ports["PORT"] =
          fill_in(is_input ? "the port that carries the operands, {\"field\": \"source\"}"
                           : "the port that carries the results, {\"field\": \"code\"}");
    }
    member["ports"] = ports;
    return member;
  }

  /// Bits of keep for a lane.
  unsigned keep_bits(const Side& side) const {
    const bool is_input = &side == &input_;
    const sim::Port* const port = port_of(side, is_input ? "source" : "code");
    const auto lanes = per_beat(port, is_input ? formats_.in : formats_.out);
    return lanes ? std::max(1U, side.keep->width / *lanes) : 1;
  }

  const KnownModule& known_;
  FormatCatalog& catalog_;
  Ports ports_;
  std::optional<sim::Port> clock_, reset_;
  std::string random_taker_;
  Side input_, output_;
  bool has_scale_ = false, is_dequantizer_ = false;
  std::string operation_;
  Json configuration_ = Json::object();
  Formats formats_;
  Json in_beats_ = 1, out_beats_ = 1;
};

/// The comment lines above a module, and its name, as words.
std::vector<std::string> words_about(const std::string& text, const std::string& top) {
  std::vector<std::string> words;
  const std::regex header(fmt::format(R"((^|\n)\s*module\s+(automatic\s+)?{}\b)", top));
  std::smatch found;
  std::string about;
  if (std::regex_search(text, found, header)) {
    std::string before = text.substr(0, static_cast<std::size_t>(found.position()) + 1);
    while (!before.empty()) {
      while (before.ends_with('\n')) before.pop_back();
      const std::size_t line = before.rfind('\n') + 1;
      const std::size_t start = before.find_first_not_of(" \t", line);
      if (start == std::string::npos) break;
      const bool is_comment = before.compare(start, 2, "//") == 0;
      if (!is_comment && before[start] != '`') break;  // `default_nettype none
      if (is_comment) about.insert(0, before.substr(start + 2) + " ");
      before.resize(line);
    }
  }
  about += " " + top;
  std::string word;
  for (const char c : about + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  // Two words may be one name: mxfp8_e4m3, "MXFP8 E4M3".
  const std::size_t single = words.size();
  for (std::size_t i = 0; i + 1 < single; ++i) words.push_back(words[i] + words[i + 1]);
  return words;
}

std::string meant(const std::string& word, std::span<const std::string_view> known) {
  try {
    return std::string(golden::known_as("format", word, known));
  } catch (const golden::Refusal&) {  // it may be several
    return {};
  }
}

}  // namespace

SpokenFormats spoken_formats(const std::string& text, const std::string& top) {
  std::vector<std::string_view> blocks;
  std::vector<std::string_view> elements;
  for (const BlockFormat& each : mx::all_block_formats()) blocks.push_back(each.name);
  for (const ElementFormat& each : mx::all_formats()) elements.push_back(each.name);
  SpokenFormats spoken;
  for (const std::string& word : words_about(text, top)) {
    if (word.find_first_of("0123456789") == std::string::npos) continue;
    if (const std::string block = meant(word, blocks); !block.empty()) {
      if (spoken.block.empty()) spoken.block = block;
      continue;
    }
    std::string element = meant(word, elements);
    // Who says E4M3 of hardware means that of OCP.
    if (std::ranges::find(elements, element + "fn") != elements.end()) element += "fn";
    if (element.empty() || std::ranges::find(spoken.elements, element) != spoken.elements.end())
      continue;
    spoken.elements.push_back(element);
  }
  return spoken;
}

nlohmann::ordered_json inferred_members(const KnownModule& known, FormatCatalog& catalog) {
  return Inference(known, catalog).members();
}

}  // namespace mx::cli

#include "sim/rtl/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "golden/bytes/error.hpp"
#include "sim/block/fault.hpp"
#include "sim/rtl/load.hpp"

namespace mx::sim {
namespace {

constexpr std::string_view kList = "sim/rtl/faults.txt";

constexpr std::string_view kPackage = R"(// Which of the faults there is; 0: none.
package mx_fault;
  int chosen;
endpackage
)";
/// Read once, where the simulation begins, and before the texts of the top module that follow.
constexpr std::string_view kRead = R"(  initial begin
    if (!$value$plusargs("mx_fault=%d", mx_fault::chosen)) mx_fault::chosen = 0;
  end

)";

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Puts one text in the place of another, which stands there once.
void replace_once(RtlSource& source, std::string_view right, std::string_view wrong,
                  std::string_view who) {
  if (const std::size_t count = count_of(source.text, right); count != 1) {
    throw golden::VectorError(fmt::format("{}: {}: {} has {} times, not once: {}", kList, who,
                                          source.name, count, right));
  }
  source.text.replace(source.text.find(right), right.size(), wrong);
}

std::string selected(std::string text, int number) {
  constexpr std::string_view kFaultMark = "FAULT";
  const std::string is_chosen = fmt::format("(mx_fault::chosen == {})", number);
  for (std::size_t at = text.find(kFaultMark); at != std::string::npos;
       at = text.find(kFaultMark, at)) {
    text.replace(at, kFaultMark.size(), is_chosen);
  }
  return text;
}

/// The lines of a list, one after the other.
class ListReader {
 public:
  std::vector<RtlFault> read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++number_;
      take(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    for (RtlFault& fault : faults_) name_clause(fault);
    return std::move(faults_);
  }

 private:
  void take(std::string_view line) {
    const char mark = line.empty() ? '#' : line[0];
    const std::string rest(line.size() > 2 ? line.substr(2) : "");
    if (mark == '#') {
      open_ = nullptr;
    } else if (mark == '=') {
      start(rest);
    } else if (!faults_.empty() && take_part(mark, rest)) {
      return;
    } else if (open_ != nullptr) {
      *open_ += fmt::format("\n{}", line);
    } else {
      throw golden::VectorError(fmt::format("{}:{}: what is this line: {}", kList, number_, line));
    }
  }

  void start(const std::string& head) {
    const std::size_t blank = head.find(' ');
    RtlFault fault;
    fault.number = static_cast<int>(faults_.size()) + 1;
    fault.token = head.substr(0, blank);
    fault.builds = blank == std::string::npos ? "" : head.substr(blank + 1);
    faults_.push_back(std::move(fault));
    open_ = nullptr;
  }

  /// A line of a fault, by its mark; false for one without a mark.
  bool take_part(char mark, const std::string& rest) {
    RtlFault& fault = faults_.back();
    if (mark == ':') fault.breaks = rest;
    if (mark == '@') file_ = rest;
    if (mark == '-') {
      fault.edits.push_back({file_, rest, {}});
      open_ = &fault.edits.back().right;
    }
    const bool is_second = mark == '+' && !fault.edits.empty();
    if (is_second) {
      open_ = &fault.edits.back().wrong;
      *open_ = rest;
    }
    return is_second || mark == ':' || mark == '@' || mark == '-';
  }

  static void name_clause(RtlFault& fault) {
    if (fault.builds.empty()) {
      throw golden::VectorError(fmt::format("{}: {} names no builds", kList, fault.token));
    }
    if (!fault.breaks.empty()) return;
    const Fault* const alike = find_fault(fault.token);
    if (alike == nullptr) {
      throw golden::VectorError(fmt::format("{}: {} names no clause", kList, fault.token));
    }
    fault.breaks = alike->breaks;
  }

  std::vector<RtlFault> faults_;
  std::string file_;
  std::string* open_ = nullptr;  ///< what a line without a mark goes on with
  std::size_t number_ = 0;
};

std::string_view text_of_list() {
  const auto files = rtl_files();
  const auto found = std::ranges::find(files, kList, &RtlFile::path);
  return found == files.end() ? std::string_view{} : found->text;
}

}  // namespace

std::vector<RtlFault> parse_rtl_faults(std::string_view text) { return ListReader().read(text); }

std::span<const RtlFault> rtl_faults() {
  static const std::vector<RtlFault> faults = parse_rtl_faults(text_of_list());
  return faults;
}

const RtlFault* find_rtl_fault(std::string_view token) {
  const auto faults = rtl_faults();
  const auto found = std::ranges::find(faults, token, &RtlFault::token);
  return found == faults.end() ? nullptr : &*found;
}

std::vector<RtlSource> with_faults(std::vector<RtlSource> sources, std::span<const RtlFault> faults,
                                   const FaultChoice& choice) {
  const auto source_of = [&](std::string_view name, std::string_view who) -> RtlSource& {
    const auto found = std::ranges::find(sources, name, &RtlSource::name);
    if (found != sources.end()) return *found;
    throw golden::VectorError(fmt::format("{}: {}: no source {}", kList, who, name));
  };
  for (const RtlFault& fault : faults) {
    for (const RtlEdit& edit : fault.edits) {
      replace_once(source_of(edit.file, fault.token), edit.right,
                   selected(edit.wrong, fault.number), fault.token);
    }
  }
  if (!choice.file.empty()) {
    replace_once(source_of(choice.file, "choice"), choice.before,
                 fmt::format("{}{}", kRead, choice.before), "choice");
  }
  sources.insert(sources.begin(), {"mx_fault.sv", std::string(kPackage)});
  return sources;
}

}  // namespace mx::sim

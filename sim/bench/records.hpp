// The records of a run as the bench reads them (docs/pipe-protocol.md): a header, lines
// of operands, and lines of results back.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mx::bench {

/// What ends a run: a rule that the device broke, or input that is none.
class Complaint : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Field {
  std::string name;
  std::size_t words = 1;
  int digits = 2;
};

/// The words of a record's fields, one after the other.
using Words = std::vector<std::uint64_t>;

/// The value of a word that is no code of its field.
inline constexpr std::uint64_t kNoCode = ~std::uint64_t{0};

/// Reads what MXGOLD_IN names and writes what MXGOLD_OUT names.
class Records {
 public:
  Records(const std::string& in, const std::string& out)
      : in_(std::fopen(in.c_str(), "r")), out_(std::fopen(out.c_str(), "w")) {
    if (in_ == nullptr || out_ == nullptr) throw Complaint("cannot open " + in + " and " + out);
    while (line_ != "# count " + std::to_string(count_)) read_header_line();
  }
  ~Records() {
    if (in_ != nullptr) std::fclose(in_);
    if (out_ != nullptr) std::fclose(out_);
  }
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const std::vector<Field>& operands() const { return operands_; }
  [[nodiscard]] const std::vector<Field>& results() const { return results_; }

  /// The operands of the next record.
  Words next() {
    read_line();
    Words words;
    for (const char* at = line_.c_str(); *at != '\0';) {
      std::uint64_t word = 0;
      for (; *at != ' ' && *at != '\0'; ++at) word = word << 4 | digit(*at);
      words.push_back(word);
      if (*at == ' ') ++at;
    }
    return words;
  }

  /// What a configuration says in a field; "" for nothing.
  [[nodiscard]] std::string_view told(std::size_t config, std::string_view field) const {
    const std::string name(field);
    if (config < own_.size()) {
      const auto own = own_[config].find(name);
      if (own != own_[config].end()) return own->second;
    }
    const auto shared = shared_.find(name);
    return shared == shared_.end() ? std::string_view() : std::string_view(shared->second);
  }

  /// Writes an answer: the words of all result fields; those that are no codes are listed before.
  void answer(const Words& words) {
    std::string marks;
    std::string text;
    std::size_t at = 0;
    for (const Field& field : results_) {
      for (std::size_t i = 0; i < field.words; ++i, ++at) {
        const bool fits = field.digits >= 16 || words[at] >> (4 * field.digits) == 0;
        if (!fits) marks += (marks.empty() ? "?" : ",") + std::to_string(at);
        if (!text.empty()) text += ' ';
        for (int k = field.digits; k-- > 0;) {
          text += "0123456789abcdef"[fits ? words[at] >> (4 * k) & 15 : 0];
        }
      }
    }
    std::fprintf(out_, "%s%s%s\n", marks.c_str(), marks.empty() ? "" : " ", text.c_str());
  }
  void complain(const std::string& what) { std::fprintf(out_, "!%s\n", what.c_str()); }
  /// Says how often a bin of a coverpoint was hit.
  void count(const char* point, std::size_t bin, std::uint64_t hits) {
    std::fprintf(out_, "=%s %zu %llu\n", point, bin, static_cast<unsigned long long>(hits));
  }
  void flush() { std::fflush(out_); }

 private:
  static std::uint64_t digit(char c) {
    return static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }

  void read_line() {
    line_.clear();
    for (int c = std::fgetc(in_); c != '\n'; c = std::fgetc(in_)) {
      if (c == EOF) throw Complaint("the records end too early");
      line_ += static_cast<char>(c);
    }
  }

  void read_header_line() {
    read_line();
    const std::size_t space = line_.find(' ', 2);
    const std::string key = line_.substr(2, space - 2);
    const std::string value = space == std::string::npos ? "" : line_.substr(space + 1);
    if (key == "count") count_ = std::stoull(value);
    if (key == "fields") read_fields(value);
    if (key == "config") return read_config(value);
    shared_[key] = value;
  }

  // "0 rounding=ties_to_even; rule=floor"
  void read_config(const std::string& text) {
    std::map<std::string, std::string>& fields = own_.emplace_back();
    for (std::size_t at = text.find(' '); at != std::string::npos;) {
      const std::size_t start = text.find_first_not_of("; ", at);
      if (start == std::string::npos) return;
      const std::size_t end = text.find("; ", start);
      const std::string pair = text.substr(start, end == std::string::npos ? end : end - start);
      const std::size_t equals = pair.find('=');
      fields[pair.substr(0, equals)] = pair.substr(equals + 1);
      at = end;
    }
  }

  // "a:2 b[32]:4 | code:2 flags:2"
  void read_fields(const std::string& text) {
    std::vector<Field>* side = &operands_;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      const std::string word = text.substr(at, end - at);
      at = end + 1;
      if (word == "|") {
        side = &results_;
        continue;
      }
      const std::size_t bracket = word.find('[');
      const std::size_t colon = word.rfind(':');
      Field field{word.substr(0, std::min(bracket, colon)), 1, std::stoi(word.substr(colon + 1))};
      if (bracket != std::string::npos) field.words = std::stoul(word.substr(bracket + 1));
      side->push_back(field);
    }
  }

  std::FILE* in_;
  std::FILE* out_;
  std::string line_;
  std::uint64_t count_ = ~std::uint64_t{0};
  std::vector<Field> operands_, results_;
  std::map<std::string, std::string> shared_;
  std::vector<std::map<std::string, std::string>> own_;  ///< by number of the configuration
};

}  // namespace mx::bench

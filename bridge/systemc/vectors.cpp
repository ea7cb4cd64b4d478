#include "mxgold_systemc/vectors.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include "mxgold_systemc/digest.hpp"

namespace mxgold {
namespace {

/// A field of the line `# fields`: "source[32]:8".
struct FieldPlace {
  std::string name;
  std::size_t words = 1;
  std::size_t digits = 0;
  bool is_result = false;
};

class Reader {
 public:
  Reader(std::istream& in, std::string name) : in_(in) { file_.name = std::move(name); }

  VectorFile read() {
    read_header();
    std::string line;
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (!next(line) || line.rfind('#', 0) == 0) {
        fail("vector " + std::to_string(i) + " of " + std::to_string(count_) +
             " is missing; make the file again with mxgold gen");
      }
      read_record(line);
    }
    read_trailer();
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw VectorError(file_.name + ": line " + std::to_string(line_) + ": " + what);
  }

  bool next(std::string& line) {
    ++line_;
    return static_cast<bool>(std::getline(in_, line));
  }

  void read_header() {
    std::string line;
    if (!next(line) || line != "# mxgold-vectors 2") {
      fail("expected \"# mxgold-vectors 2\", a file of mxgold gen");
    }
    bool is_block = false;
    while (count_ == 0) {
      if (!next(line) || line.rfind("# ", 0) != 0) fail("the header ends before \"# count N\"");
      const std::size_t space = line.find(' ', 2);
      const std::string key = line.substr(2, space - 2);
      const std::string value = space == std::string::npos ? "" : line.substr(space + 1);
      for (const char variant : {'b', 'c'}) {
        if (line.find(std::string("stochastic_") + variant) != std::string::npos) {
          file_.sr_variant = variant - 'a';
        }
      }
      if (key == "op") is_block = value == "block";
      if (key == "lanes") file_.lanes = static_cast<int>(number(value));
      if (key == "random_bits") file_.random_bits = static_cast<int>(number(value));
      if (key == "fields") read_fields(value);
      if (key == "count") count_ = number(value);
      if (key == "count" && count_ == 0) fail("no vectors: zero cases are a failure");
    }
    if (!is_block) fail("no blocks; mxgold gen --op block makes some");
    if (!has("tuser")) {
      fail(
          "the vectors have no configuration word, so no pins: the formats of the RTL have one "
          "(spec R5.6)");
    }
    if (file_.lanes < 1 || file_.lanes > kMaxBlock || find("code").digits != 2 ||
        find("scale").digits != 2 || find("source").digits > 8) {
      fail("blocks of " + std::to_string(file_.lanes) +
           " lanes, or wider codes than the pins have");
    }
  }

  void read_fields(const std::string& text) {
    std::istringstream words(text);
    std::string word;
    bool is_result = false;
    while (words >> word) {
      if (word == "|") {
        is_result = true;
        continue;
      }
      const std::size_t colon = word.find(':');
      const std::size_t bracket = word.find('[');
      if (colon == std::string::npos) fail("field " + word + ": no width");
      FieldPlace field;
      field.name = word.substr(0, std::min(colon, bracket));
      if (bracket < colon) field.words = number(word.substr(bracket + 1, colon - bracket - 2));
      field.digits = number(word.substr(colon + 1));
      if (field.digits == 0 || field.digits > 16 || field.words > 1024) fail("field " + word);
      field.is_result = is_result;
      fields_.push_back(field);
    }
  }

  [[nodiscard]] std::uint64_t number(const std::string& text) const {
    std::uint64_t value = 0;
    for (const char c : text) {
      if (c < '0' || c > '9' || value > 1000000000000) fail("\"" + text + "\" is no number");
      value = 10 * value + static_cast<std::uint64_t>(c - '0');
    }
    if (text.empty()) fail("a number is missing");
    return value;
  }

  [[nodiscard]] bool has(const std::string& name) const {
    return std::any_of(fields_.begin(), fields_.end(),
                       [&](const FieldPlace& each) { return each.name == name; });
  }
  [[nodiscard]] const FieldPlace& find(const std::string& name) const {
    for (const FieldPlace& each : fields_) {
      if (each.name == name) return each;
    }
    fail("no field " + name);
  }

  [[nodiscard]] std::uint64_t word(const std::string& line, std::size_t& at, std::size_t digits,
                                   const std::string& field) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < digits; ++i, ++at) {
      const char c = at < line.size() ? line[at] : ' ';
      const bool is_digit = c >= '0' && c <= '9';
      if (!is_digit && (c < 'a' || c > 'f')) {
        fail("column " + std::to_string(at + 1) + ", field " + field + ": no hexadecimal digit");
      }
      value = value << 4 | static_cast<std::uint64_t>(is_digit ? c - '0' : c - 'a' + 10);
    }
    for (std::size_t i = 0; i < digits / 2; ++i) {
      bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
    return value;
  }

  void read_record(const std::string& line) {
    BlockVector vector;
    const auto lanes = static_cast<std::size_t>(file_.lanes);
    vector.elements = static_cast<std::uint32_t>(lanes);
    vector.random.assign(lanes, 0);
    std::vector<std::uint64_t> open;
    std::size_t at = 0;
    bytes_.clear();
    std::size_t operand_bytes = 0;
    for (const FieldPlace& field : fields_) {
      for (std::size_t i = 0; i < field.words; ++i) {
        if (!(&field == &fields_.front() && i == 0) && (at >= line.size() || line[at++] != ' ')) {
          fail("column " + std::to_string(at) + ", field " + field.name + ": expected a blank");
        }
        const std::uint64_t value = word(line, at, field.digits, field.name);
        store(vector, field.name, i, value, open);
      }
      if (!field.is_result) operand_bytes = bytes_.size();
    }
    if (at != line.size()) fail("column " + std::to_string(at + 1) + ": more than the fields");
    if (vector.source.size() != lanes || vector.codes.size() != lanes || vector.elements == 0 ||
        vector.elements > lanes || vector.random.size() != lanes) {
      fail("the fields are not those of blocks of " + std::to_string(lanes));
    }
    if (!open.empty()) spread_open(open, vector);
    operands_.update(bytes_.data(), operand_bytes);
    records_.update(bytes_.data(), bytes_.size());
    file_.vectors.push_back(std::move(vector));
  }

  static void store(BlockVector& vector, const std::string& name, std::size_t i,
                    std::uint64_t value, std::vector<std::uint64_t>& open) {
    const auto narrow = static_cast<std::uint32_t>(value);
    if (name == "tuser") vector.tuser = narrow;
    if (name == "elements") vector.elements = narrow;
    if (name == "source") vector.source.push_back(narrow);
    if (name == "random" && i < vector.random.size()) vector.random[i] = narrow;
    if (name == "code") vector.codes.push_back(static_cast<std::uint8_t>(value));
    if (name == "scale") vector.user = static_cast<std::uint16_t>((vector.user & 0xFF00) | value);
    if (name == "flags") {
      vector.user = static_cast<std::uint16_t>((vector.user & 0x00FF) | value << 8);
    }
    if (name == "open") open.push_back(value);
  }

  // Bit 0 flags, bit 1 scale, bit 2 + i code i; eight bits a word.
  static void spread_open(const std::vector<std::uint64_t>& words, BlockVector& vector) {
    const auto bit = [&](std::size_t i) {
      const bool is_set = i / 8 < words.size() && (words[i / 8] >> (i % 8) & 1) != 0;
      return static_cast<std::uint8_t>(is_set ? 1 : 0);
    };
    for (std::size_t i = 0; i < vector.codes.size(); ++i) vector.open.push_back(bit(2 + i));
    vector.open.push_back(bit(1));
    vector.open.push_back(bit(0));
  }

  void read_trailer() {
    std::string line;
    if (!next(line) || line != "# end " + std::to_string(count_)) {
      fail("expected \"# end " + std::to_string(count_) + "\" after the last vector");
    }
    for (const auto& [key, digest] :
         {std::pair<const char*, Sha256*>{"# operands ", &operands_}, {"# records ", &records_}}) {
      if (!next(line) || line.rfind(key, 0) != 0) fail(std::string("expected \"") + key + "...\"");
      if (line.substr(std::string(key).size()) != to_hex(digest->finish())) {
        file_.damage += std::string(file_.damage.empty() ? "" : "; ") + file_.name + ": line " +
                        std::to_string(line_) + ": the digest" +
                        (key[2] == 'o' ? " of the operands" : "") +
                        " is not that of the records: one of them was changed";
      }
    }
    if (next(line)) fail("something follows the trailer");
  }

  std::istream& in_;
  VectorFile file_;
  std::vector<FieldPlace> fields_;
  std::vector<std::uint8_t> bytes_;
  Sha256 operands_;
  Sha256 records_;
  std::uint64_t count_ = 0;
  std::uint64_t line_ = 0;
};

struct ClosePipe {
  void operator()(std::FILE* pipe) const {
    if (pipe != nullptr) static_cast<void>(::pclose(pipe));
  }
};

std::string output_of(const std::string& command) {
  std::unique_ptr<std::FILE, ClosePipe> pipe(::popen(command.c_str(), "r"));
  if (pipe == nullptr) throw VectorError(command + ": cannot be started");
  std::string text;
  std::array<char, 65536> piece;
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), pipe.get())) {
    text.append(piece.data(), count);
  }
  const int status = ::pclose(pipe.release());
  if (status != 0) throw VectorError(command + ": ended with status " + std::to_string(status));
  return text;
}

}  // namespace

VectorFile read_vectors(std::istream& in, const std::string& name) {
  return Reader(in, name).read();
}

VectorFile read_vectors(const std::string& path) {
  if (path.rfind('|', 0) == 0) {
    std::istringstream text(output_of(path.substr(1)));
    return read_vectors(text, path);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw VectorError(path + ": cannot be read");
  return read_vectors(file, path);
}

Build VectorFile::build(int beat_lanes) const {
  Build build;
  build.lanes = beat_lanes;
  build.block_size = lanes;
  build.sr_bits = random_bits;
  build.sr_variant = sr_variant;
  return build;
}

}  // namespace mxgold

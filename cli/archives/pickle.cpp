// SPDX-License-Identifier: Apache-2.0
#include "cli/archives/pickle.hpp"

#include <algorithm>
#include <map>

#include "cli/base/error.hpp"
#include "cli/files/byte_order.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

constexpr std::size_t kMostPickleValues = 1U << 22;
constexpr std::size_t kMostPickleBytes = 1U << 26;

/// The machine of the opcodes: a stack, marks on it, and a memo of what is used again.
class PickleMachine {
 public:
  PickleMachine(std::string_view file, std::span<const std::byte> bytes,
                std::span<const std::string_view> globals)
      : file_(file), bytes_(bytes), globals_(globals) {}

  Pickle run() {
    if (bytes_.size() > kMostPickleBytes) {
      refuse("{} bytes, more than {}; save the state_dict alone", bytes_.size(), kMostPickleBytes);
    }
    while (step()) {
    }
    made_.root = pop();
    return std::move(made_);
  }

 private:
  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail(Exit::kBadInput, "{}: byte {}: pickle: {}", file_, opcode_at_,
         fmt::format(format, std::forward<Args>(args)...));
  }

  // ---- what stands in the bytes ----

  std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes_.size() - at_) refuse("ends within a value; it is truncated");
    at_ += size;
    return bytes_.subspan(at_ - size, size);
  }
  std::uint64_t number(std::size_t size) { return little_endian(take(size)); }
  std::string_view text(std::uint64_t size) { return text_of(take(size)); }
  std::string_view line() {
    const std::size_t end = text_of(bytes_).find('\n', at_);
    if (end == std::string_view::npos) refuse("ends within a name; it is truncated");
    const std::string_view found = text(end - at_);
    ++at_;
    return found;
  }

  // ---- the stack ----

  PickleValue& push(PickleKind kind) {
    if (made_.values.size() == kMostPickleValues) {
      refuse("more than {} values; save the state_dict alone", kMostPickleValues);
    }
    stack_.push_back(static_cast<PickleIndex>(made_.values.size()));
    PickleValue& value = made_.values.emplace_back();
    value.kind = kind;
    return value;
  }
  void push_number(std::int64_t value) { push(PickleKind::kNumber).number = value; }
  void push_text(std::string_view value) { push(PickleKind::kText).text = value; }
  /// A two's-complement number of some bytes.
  void push_long(std::uint64_t size) {
    const std::span<const std::byte> digits = take(size);
    if (size > 8) return static_cast<void>(push(PickleKind::kOther));
    std::uint64_t word = little_endian(digits);
    const bool is_negative = size != 0 && (digits.back() & std::byte{0x80}) != std::byte{};
    if (is_negative && size < 8) word |= ~std::uint64_t{0} << (8 * size);
    push_number(static_cast<std::int64_t>(word));
  }

  [[nodiscard]] std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  PickleIndex top() const {
    if (stack_.size() <= floor()) refuse("an opcode wants a value where there is none; damaged");
    return stack_.back();
  }
  PickleIndex pop() {
    const PickleIndex value = top();
    stack_.pop_back();
    return value;
  }
  /// What was pushed since the last mark.
  std::vector<PickleIndex> pop_mark() {
    if (marks_.empty()) refuse("an opcode wants a mark where there is none; damaged");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<PickleIndex> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  std::vector<PickleIndex> pop_count(std::size_t count) {
    std::vector<PickleIndex> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }
  void push_items(PickleKind kind, std::vector<PickleIndex> items) {
    if (kind == PickleKind::kDict && items.size() % 2 != 0)
      refuse("a key without a value; damaged");
    push(kind).items = std::move(items);
  }
  /// Adds to the container on top.
  void add(PickleKind kind, const std::vector<PickleIndex>& items) {
    PickleValue& container = made_.values[top()];
    if (container.kind != kind) refuse("adds to what is no {}; damaged", name_of(kind));
    if (kind == PickleKind::kDict && items.size() % 2 != 0)
      refuse("a key without a value; damaged");
    container.items.insert(container.items.end(), items.begin(), items.end());
  }
  static std::string_view name_of(PickleKind kind) {
    return kind == PickleKind::kDict ? "dictionary" : "list";
  }

  // ---- names and calls ----

  void push_global(std::string_view module, std::string_view name) {
    std::string full(module);
    full.append(".").append(name);
    const auto found = std::ranges::find_if(
        globals_, [&](std::string_view known) { return is_named(known, full); });
    if (found == globals_.end()) {
      refuse(
          "wants {}, which is neither a tensor nor a part of one, and nothing of a file is run "
          "here; save the state_dict, or tensors by name, alone",
          printable(full));
    }
    push(PickleKind::kGlobal).number = found - globals_.begin();
  }
  /// Is a name the known one, or inside the package of "package.*"?
  static bool is_named(std::string_view known, std::string_view full) {
    if (!known.ends_with(".*")) return known == full;
    return full.starts_with(known.substr(0, known.size() - 1));
  }
  void push_named_global() {
    const std::vector<PickleIndex> names = pop_count(2);
    const PickleValue& module = made_[names[0]];
    const PickleValue& name = made_[names[1]];
    if (module.kind != PickleKind::kText || name.kind != PickleKind::kText) {
      refuse("a name that is no text; damaged");
    }
    push_global(module.text, name.text);
  }
  void call(std::size_t arguments) {
    std::vector<PickleIndex> items = pop_count(1 + arguments);
    const PickleValue& function = made_[items.front()];
    if (function.kind != PickleKind::kGlobal) refuse("calls what is no function; damaged");
    const bool is_dict =
        globals_[static_cast<std::size_t>(function.number)] == "collections.OrderedDict";
    if (!is_dict) return push_items(PickleKind::kCall, std::move(items));
    push_items(PickleKind::kDict, {});
  }
  void remember(std::uint64_t place) {
    if (memo_.size() == kMostPickleValues)
      refuse("more than {} values in its memo", kMostPickleValues);
    memo_[place] = top();
  }
  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) refuse("wants value {} of its memo, which has none; damaged", place);
    stack_.push_back(found->second);
  }

  bool step();
  bool step_value(int opcode);
  bool step_stack(int opcode);
  bool step_call(int opcode);

  std::string_view file_;
  std::span<const std::byte> bytes_;
  std::span<const std::string_view> globals_;
  std::size_t at_ = 0;
  std::size_t opcode_at_ = 0;
  Pickle made_;
  std::vector<PickleIndex> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint64_t, PickleIndex> memo_;
};

/// Values that stand in the bytes. False for another opcode.
bool PickleMachine::step_value(int opcode) {
  switch (opcode) {
    case 'N':
      return push(PickleKind::kOther), true;
    case 0x88:
    case 0x89:
      return push_number(opcode == 0x88 ? 1 : 0), true;
    case 'J':
      return push_number(static_cast<std::int32_t>(number(4))), true;
    case 'K':
      return push_number(static_cast<std::int64_t>(number(1))), true;
    case 'M':
      return push_number(static_cast<std::int64_t>(number(2))), true;
    case 0x8A:
      return push_long(number(1)), true;
    case 0x8B:
      return push_long(number(4)), true;
    case 'G':
      return take(8), push(PickleKind::kOther), true;
    case 'X':
      return push_text(text(number(4))), true;
    case 0x8C:
      return push_text(text(number(1))), true;
    case 0x8D:
      return push_text(text(number(8))), true;
    case 'U':
    case 'C':
      return take(number(1)), push(PickleKind::kOther), true;
    case 'T':
    case 'B':
      return take(number(4)), push(PickleKind::kOther), true;
    case 0x8E:
    case 0x96:
      return take(number(8)), push(PickleKind::kOther), true;
    default:
      return false;
  }
}

/// Containers, the stack and the memo.
bool PickleMachine::step_stack(int opcode) {
  switch (opcode) {
    case '(':
      return marks_.push_back(stack_.size()), true;
    case '0':
      return static_cast<void>(pop()), true;
    case '1':
      return static_cast<void>(pop_mark()), true;
    case '2':
      return stack_.push_back(top()), true;
    case '}':
      return push_items(PickleKind::kDict, {}), true;
    case ']':
    case ')':
    case 0x8F:
      return push_items(PickleKind::kList, {}), true;
    case 't':
    case 'l':
    case 0x91:
      return push_items(PickleKind::kList, pop_mark()), true;
    case 0x85:
    case 0x86:
    case 0x87:
      return push_items(PickleKind::kList, pop_count(static_cast<std::size_t>(opcode - 0x84))),
             true;
    case 'd':
      return push_items(PickleKind::kDict, pop_mark()), true;
    case 'a':
      return add(PickleKind::kList, pop_count(1)), true;
    case 'e':
    case 0x90:
      return add(PickleKind::kList, pop_mark()), true;
    case 's':
      return add(PickleKind::kDict, pop_count(2)), true;
    case 'u':
      return add(PickleKind::kDict, pop_mark()), true;
    case 'q':
      return remember(number(1)), true;
    case 'r':
      return remember(number(4)), true;
    case 0x94:
      return remember(memo_.size()), true;
    case 'h':
      return recall(number(1)), true;
    case 'j':
      return recall(number(4)), true;
    default:
      return false;
  }
}

/// Names, calls and what lies elsewhere.
bool PickleMachine::step_call(int opcode) {
  switch (opcode) {
    case 'c': {
      const std::string_view module = line();
      return push_global(module, line()), true;
    }
    case 0x93:
      return push_named_global(), true;
    case 'R':
    case 0x81:
      return call(1), true;
    case 'b':  // attributes of an object, which no tensor needs
      return static_cast<void>(pop()), static_cast<void>(top()), true;
    case 'Q':
      return push_items(PickleKind::kPersistent, pop_count(1)), true;
    default:
      return false;
  }
}

/// One opcode. False at the end.
bool PickleMachine::step() {
  opcode_at_ = at_;
  const int opcode = std::to_integer<int>(take(1).front());
  if (opcode == '.') return false;
  if (opcode == 0x80) {
    const std::uint64_t protocol = number(1);
    if (protocol < 2 || protocol > 5) refuse("protocol {}; 2 to 5 are read", protocol);
  } else if (opcode == 0x95) {
    take(8);  // the length of a frame: for those who read ahead
  } else if (!step_value(opcode) && !step_stack(opcode) && !step_call(opcode)) {
    refuse("opcode {:02X} is none of those that tensors need; save with pickle_protocol=2", opcode);
  }
  return true;
}

}  // namespace

Pickle read_pickle(std::string_view file, std::span<const std::byte> bytes,
                   std::span<const std::string_view> globals) {
  return PickleMachine(file, bytes, globals).run();
}

}  // namespace mx::cli

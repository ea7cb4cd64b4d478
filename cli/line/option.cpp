#include "cli/line/option.hpp"

#include <CLI/CLI.hpp>

namespace mx::cli {

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::needs(const Option& other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::take_all() const {
  option_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}

Option Option::expected(int values) const {
  option_->expected(values);
  return *this;
}

Option Option::expected(int least, int most) const {
  option_->expected(least, most);
  return *this;
}

Option Option::allow_extra_args(bool are_allowed) const {
  option_->allow_extra_args(are_allowed);
  return *this;
}

Option Option::delimiter(char between) const {
  option_->delimiter(between);
  return *this;
}

Option Option::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::group(const std::string& name) const {
  option_->group(name);
  return *this;
}

Option Option::default_str(const std::string& text) const {
  option_->default_str(text);
  return *this;
}

Option Option::capture_default_str() const {
  option_->capture_default_str();
  return *this;
}

Option Option::check(const std::function<std::string(const std::string&)>& refusal) const {
  option_->check(refusal);
  return *this;
}

Option Option::transform(const std::function<std::string(std::string)>& change) const {
  option_->transform(change);
  return *this;
}

Option Option::range(int least, int most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::range(std::int64_t least, std::int64_t most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::range(std::uint64_t least, std::uint64_t most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::range(double least, double most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::is_member(const std::vector<std::string>& values) const {
  option_->check(CLI::IsMember(values));
  return *this;
}

std::size_t Option::count() const { return option_->count(); }
const std::vector<std::string>& Option::results() const { return option_->results(); }

std::vector<std::string> Option::values() const {
  const std::vector<std::string>& all = option_->results();
  if (all.empty()) return {};
  if (option_->get_delimiter() != '\0') {
    std::string list;
    for (const std::string& each : all) {
      if (!list.empty()) list += option_->get_delimiter();
      list += each;
    }
    return {list};
  }
  const bool is_last = option_->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeLast;
  return is_last && option_->get_items_expected_max() == 1 ? std::vector{all.back()} : all;
}

std::string Option::get_name() const { return option_->get_name(); }
std::string Option::get_positional_name() const { return option_->get_name(true); }
std::string Option::get_all_names() const { return option_->get_name(false, true); }
const std::vector<std::string>& Option::get_snames() const { return option_->get_snames(); }
const std::vector<std::string>& Option::get_lnames() const { return option_->get_lnames(); }
std::string Option::get_type_name() const { return option_->get_type_name(); }
const std::string& Option::get_group() const { return option_->get_group(); }
const std::string& Option::get_description() const { return option_->get_description(); }
std::string Option::get_default_str() const { return option_->get_default_str(); }
bool Option::takes_list() const { return option_->get_items_expected_max() > 1; }
void Option::give(const std::string& value) const { option_->add_result(value); }
bool Option::is_required() const { return option_->get_required(); }
bool Option::is_flag() const { return option_->get_items_expected_max() == 0; }

}  // namespace mx::cli

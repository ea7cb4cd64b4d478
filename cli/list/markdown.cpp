#include "cli/list/markdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/list/formats.hpp"
#include "cli/options/policies.hpp"
#include "reference/catalog/block_fields.hpp"
#include "reference/policy/fields.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kMarkdownHead = R"(# Formats, scales, blocks and policies

`mxgold list --markdown` writes this page from the tables that the program computes with. `./dev generate` renews it, and a test
compares. In the site each format and each policy has a page; this one shows a change of any in a diff.
docs/spec/formats.md defines fields and tokens (spec F3 to F6 and F15).

Codes are hexadecimal. "-" means the format has none. The column 1.0 is the code of one.

)";

constexpr std::string_view kDefinitions = R"(
A user's format is a set of these fields, in a JSON file (`--format-file`) or on the command line (`--define`). Only what differs from the
defaults has to be said: a float needs two of bits, exp_bits and man_bits; a fixed format bits and frac_bits. A file holds one object, an
array of them, or `{"formats": [...], "blocks": [...]}`; an object with `element` is a block format. Every definition is checked whole:
special codes that overlap, zeros without room, a largest code that is not the largest, names that are taken, and every code's round trip.

```
mxgold explain --define 'name=tiny, exp_bits=3, man_bits=2, nan=outer_one_per_sign' --format tiny 0.3
mxgold quantize x.npy -o x.safetensors --format-file my.json --format my_block
```

```json
{"formats": [{"name": "my_e3m2", "exp_bits": 3, "man_bits": 2, "bias": 4, "nan": "neg_zero_slot"}],
 "blocks": [{"name": "my_block", "element": "my_e3m2", "scale": "e8m0", "block_size": 16, "rule": "rceil"}]}
```

A format needs no other name than its fields: they stand wherever a name does, in `--format` (but for lists, which are split at commas), in lines of models, in
`mxgold.h` and in Python. In a block format they stand in parentheses. Where the facts are those of a known format its name is meant.

```
mxgold explain --format 'exp_bits=3,man_bits=2,bias=4,has_subnormal=false' 0.3
mxgold explain --format 'element=(exp_bits=3,man_bits=2,bias=4),block_size=16,rule=rceil' 0.3 7
```

)";

golden::ListTable fields_table(std::span<const FormatField> fields) {
  golden::ListTable table{"", {"field", "values", "meaning (default)"}, {}};
  for (const FormatField& field : fields) {
    table.rows.push_back(
        {fmt::format("`{}`", field.name), std::string(field.values), std::string(field.summary)});
  }
  return table;
}

golden::ListTable all_policies() {
  golden::ListTable table{"", {"policy", "of", "values", "default", "what it decides"}, {}};
  for (const PolicyField& field : policy_fields()) {
    const auto values = field.values();
    table.rows.push_back({fmt::format("`{}`", field.name),
                          field.scope == FieldScope::kElement ? "elements" : "blocks",
                          values.empty() ? "1..32" : fmt::format("{}", fmt::join(values, ", ")),
                          default_of(field.read).text(), std::string(field.summary)});
  }
  return table;
}

std::string section(std::string_view title, const golden::ListTable& table) {
  return fmt::format("## {}\n\n{}\n", title, markdown_of(table));
}

}  // namespace

std::string formats_page() {
  FormatBook book;
  std::string page(kMarkdownHead);
  page += section("Element formats", formats_table(book));
  page += section("Families", families_table(book));
  page += section("Scale formats", scales_table(book));
  page += section("Block formats", blocks_table(book));
  page += section("Policies", all_policies());
  page += "## Your own formats\n" + std::string(kDefinitions);
  page += "Fields of a format:\n\n" + markdown_of(fields_table(format_fields()));
  page += "\nFields of a block format:\n\n" + markdown_of(fields_table(block_fields()));
  return page;
}

}  // namespace mx::cli

#include "output/export/npz_export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "output/durable/pending_file.hpp"
#include "output/export/zip_file.hpp"
#include "text/encodings.hpp"

namespace kalaba {
namespace {

constexpr std::size_t box_numbers = std::size_t{1} << 20;

static_assert(std::endian::native == std::endian::little);  // as npy_head states

/// Header of a .npy entry, format version 1.0.
std::string npy_head(const std::string& type, const std::vector<std::size_t>& shape) {
  std::string sizes;
  for (const std::size_t size : shape) sizes += fmt::format("{}, ", size);
  if (shape.size() > 1) sizes.resize(sizes.size() - 2);
  if (shape.size() == 1) sizes.resize(sizes.size() - 1);
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
  constexpr std::size_t preamble = 10;
  text.append(63 - (preamble + text.size()) % 64, ' ').push_back('\n');
  std::string head = "\x93NUMPY";
  head += {'\1', '\0', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return head + text;
}

template <class Number>
void write_as(ZipFile& zip, const std::vector<double>& values) {
  std::vector<Number> numbers(values.begin(), values.end());
  zip.write({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)});
}

/// Calls piece(start, count) for consecutive boxes of at most `box_numbers` numbers, in memory order.
template <class Piece>
void for_pieces(const std::vector<std::size_t>& shape, const Piece& piece) {
  std::vector<std::size_t> count(shape.size(), 1);
  std::size_t room = box_numbers;
  std::size_t split = shape.size();  // dimensions from here on are complete in each box
  while (split > 0 && shape[split - 1] <= room) {
    --split;
    count[split] = shape[split];
    room /= std::max<std::size_t>(shape[split], 1);
  }
  std::vector<std::size_t> start(shape.size(), 0);
  const std::size_t step = room;  // along the dimension before these
  for (;;) {
    if (split > 0) count[split - 1] = std::min(step, shape[split - 1] - start[split - 1]);
    piece(start, count);
    std::size_t at = split;
    while (at > 0) {
      start[at - 1] += at == split ? step : 1;
      if (start[at - 1] < shape[at - 1]) break;
      start[--at] = 0;
    }
    if (at == 0) return;
  }
}

void add_numbers(ZipFile& zip, const Archive& archive, const FileVariable& variable) {
  const bool real = variable.type == FileVariable::Type::real;
  const bool small = variable.type == FileVariable::Type::integer;
  const std::string head = npy_head(real ? "<f8" : small ? "<i4" : "<i8", variable.shape);
  zip.begin(variable.name + ".npy", head.size() + variable.size() * (small ? 4 : 8));
  zip.write(head);
  for_pieces(variable.shape, [&](const std::vector<std::size_t>& start, const std::vector<std::size_t>& count) {
    const std::vector<double> values = archive.numbers(variable.name, start, count);
    if (real) write_as<double>(zip, values);
    if (small) write_as<std::int32_t>(zip, values);
    if (!real && !small) write_as<std::int64_t>(zip, values);
  });
  zip.end();
}

void add_texts(ZipFile& zip, const Archive& archive, const FileVariable& variable) {
  std::vector<std::u32string> texts;
  std::size_t longest = 1;
  for (const std::string& text : archive.texts(variable.name)) {
    texts.push_back(code_points(text));
    longest = std::max(longest, texts.back().size());
  }
  std::string bytes = npy_head(fmt::format("<U{}", longest), variable.shape);
  for (std::u32string& text : texts) {
    text.resize(longest, U'\0');
    bytes.append(reinterpret_cast<const char*>(text.data()), longest * sizeof(char32_t));
  }
  zip.begin(variable.name + ".npy", bytes.size());
  zip.write(bytes);
  zip.end();
}

std::string about(const Inventory& file) {
  std::vector<std::string> attributes;
  for (const auto& [name, text] : file.attributes) {
    attributes.push_back(fmt::format("    {}: {}", json_string(name), json_string(text)));
  }
  std::vector<std::string> variables;
  for (const FileVariable& variable : file.variables) {
    std::vector<std::string> dimensions;
    for (const std::string& each : variable.dimensions) dimensions.push_back(json_string(each));
    variables.push_back(fmt::format("    {}: {{\"dimensions\": [{}], \"unit\": {}, \"meaning\": {}}}",
                                    json_string(variable.name), fmt::join(dimensions, ", "), json_string(variable.unit),
                                    json_string(variable.meaning)));
  }
  return fmt::format("{{\n  \"attributes\": {{\n{}\n  }},\n  \"variables\": {{\n{}\n  }}\n}}\n",
                     fmt::join(attributes, ",\n"), fmt::join(variables, ",\n"));
}

}  // namespace

void export_npz(const Archive& archive, const std::string& path) {
  PendingFile file(path);
  ZipFile zip(file);
  for (const FileVariable& variable : archive.inventory().variables) {
    if (variable.type == FileVariable::Type::text) {
      add_texts(zip, archive, variable);
    } else {
      add_numbers(zip, archive, variable);
    }
  }
  const std::string json = about(archive.inventory());
  zip.begin("about.json", json.size());
  zip.write(json);
  zip.end();
  zip.finish();
  file.publish();
}

}  // namespace kalaba

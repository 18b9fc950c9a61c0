#include "backend/embedded/embedded_headers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "backend/cuda/compiler.hpp"
#include "backend/cuda/kernel_source.hpp"

namespace kalaba::cuda {
namespace {

namespace fs = std::filesystem;

using Texts = std::map<std::string, std::string>;

void add_file(Texts& texts, const std::string& root, const std::string& name) {
  std::ifstream stream(fs::path(root) / name, std::ios::binary);
  texts[name] = {std::istreambuf_iterator<char>(stream), {}};
}

/// Adds the headers of a source folder, by their include names.
void add_folder(Texts& texts, const std::string& root, const std::string& folder) {
  for (const auto& entry : fs::directory_iterator(fs::path(root) / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".hpp" && (extension != ".cuh" || folder != "kernels")) continue;
    if (entry.path().stem().string().starts_with("statistics") && folder == "kernels")
      continue;  // for nvcc: they read Thrust
    const std::string name = entry.path().filename().string();
    if (folder == "kalaba/swarm" && !name.ends_with("_law.hpp") && name != "pair_sum.hpp") continue;  // for the CPU
    add_file(texts, root, folder + "/" + name);
  }
}

Texts texts_of_the_sources() {
  Texts texts;
  for (const auto& room : fs::directory_iterator(KALABA_SOURCE_DIR "/include/kalaba/core")) {
    add_folder(texts, KALABA_SOURCE_DIR "/include", "kalaba/core/" + room.path().filename().string());
  }
  add_folder(texts, KALABA_SOURCE_DIR "/include", "kalaba/swarm");
  add_folder(texts, KALABA_SOURCE_DIR, "kernels");
  add_file(texts, KALABA_SOURCE_DIR "/include", "kalaba/backend/member_functions.hpp");
  add_file(texts, KALABA_SOURCE_DIR "/include", "kalaba/backend/newton.hpp");
  add_file(texts, KALABA_SOURCE_DIR "/include", "kalaba/backend/pack_work.hpp");
  add_file(texts, KALABA_SOURCE_DIR "/include", "kalaba/backend/packs.hpp");
  add_file(texts, KALABA_SOURCE_DIR "/src/backend/compiled", "counted.hpp");
  add_file(texts, KALABA_SOURCE_DIR "/src/backend/compiled", "registers.hpp");
  return texts;
}

TEST(EmbeddedHeaders, AreTheSourcesToTheByte) {
  const Texts expected = texts_of_the_sources();
  ASSERT_GT(expected.size(), 30U);
  Texts embedded;
  for (const EmbeddedHeader& header : embedded_headers()) {
    EXPECT_TRUE(embedded.emplace(header.name, header.text).second) << header.name << " is there twice";
  }
  for (const auto& [name, text] : expected) {
    ASSERT_TRUE(embedded.contains(name)) << name;
    EXPECT_EQ(embedded[name], text) << name;
  }
  EXPECT_EQ(embedded.size(), expected.size()) << "something is embedded that is no header";
}

TEST(EmbeddedHeaders, ComeInOneOrder) {
  const auto headers = embedded_headers();
  EXPECT_TRUE(std::is_sorted(headers.begin(), headers.end(), [](const EmbeddedHeader& a, const EmbeddedHeader& b) {
    return std::string_view(a.name) < b.name;
  }));
}

TEST(EmbeddedHeaders, HaveAFingerprint) {
  Fingerprint by_hand;
  for (const EmbeddedHeader& header : embedded_headers()) {
    by_hand.add(header.name);
    by_hand.add(header.text);
  }
  EXPECT_EQ(embedded_headers_fingerprint(), by_hand.hex());
  EXPECT_EQ(embedded_headers_fingerprint().size(), 32U);
}

TEST(EmbeddedHeaders, AreAllThatTheCompilerNeeds) {
  std::string text;
  for (const EmbeddedHeader& header : embedded_headers()) {
    const std::string_view name = header.name;
    if (name == "registers.hpp" || name == "counted.hpp" || name == "kalaba/backend/pack_work.hpp" ||
        name == "kalaba/backend/member_functions.hpp")
      continue;  // for a CPU
    text += "#include \"" + std::string(header.name) + "\"\n";
  }
  text += "extern \"C\" __global__ void nothing() {}\n";
  const auto cubin = compile({"every_header.cu", text, compiler_options("sm_90")});
  EXPECT_GT(cubin.size(), 0U);
}

TEST(AFingerprint, TellsTextsApart) {
  const auto of = [](std::initializer_list<std::string_view> texts) {
    Fingerprint all;
    for (std::string_view text : texts) all.add(text);
    return all.hex();
  };
  EXPECT_EQ(of({"ab", "c"}), of({"ab", "c"}));
  EXPECT_NE(of({"ab", "c"}), of({"a", "bc"}));
  EXPECT_NE(of({"ab"}), of({"ab", ""}));
  EXPECT_NE(of({"ab"}), of({"ba"}));
  for (int bit = 0; bit < 8; ++bit) {  // both lanes see every bit
    const std::string other(1, static_cast<char>('a' ^ (1 << bit)));
    EXPECT_NE(of({"a"}).substr(0, 16), of({other}).substr(0, 16)) << bit;
    EXPECT_NE(of({"a"}).substr(16), of({other}).substr(16)) << bit;
  }
}

}  // namespace
}  // namespace kalaba::cuda

#include <random>

#include "formula/graph/fault.hpp"
#include "formula/text/syntax.hpp"
#include "models/golden.hpp"

namespace kalaba {
namespace {

/// Valid models, damaged at random.
class Accidents {
 public:
  explicit Accidents(unsigned seed) : random_(seed) {}

  std::string damaged(std::string text) {
    const int times = 1 + static_cast<int>(below(2));
    for (int i = 0; i < times && !text.empty(); ++i) damage(text);
    return text;
  }

  std::string soup() {
    static const std::vector<std::string> pieces = {
        "x",      "y[i]",   "sin(",   "clamp(", ")", "(",  "+",        "-",  "*",      "/",    "^",
        ",",      "1",      "2.5e3",  " ",      "=", "<",  "and",      "or", "not ",   "sum(", "i in",
        "links:", "ideal.", "6[1/s]", "[",      "]", "pi", "\xc3\xa9", "\n", "where(", "max(", "t"};
    std::string text;
    for (std::size_t i = 0, n = below(40); i < n; ++i) text += pieces[below(pieces.size())];
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  void damage(std::string& text) {
    const std::size_t at = below(text.size());
    const std::size_t length = std::min<std::size_t>(1 + below(20), text.size() - at);
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      case 3:
        text.insert(at, soup());
        break;
      case 4:
        text.insert(at, std::string(below(300), "([-^\"{"[below(6)]));
        break;
      default:
        text.insert(at, std::to_string(below(1000000)));
        break;
    }
  }

  std::mt19937 random_;
};

TEST(ReaderFuzz, DamagedModelsAreReadOrRefusedInFewWords) {
  const std::vector<std::string> names = {"appell_particle",         "bead",       "chain",
                                          "chaplygin_sleigh_energy", "rough_ring", "spherical_pendulum"};
  Accidents accidents(17);
  int accepted = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string name = names[static_cast<std::size_t>(i) % names.size()];
    const std::string text = accidents.damaged(read_all(model_folder() / (name + ".toml")));
    const std::string message = message_of(text, name + ".toml");
    EXPECT_LT(message.size(), 3000U) << text;
    if (!message.starts_with("kalaba: " + name + ".toml")) ++accepted;
  }
  EXPECT_GT(accepted, 100);
}

TEST(ReaderFuzz, SoupsOfTokensAreParsedOrRefused) {
  Accidents accidents(18);
  int parsed = 0;
  for (int i = 0; i < 100000; ++i) {
    const std::string text = accidents.soup();
    try {
      const formula::Syntax syntax = i % 2 == 0 ? formula::parse(text) : formula::parse_equation(text);
      for (const formula::Phrase& phrase : syntax.phrases) {
        ASSERT_LE(phrase.span.begin, phrase.span.end);
        ASSERT_LE(phrase.span.end, text.size());
      }
      ++parsed;
    } catch (const formula::Fault& fault) {
      ASSERT_LT(std::string(fault.what()).size() + formula::excerpt(text, fault.spans).size(), 1500U);
    }
  }
  EXPECT_GT(parsed, 100);
}

}  // namespace
}  // namespace kalaba

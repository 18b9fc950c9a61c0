#include <cstdlib>
#include <vector>

#include "models/golden.hpp"

namespace kalaba {
namespace {

/// Every tests/models/bad/NAME.toml has a NAME.txt with the output of `kalaba run NAME.toml`. A first line "# -s
/// KEY=VALUE" is an override. If KALABA_WRITE_GOLDEN is set in the environment, the messages are written instead of
/// compared, to be reviewed and committed.
std::vector<std::string> overrides_of(const std::string& text) {
  constexpr std::string_view mark = "# -s ";
  if (!text.starts_with(mark)) return {};
  return {text.substr(mark.size(), text.find('\n') - mark.size())};
}

TEST(BadModels, SayWhatIsWrong) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(bad_folder())) {
    if (file.path().extension() != ".toml") continue;
    const std::string text = read_all(file.path());
    const std::string message = message_of(text, file.path().filename().string(), overrides_of(text));
    const std::filesystem::path golden = std::filesystem::path(file.path()).replace_extension(".txt");
    if (std::getenv("KALABA_WRITE_GOLDEN") != nullptr) std::ofstream(golden, std::ios::binary) << message;
    EXPECT_EQ(message, read_all(golden)) << file.path();
    EXPECT_FALSE(message.empty()) << file.path() << " was accepted without a word";
    EXPECT_LT(message.size(), 2000U) << file.path();
    ++count;
  }
  EXPECT_GE(count, 60);
}

}  // namespace
}  // namespace kalaba

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "output/export/zip_file.hpp"
#include "output_data/fake_run.hpp"
#include "text/encodings.hpp"

namespace kalaba {
namespace {

TEST(Encodings, DecodeUtf8AndMarkWhatIsNone) {
  EXPECT_EQ(code_points("aµ€😀"), U"aµ€😀");
  EXPECT_EQ(code_points("\xff\xc3"), U"\uFFFD\uFFFD");
  EXPECT_EQ(code_points("\xc0\x80"), U"\uFFFD\uFFFD") << "an overlong zero";
  EXPECT_EQ(code_points("\xed\xa0\x80").front(), U'\uFFFD') << "half of a surrogate pair";
}

TEST(Encodings, JsonIsAscii) {
  EXPECT_EQ(json_string("a\"\\\n"), "\"a\\\"\\\\\\u000a\"");
  EXPECT_EQ(json_string("µ😀"), "\"\\u00b5\\ud83d\\ude00\"");
}

TEST(Encodings, CsvQuotesOnlyWhatItMust) {
  EXPECT_EQ(csv_cell("p_x"), "p_x");
  EXPECT_EQ(csv_cell("max |A w' - b|"), "max |A w' - b|");
  EXPECT_EQ(csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
}

void write_zip(const std::string& path, std::uint64_t large) {
  PendingFile file(path);
  ZipFile zip(file, large);
  for (const std::string name : {"first.txt", "größe"}) {
    zip.begin(name, 9);
    zip.write("1234");
    zip.write("56789");
    zip.end();
  }
  zip.finish();
  file.publish();
}

TEST(Zip, IsAsThePkwareNoteSays) {
  const TemporaryFolder folder;
  write_zip(folder / "a.zip", 0xFFFFFFFF);
  std::ifstream stream(folder / "a.zip", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  // Head and name, 9 stored bytes; CRC-32 of "123456789" is the check value cbf43926 of every table of checksums.
  EXPECT_EQ(bytes.substr(0, 4), std::string("PK\x03\x04"));
  EXPECT_EQ(bytes.substr(14, 4), std::string("\x26\x39\xf4\xcb"));
  EXPECT_EQ(bytes.substr(30, 18), "first.txt123456789");
  const std::size_t end = bytes.size() - 22;
  EXPECT_EQ(bytes.substr(end, 4), std::string("PK\x05\x06"));
  EXPECT_EQ(bytes[end + 10], 2);
  EXPECT_EQ(bytes.find("PK\x06\x06"), std::string::npos) << "64-bit fields in a small archive";
}

TEST(Zip, OthersReadSmallAndLargeOnes) {
  if (std::system("python3 -c 'import zipfile' 2> /dev/null") != 0) GTEST_SKIP() << "python3 is not installed";
  const TemporaryFolder folder;
  for (const std::uint64_t large : {std::uint64_t{0xFFFFFFFF}, std::uint64_t{0}, std::uint64_t{10}}) {
    write_zip(folder / "a.zip", large);  // from 0 or 10 bytes on, sizes and places in 64 bits
    const std::string script =
        "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; "
        "assert [(e.filename, z.read(e)) for e in z.infolist()] == "
        "[(n, b\"123456789\") for n in (\"first.txt\", \"gr\\u00f6\\u00dfe\")]";
    EXPECT_EQ(std::system(("python3 -c '" + script + "' " + (folder / "a.zip")).c_str()), 0) << large;
  }
}

}  // namespace
}  // namespace kalaba

// Files damaged on the disk: for any change, no reader returns numbers other than those written.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>

#include "kalaba/statistics.hpp"
#include "output/base/reader.hpp"
#include "output/csv/csv_import.hpp"
#include "output/netcdf/array_dataset.hpp"
#include "output/netcdf/finished.hpp"
#include "output/run_files.hpp"
#include "output_data/fake_run.hpp"
#include "output_data/fake_tables.hpp"
#include "statistics/all_kinds.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

using Bytes = std::string;

void write_bytes(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Random damage: a bit, a byte, a sector, a truncated end, a moved part.
Bytes damaged(Bytes bytes, std::mt19937& random) {
  const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random); };
  const std::size_t at = below(bytes.size());
  switch (below(8)) {
    case 0:
      bytes[at] = static_cast<char>(below(256));
      break;
    case 1:
      for (std::size_t i = at; i < std::min(at + 512, bytes.size()); ++i) bytes[i] = 0;
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      std::swap_ranges(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(64, at)),
                       bytes.begin() + static_cast<std::ptrdiff_t>(at - std::min<std::size_t>(64, at)));
      break;
    default:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
  }
  return bytes;
}

enum class Outcome { same, refused, other_numbers, crashed };

void PrintTo(Outcome outcome, std::ostream* stream) {
  constexpr const char* names[] = {"same", "refused", "other numbers", "crashed"};
  *stream << names[static_cast<int>(outcome)];
}

/// Reads in a separate process, because libhdf5 1.10 may crash or loop on damaged structures; `read` returns true if it
/// found the numbers that were written.
Outcome read_apart(const std::function<bool()>& read) {
  constexpr unsigned most_seconds = 20;
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(most_seconds);
    int code = 1;
    try {
      code = read() ? 0 : 2;
    } catch (const Error& error) {
      code = error.code() == ExitCode::internal_error ? 2 : 1;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      code = 2;
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return Outcome::crashed;
  return WEXITSTATUS(status) == 0   ? Outcome::same
         : WEXITSTATUS(status) == 1 ? Outcome::refused
                                    : Outcome::other_numbers;
}

/// Complete content of a netCDF file.
std::string content_of(const std::string& path) {
  const NetcdfFile file = NetcdfFile::open(path);
  require_finished(file, path);
  const ArrayDataset dataset = read_dataset(file);
  std::string content;
  const auto add = [&](const std::vector<ArrayDataset::Attribute>& attributes, int variable) {
    for (const auto& each : attributes) content += each.name + "=" + file.attribute(variable, each.name) + "\n";
  };
  add(dataset.attributes(), NC_GLOBAL);
  for (const ArrayDataset::Array& array : dataset.arrays()) {
    content += array.name + "\n";
    add(array.attributes, file.variable(array.name));
    for (const std::string& text : array.texts) content += text + "\n";
    const std::size_t width = array.type == NC_UBYTE ? 1 : array.type == NC_INT ? 4 : 8;
    if (array.numbers) content.append(static_cast<const char*>(array.numbers.get()), array.size() * width);
  }
  return content;
}

std::string content_of_table(const std::string& path) {
  const auto reader = open_reader(path);
  const Contents& contents = reader->contents();
  Selection all;
  for (std::size_t i = 0; i < contents.columns.size(); ++i) all.columns.push_back(i);
  for (std::size_t i = 0; i < contents.times.size(); ++i) all.times.push_back(static_cast<long>(i));
  for (long i = 0; i < contents.members; ++i) all.members.push_back(i);
  std::string content;
  for (const Column& column : contents.columns) content += column.name + "\n";
  const auto add = [&](const std::vector<double>& numbers) {
    content.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  };
  add(contents.times);
  for (const std::vector<double>& column : reader->read(all)) add(column);
  return content;
}

class ADamagedFile : public testing::Test {
 protected:
  FakeRun fake() const {
    FakeRun run;
    run.members = 40;
    run.block_members = 8;
    return run;
  }

  /// Damages a file repeatedly; calls `read` for each damaged version.
  void damage(const std::string& path, const std::function<bool()>& read, const std::function<void()>& restore,
              int tries) {
    const Bytes whole = bytes_of(path);
    ASSERT_FALSE(whole.empty());
    std::mt19937 random(20240607);
    int refused = 0;
    for (int i = 0; i < tries; ++i) {
      restore();
      write_bytes(path, damaged(whole, random));
      const Outcome outcome = read_apart(read);
      EXPECT_NE(outcome, Outcome::other_numbers) << "try " << i;
      EXPECT_NE(outcome, Outcome::crashed) << "try " << i;
      refused += outcome == Outcome::refused ? 1 : 0;
    }
    RecordProperty("refused", refused);
    EXPECT_GT(refused, tries / 10);  // else nothing was tried
    write_bytes(path, whole);
  }
  void damage(const std::string& path, const std::function<bool()>& read) {
    damage(
        path, read, [] {}, 150);
  }

  std::unique_ptr<RunFiles> files(const std::string& path, std::optional<Checkpoint> checkpoint = {}) const {
    return std::make_unique<RunFiles>(std::make_unique<RunLock>(path), path, Provenance{"system = 1\n", 7, "1", "c"},
                                      fake().info().options, std::move(checkpoint));
  }

  /// Interrupts a run after some blocks, damages `victim`, and resumes the run.
  void damage_unfinished(const std::string& ending, const std::string& victim,
                         std::string (*content)(const std::string&)) {
    const std::string whole = folder_ / ("whole" + ending);
    {
      const auto sink = files(whole);
      sink->begin(fake().info());
      sink->finish(fake().feed_blocks(*sink, {}, 100));
    }
    const std::string path = folder_ / ("broken" + ending);
    {
      const auto sink = files(path);
      sink->begin(fake().info());
      fake().feed_blocks(*sink, {}, 3);
    }
    const std::string kept = folder_ / "kept";
    fs::create_directory(kept);
    for (const auto& entry : fs::directory_iterator(folder_ / "")) {
      if (entry.path().filename().string().starts_with("broken")) {
        fs::copy(entry.path(), fs::path(kept) / entry.path().filename(), fs::copy_options::overwrite_existing);
      }
    }
    const auto restore = [&] {
      for (const auto& entry : fs::directory_iterator(folder_ / "")) {
        if (entry.path().filename().string().starts_with("broken")) fs::remove(entry.path());
      }
      fs::copy(kept, folder_ / "", fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    };
    const std::string expected = without_date(content(whole));
    damage(
        folder_ / victim,
        [&] {
          const std::optional<Checkpoint> checkpoint = read_checkpoint(path);
          if (!checkpoint) return false;
          const Summary before = checkpoint->summary;
          const auto sink = files(path, checkpoint);
          sink->begin(fake().info());
          sink->finish(fake().feed_blocks(*sink, before, 100));
          return without_date(content(path)) == expected;
        },
        restore, 60);
  }

  static std::string without_date(std::string content) {
    const std::size_t at = content.find("created=");
    return at == std::string::npos ? content : content.erase(at, content.find('\n', at) - at);
  }

  TemporaryFolder folder_;
};

TEST_F(ADamagedFile, OfNetcdfIsRefused) {
  const std::string path = folder_ / "run.nc";
  FakeRun run = fake();
  ask_for_everything(run);
  run.write(path);
  const std::string expected = content_of(path);
  damage(path, [&] { return content_of(path) == expected; });
}

TEST_F(ADamagedFile, OfAShardIsRefused) {
  const std::string path = folder_ / "run.nc";
  FakeRun run = fake();
  run.statistics.kinds = {Statistic::mean, Statistic::quantiles};
  {
    const auto sink = files(path);
    RunInfo info = run.info();
    info.ensemble_members = 4 * leaf_members;
    sink->begin(info);
    sink->finish(fake().feed_blocks(*sink, {}, 100));
  }
  const std::string expected = content_of(path);
  ASSERT_NE(expected.find("statistics_state"), std::string::npos);
  damage(path, [&] { return content_of(path) == expected; });
}

TEST_F(ADamagedFile, ThatMemoryWasSavedToIsRefused) {
  const std::string path = folder_ / "run.nc";
  fake().write(path);
  const std::string copy = folder_ / "copy.nc";
  write_netcdf(read_dataset(NetcdfFile::open(path)), copy);
  const std::string expected = content_of(copy);
  EXPECT_EQ(expected, content_of(path));
  EXPECT_GT(NetcdfFile::open(copy).verify_all(), 0U);
  damage(copy, [&] { return content_of(copy) == expected; });
}

TEST_F(ADamagedFile, OfATableIsRefused) {
  const std::string path = folder_ / "run.csv";
  fake().write(path);
  const std::string expected = content_of_table(path);
  damage(path, [&] { return content_of_table(path) == expected; });
}

/// Run with all its tables.
FakeRun with_tables(FakeRun run) {
  run.events = {{"landed", "a"}};
  run.statistics.kinds = {Statistic::mean, Statistic::quantiles};
  return run;
}

TEST_F(ADamagedFile, OfTheTablesOfARunIsRefused) {
  const std::string path = folder_ / "run.csv";
  const std::string imported = folder_ / "imported.nc";
  write_outputs(with_tables(fake()), path);
  const auto content = [&] {
    const ImportedTables tables = import_csv(path, imported);
    std::string text = without_date(content_of(imported));
    for (const FieldStatistics& field : tables.statistics.fields) {
      for (const auto* values : {&field.count, &field.mean, &field.quantiles}) {
        text.append(reinterpret_cast<const char*>(values->data()), values->size() * sizeof(double));
      }
    }
    return text;
  };
  const std::string expected = content();
  for (const char* table : {"run.members.csv", "run.events.csv", "run.statistics.csv"}) {
    damage(folder_ / table, [&] { return content() == expected; });
  }
}

/// Without checksums a changed number cannot be found; but no damage ends the program or makes it loop.
TEST_F(ADamagedFile, OfTablesWithoutChecksumsIsReadOrRefused) {
  const std::string path = folder_ / "run.csv";
  write_outputs(with_tables(fake()), path);
  remove_checksums(folder_ / "");
  for (const char* table : {"run.csv", "run.members.csv", "run.events.csv", "run.statistics.csv"}) {
    damage(folder_ / table, [&] {
      import_csv(path, folder_ / "imported.nc");
      return true;
    });
  }
}

TEST_F(ADamagedFile, OfAChecksumIsRefused) {
  const std::string path = folder_ / "run.csv";
  fake().write(path);
  const std::string expected = content_of_table(path);
  damage(path + ".checksum", [&] { return content_of_table(path) == expected; });
}

TEST_F(ADamagedFile, ThatIsUnfinishedIsNotGoneOnWith) { damage_unfinished(".nc", "broken.partial.nc", content_of); }

TEST_F(ADamagedFile, ThatIsAnUnfinishedTableIsNotGoneOnWith) {
  damage_unfinished(".csv", "broken.partial.csv", content_of_table);
}

TEST_F(ADamagedFile, OfACheckpointIsNotGoneOnWith) {
  damage_unfinished(".nc", "broken.partial.nc.checkpoint", content_of);
}

/// Every bit of the members' numbers, one after the other.
TEST_F(ADamagedFile, ShowsEveryBit) {
  const std::string path = folder_ / "run.nc";
  FakeRun run = fake();
  run.fields = {Field::q};
  run.times = {0.5};
  run.write(path);
  const Bytes whole = bytes_of(path);
  const double wanted = fake_value(Field::q, 1, 3, 0.5);
  Bytes pattern(sizeof wanted, '\0');
  std::memcpy(pattern.data(), &wanted, sizeof wanted);
  const std::size_t place = whole.find(pattern);
  ASSERT_NE(place, std::string::npos);
  for (std::size_t bit = 0; bit < 64; ++bit) {
    Bytes bytes = whole;
    bytes[place + bit / 8] = static_cast<char>(bytes[place + bit / 8] ^ (1 << bit % 8));
    write_bytes(path, bytes);
    const Outcome outcome = read_apart([&] {
      static_cast<void>(content_of(path));
      return true;
    });
    EXPECT_EQ(outcome, Outcome::refused) << "bit " << bit;
  }
}

/// Files that other programs wrote or changed have no checksums, and are read.
TEST_F(ADamagedFile, OfAnotherProgramHasNoChecksums) {
  const std::string path = folder_ / "run.nc";
  fake().write(path);
  const std::string expected = content_of(path);
  int id = -1;
  ASSERT_EQ(nc_open(path.c_str(), NC_WRITE, &id), NC_NOERR);
  ASSERT_EQ(nc_put_att_text(id, NC_GLOBAL, "comment", 5, "mine!"), NC_NOERR);
  ASSERT_EQ(nc_close(id), NC_NOERR);
  const Outcome outcome = read_apart([&] {
    const NetcdfFile file = NetcdfFile::open(path);
    return file.attribute(NC_GLOBAL, "comment") == "mine!" && file.verify_all() == 0;
  });
  EXPECT_EQ(outcome, Outcome::same);
}

}  // namespace
}  // namespace kalaba

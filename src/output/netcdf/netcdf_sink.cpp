#include <optional>
#include <utility>

#include "kalaba/state.hpp"
#include "output/base/format.hpp"
#include "output/netcdf/dataset_numbers.hpp"
#include "output/netcdf/growing_netcdf.hpp"
#include "output/netcdf/netcdf_reader.hpp"

namespace kalaba {
namespace {

class NetcdfSink final : public FileSink, public ReducedSink {
 public:
  NetcdfSink(const std::string& path, const Provenance& provenance)
      : output_(path), provenance_(provenance), published_path_(path) {}

  void begin(const RunInfo& run) override {
    numbers_.emplace(run);
    output_.begin(run, provenance_);
    numbers_->attach(output_.file(), output_.variables());
  }

  std::string save() override {
    StateWriter state;
    state.put(output_.save());
    state.put(numbers_->state());
    return std::move(state).bytes();
  }

  void resume(const RunInfo& run, const std::string& state) override {
    StateReader reader(state);
    output_.resume(run, provenance_, reader.get_text());
    numbers_.emplace(run);
    numbers_->attach(output_.file(), output_.variables());
    numbers_->restore(reader.get_text());
    output_.verify(numbers_->members_done());
  }

  bool saves_block_checkpoints() const override { return true; }
  void keep() override { output_.pending().keep(); }
  void leave_existing() override { output_.pending().leave_existing(); }
  bool is_intact() const override { return output_.is_intact(); }

  void begin_block(const Block& block) override { numbers_->begin_block(block); }
  void begin_motion(const Block& block) override { numbers_->begin_motion(block); }
  void write(const Frame& frame) override { numbers_->write(frame); }
  const StatisticsPlan* reduced_plan() const override { return numbers_->reduced_plan(); }
  void write_reduced(ReducedFrame frame) override { numbers_->write_reduced(std::move(frame)); }
  void end_block(const Block& block) override {
    numbers_->end_block(block);
    output_.settle();
  }

  void finish(const Summary& summary) override {
    output_.begin_end();
    output_.drop_unsettled();
    numbers_->finish(summary);
    if (summary.interrupted) published_path_ = partial_path(published_path_);
    output_.publish_as(published_path_);
  }

  std::string published_path() const override { return published_path_; }

 private:
  GrowingNetcdf output_;
  Provenance provenance_;
  std::string published_path_;
  std::optional<DatasetNumbers> numbers_;
};

}  // namespace

const Format netcdf_format = {".nc",
                              [](const std::string& path, const Provenance& provenance) -> std::unique_ptr<FileSink> {
                                check_netcdf_name(path);
                                return std::make_unique<NetcdfSink>(path, provenance);
                              },
                              open_netcdf};

}  // namespace kalaba

#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/device.hpp"
#include "backend/cuda/driver.hpp"
#include "backend/cuda/memory.hpp"
#include "kalaba/block.hpp"
#include "kalaba/core/model/description.hpp"

namespace kalaba::cuda {

/// A device with its share of a block, and the stream that orders its work.
class DeviceShare {
 public:
  DeviceShare(const DeviceShare&) = delete;
  DeviceShare& operator=(const DeviceShare&) = delete;

  const Device& device() const { return *device_; }
  /// Makes the device current, and marks the place in the stream from which `timed_seconds` counts.
  void begin_timing() {
    device_->make_current();
    began_.record(stream_);
  }
  /// Marks the place in the stream until which `timed_seconds` counts.
  void end_timing() { ended_.record(stream_); }
  /// Waits for the second place. Returns the seconds that the device took from the first.
  double timed_seconds() {
    device_->make_current();
    ended_.synchronize();
    return ended_.seconds_since(began_);
  }
  /// Waits until all work is done.
  void finish() {
    device_->make_current();
    stream_.synchronize();
  }

 protected:
  explicit DeviceShare(std::shared_ptr<const Device> device) : device_(made_current(std::move(device))) {}
  ~DeviceShare() = default;

 private:
  static std::shared_ptr<const Device> made_current(std::shared_ptr<const Device> device) {
    device->make_current();
    return device;
  }

 protected:
  std::shared_ptr<const Device> device_;
  Stream stream_;

 private:
  Event began_{Event::Kind::timing};
  Event ended_{Event::Kind::timing};
};

/// Devices of a run, each with its share of a block. A Share is a DeviceShare with fitting_members(share of the free
/// memory), reserve(members) and advance(time, first_step, steps).
template <class Share>
class DeviceShares {
 public:
  explicit DeviceShares(std::string system) : system_(std::move(system)) {}

  void add(std::unique_ptr<Share> share) { shares_.push_back(std::move(share)); }
  const Share& first() const { return *shares_.front(); }
  auto begin() const { return shares_.begin(); }
  auto end() const { return shares_.end(); }

  /// "cuda: NVIDIA H200 + NVIDIA H200"
  std::string text() const {
    std::string text = "cuda:";
    for (const auto& share : shares_) text += (text.back() == ':' ? " " : " + ") + share->device().info().name;
    return text;
  }

  /// From now on, the number of members of every share except the last is a multiple of `grain`.
  void set_grain(long grain) { grain_ = grain; }
  long grain() const { return grain_; }

  /// Allocates memory for as many of these members as fit; returns their number.
  long reserve(long members) {
    long each = share_of(members);
    for (const auto& share : shares_) each = std::min(each, share->fitting_members(usable) / grain_ * grain_);
    for (each = std::max(each, grain_);; each = whole(each / 2)) {
      try {
        for (const auto& share : shares_) share->reserve(each);
        return std::min(members, each * static_cast<long>(shares_.size()));
      } catch (const OutOfMemory&) {
        if (each <= grain_) throw;
      }
    }
  }

  /// Divides a block: deal(share, first member in the block, members).
  template <class Deal>
  void deal(const Block& block, const Deal& deal) {
    const long each = share_of(block.members);
    used_ = static_cast<std::size_t>((block.members + each - 1) / each);
    long begin = 0;
    visit(block, [&](Share& share) {
      deal(share, begin, std::min(each, block.members - begin));
      begin += each;
    });
  }

  /// Calls work(share) for every device that has members of the block. An error names the system, the block's members
  /// and the device.
  template <class Work>
  void visit(const Block& block, const Work& work) {
    for (std::size_t i = 0; i < used_; ++i) {
      Share& share = *shares_[i];
      const auto message_of = [&](const Error& error) {
        return system_ + ", members " + std::to_string(block.first) + " to " +
               std::to_string(block.first + block.members - 1) + ", on " + share.device().info().name + ": " +
               error.what();
      };
      try {
        work(share);
      } catch (const OutOfMemory& error) {
        throw OutOfMemory(message_of(error));
      } catch (const Error& error) {
        throw Error(error.code(), message_of(error));
      }
    }
  }

  /// Advances all shares concurrently and waits. Returns the seconds of the slowest.
  double timed_advance(const Block& block, const TimeGrid& time, long first_step, long steps) {
    visit(block, [&](Share& share) {
      share.begin_timing();
      share.advance(time, first_step, steps);
      share.end_timing();
    });
    double seconds = 0;
    visit(block, [&](Share& share) { seconds = std::max(seconds, share.timed_seconds()); });
    return seconds;
  }

 private:
  static constexpr double usable = 0.9;  // of the free memory; the rest is for the driver and for other processes

  long whole(long members) const { return (members + grain_ - 1) / grain_ * grain_; }

  /// Returns the number of members of one device out of `members`.
  long share_of(long members) const {
    const auto devices = static_cast<long>(shares_.size());
    return whole((std::max(members, 1L) + devices - 1) / devices);
  }

  std::string system_;
  std::vector<std::unique_ptr<Share>> shares_;
  long grain_ = 1;
  std::size_t used_ = 0;  // shares with members of the present block
};

}  // namespace kalaba::cuda

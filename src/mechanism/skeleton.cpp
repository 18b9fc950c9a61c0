#include "mechanism/skeleton.hpp"

#include <map>
#include <span>

namespace kalaba::mechanism {
namespace {

class Drawing {
 public:
  Drawing(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree, int stated)
      : k_(kinematics),
        a_(kinematics.algebra),
        m_(mechanism),
        tree_(tree),
        joints_(mechanism.joints.data(), static_cast<std::size_t>(stated)) {}

  Skeleton skeleton() {
    for (int b = 0; b < static_cast<int>(m_.bodies.size()); ++b) add_body(b);
    for (const Joint& joint : joints_) {
      if (joint.type != JointType::free)
        result_.dots.push_back({joint.name, joint.parent, point(joint.parent, joint.at)});
    }
    for (const Point& each : m_.points) result_.dots.push_back({each.name, each.body, point(each.body, each.at)});
    for (const Spring& each : m_.springs) {
      result_.lines.push_back({world, {point(each.bodies[0], each.at[0]), point(each.bodies[1], each.at[1])}});
    }
    return std::move(result_);
  }

 private:
  int point(int body, const Vector& at) {
    const Pose pose = k_.world_pose(body);
    const Vector place = a_.add(pose.position, a_.multiply(pose.rotation, at));
    const auto [known, is_new] = known_.try_emplace(place, static_cast<int>(result_.points.size()));
    if (is_new) result_.points.push_back(place);
    return known->second;
  }

  void add_body(int b) {
    const Body& body = m_.bodies[static_cast<std::size_t>(b)];
    for (const auto& line : body.outline) {
      Skeleton::Line drawn{b, {}};
      for (const Vector& each : line) drawn.points.push_back(point(b, each));
      result_.lines.push_back(std::move(drawn));
    }
    add_bones(b);
  }

  void add_bones(int b) {
    const Vector& root = m_.joints[static_cast<std::size_t>(tree_.tree_joint[static_cast<std::size_t>(b)])].child_at;
    const std::size_t before = result_.lines.size();
    const auto add = [&](const Vector& at) {
      if (at != root) result_.lines.push_back({b, {point(b, root), point(b, at)}});
    };
    for (const Joint& joint : joints_) {
      if (joint.parent == b) add(joint.at);
      if (joint.child == b) add(joint.child_at);
    }
    for (const Spring& each : m_.springs) {
      for (std::size_t i = 0; i < 2; ++i) {
        if (each.bodies[i] == b) add(each.at[i]);
      }
    }
    for (const Point& each : m_.points) {
      if (each.body == b) add(each.at);
    }
    const Body& body = m_.bodies[static_cast<std::size_t>(b)];
    if (result_.lines.size() == before || !body.outline.empty()) add(body.com);
  }

  Kinematics& k_;
  const Algebra& a_;
  const Mechanism& m_;
  const Tree& tree_;
  std::span<const Joint> joints_;
  Skeleton result_;
  std::map<Vector, int> known_;  ///< points
};

}  // namespace

Skeleton make_skeleton(Kinematics& kinematics, const Mechanism& mechanism, const Tree& tree, int stated) {
  return Drawing(kinematics, mechanism, tree, stated).skeleton();
}

}  // namespace kalaba::mechanism

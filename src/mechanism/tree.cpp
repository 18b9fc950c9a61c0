#include "mechanism/tree.hpp"

#include <algorithm>

namespace kalaba::mechanism {
namespace {

using Motion = Link::Motion;

/// Elementary motion of a joint: kind, number of its axis, and suffix of its coordinate.
struct Part {
  Motion motion;
  int axis = 0;
  const char* suffix = "";
};

std::vector<Part> parts_of(JointType type) {
  switch (type) {
    case JointType::hinge:
      return {{Motion::hinge}};
    case JointType::slide:
      return {{Motion::slide}};
    case JointType::screw:
      return {{Motion::screw}};
    case JointType::ball:
      return {{Motion::ball}};
    case JointType::free:
      return {{Motion::slide, 0, "_x"}, {Motion::slide, 1, "_y"}, {Motion::slide, 2, "_z"}, {Motion::ball}};
    case JointType::universal:
      return {{Motion::hinge, 0, "_1"}, {Motion::hinge, 1, "_2"}};
    case JointType::cylinder:
      return {{Motion::slide, 0, "_shift"}, {Motion::hinge, 0, "_angle"}};
    case JointType::planar:
      return {{Motion::slide, 1, "_x"}, {Motion::slide, 2, "_y"}, {Motion::hinge, 0, "_angle"}};
    case JointType::weld:
    case JointType::connect:
    case JointType::distance:
      break;
  }
  return {{Motion::weld}};
}

bool is_closure_only(JointType type) { return type == JointType::connect || type == JointType::distance; }

class Builder {
 public:
  explicit Builder(const Mechanism& mechanism) : m_(mechanism) {}

  Tree build() {
    tree_.tree_joint.assign(m_.bodies.size(), -1);
    tree_.link_of_body.assign(m_.bodies.size(), -1);
    for (int j = 0; j < static_cast<int>(m_.joints.size()); ++j) {
      const Joint& joint = m_.joints[static_cast<std::size_t>(j)];
      if (joint.parent == joint.child) fail(j, "connects a body to itself");
      const bool carries = joint.child != world && !joint.cut && !is_closure_only(joint.type) &&
                           tree_.tree_joint[static_cast<std::size_t>(joint.child)] < 0;
      if (carries) {
        tree_.tree_joint[static_cast<std::size_t>(joint.child)] = j;
      } else {
        if (joint.type == JointType::free) fail(j, "closes a loop, and a free joint constrains nothing");
        if (joint.type == JointType::screw)
          fail(j, "closes a loop, which a screw cannot; write it before the other joints to its child");
        tree_.closures.push_back(j);
      }
    }
    return placed();
  }

  Tree build_of_bodies(const Tree& joints, int stated) {
    tree_.tree_joint = joints.tree_joint;
    tree_.link_of_body.assign(m_.bodies.size(), -1);
    for (int j = stated; j < static_cast<int>(m_.joints.size()); ++j) {
      tree_.tree_joint[static_cast<std::size_t>(m_.joints[static_cast<std::size_t>(j)].child)] = j;
    }
    for (int j = 0; j < stated; ++j) {
      const Joint& joint = m_.joints[static_cast<std::size_t>(j)];
      const bool carries = joint.child != world && tree_.tree_joint[static_cast<std::size_t>(joint.child)] == j;
      if (joint.type == JointType::screw)
        fail(j, "is a screw, which no constraint of bodies states; use coordinates = \"joint\"");
      if (!carries && joint.type != JointType::free) tree_.closures.push_back(j);
    }
    return placed();
  }

 private:
  Tree placed() {
    state_.assign(m_.bodies.size(), 0);
    // In the order of the joints, so that coordinates are in the order of the text.
    for (const Joint& joint : m_.joints) {
      if (joint.child != world) place(joint.child);
    }
    for (int b = 0; b < static_cast<int>(m_.bodies.size()); ++b) place(b);
    return std::move(tree_);
  }

  [[noreturn]] static void fail(int joint, const std::string& message) {
    throw MechanismError(MechanismError::Part::joint, joint, message);
  }

  /// Adds the links of a body behind those of the bodies that carry it.
  void place(int body) {
    std::vector<int> carriers;  // not placed yet, outwards first
    while (body != world && state_[static_cast<std::size_t>(body)] != 2) {
      const auto b = static_cast<std::size_t>(body);
      const int j = tree_.tree_joint[b];
      if (j < 0) {
        throw MechanismError(MechanismError::Part::body, body,
                             "no joint carries this body; add one whose child it is (type = \"free\" constrains "
                             "nothing)");
      }
      if (state_[b] == 1) fail(j, "is one of a circle of joints that carry each other; give one of them cut = true");
      state_[b] = 1;
      carriers.push_back(body);
      body = m_.joints[static_cast<std::size_t>(j)].parent;
    }
    for (; !carriers.empty(); carriers.pop_back()) add_links(carriers.back());
  }

  /// Adds the links of a body whose carrier is placed.
  void add_links(int body) {
    const auto b = static_cast<std::size_t>(body);
    const int j = tree_.tree_joint[b];
    const Joint& joint = m_.joints[static_cast<std::size_t>(j)];
    state_[b] = 2;
    int parent = joint.parent == world ? -1 : tree_.link_of_body[static_cast<std::size_t>(joint.parent)];
    const std::vector<Part> parts = parts_of(joint.type);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Link link;
      link.parent = parent;
      link.joint = j;
      link.motion = parts[i].motion;
      link.axis = parts[i].axis;
      link.is_first = i == 0;
      link.is_last = i + 1 == parts.size();
      link.body = link.is_last ? body : -1;
      link.coordinate = static_cast<int>(tree_.coordinates.size());
      link.rate = static_cast<int>(tree_.rates.size());
      add_freedoms(link, j, joint.name + parts[i].suffix, joint.name);
      parent = static_cast<int>(tree_.links.size());
      tree_.links.push_back(link);
    }
    tree_.link_of_body[b] = parent;
  }

  void add_freedoms(const Link& link, int j, const std::string& name, const std::string& joint) {
    if (link.motion == Motion::weld) return;
    if (link.motion != Motion::ball) {
      const Kind kind = link.motion == Motion::slide ? Kind::length : Kind::angle;
      tree_.coordinates.push_back({name, kind, 0, j});
      tree_.rates.push_back({name + "_dot", kind, 0, j});
      return;
    }
    for (int i = 0; i < 4; ++i) {
      tree_.coordinates.push_back({joint + "_e" + std::to_string(i), Kind::quaternion, i == 0 ? 1.0 : 0.0, j});
    }
    for (const char* axis : {"_wx", "_wy", "_wz"}) {
      tree_.rates.push_back({joint + axis, Kind::angular_velocity, 0, j});
    }
  }

  const Mechanism& m_;
  Tree tree_;
  std::vector<int> state_;  // of a body: 0 not seen, 1 its carriers are being placed, 2 placed
};

}  // namespace

const char* name_of(JointType type) {
  switch (type) {
    case JointType::hinge:
      return "hinge";
    case JointType::slide:
      return "slide";
    case JointType::ball:
      return "ball";
    case JointType::free:
      return "free";
    case JointType::weld:
      return "weld";
    case JointType::universal:
      return "universal";
    case JointType::cylinder:
      return "cylinder";
    case JointType::planar:
      return "planar";
    case JointType::screw:
      return "screw";
    case JointType::connect:
      return "connect";
    case JointType::distance:
      break;
  }
  return "distance";
}

std::vector<Vector> axes_of(const Algebra& algebra, const Joint& joint) {
  switch (joint.type) {
    case JointType::free:
      return {algebra.vector(1, 0, 0), algebra.vector(0, 1, 0), algebra.vector(0, 0, 1)};
    case JointType::universal:
      return {joint.axis, joint.second};
    case JointType::planar: {
      const auto [first, second] = algebra.perpendicular(joint.axis);
      return {joint.axis, first, second};
    }
    default:
      return {joint.axis};
  }
}

Tree make_tree(const Mechanism& mechanism) { return Builder(mechanism).build(); }

Tree make_body_tree(const Mechanism& mechanism, const Tree& joints, int stated) {
  return Builder(mechanism).build_of_bodies(joints, stated);
}

}  // namespace kalaba::mechanism

#pragma once

#include <string>
#include <vector>

#include "mechanism/mechanism.hpp"

namespace kalaba::mechanism {

/// Dimension of a coordinate or a rate.
enum class Kind { angle, length, quaternion, angular_velocity };

struct Freedom {
  std::string name;
  Kind kind = Kind::angle;
  double start = 0;
  int joint = 0;
};

/// Elementary motion between two frames; a joint is one or several of them in a row.
struct Link {
  enum class Motion { weld, hinge, slide, screw, ball };
  int parent = -1;  ///< link; -1: the world
  int joint = 0;
  int body = -1;  ///< body whose frame it is; -1: a frame within a joint
  Motion motion = Motion::weld;
  int axis = 0;          ///< hinge, slide, screw: number of its axis among those of the joint (axes_of)
  bool is_first = true;  ///< within its joint
  bool is_last = true;
  int coordinate = 0;  ///< first of its coordinates, of which a ball has four
  int rate = 0;        ///< first of its rates, of which a ball has three
};

/// Spanning tree of a mechanism, its coordinates and rates, and the joints that close loops. It depends on names and
/// types only.
struct Tree {
  std::vector<Link> links;        ///< parents first
  std::vector<int> link_of_body;  ///< the link whose frame is the body's
  std::vector<int> closures;      ///< joints
  std::vector<int> tree_joint;    ///< by body
  std::vector<Freedom> coordinates;
  std::vector<Freedom> rates;

  bool has_balls() const { return coordinates.size() != rates.size(); }
};

/// The first joint of the text that names a body as its child carries the body; every other joint to the body, and
/// every joint that is cut or whose child is the world, closes a loop. Throws MechanismError.
Tree make_tree(const Mechanism& mechanism);

/// Tree of the joints that bodies have of their own, which follow the `stated` joints of the text; closures are the
/// latter. Bodies without such a joint are carried as in the tree `joints` of the text. Throws MechanismError for a
/// screw.
Tree make_body_tree(const Mechanism& mechanism, const Tree& joints, int stated);

/// The axes of the elementary motions of a joint: as many as `Link::axis` refers to.
std::vector<Vector> axes_of(const Algebra& algebra, const Joint& joint);

}  // namespace kalaba::mechanism

#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formula/mechanics/derive.hpp"
#include "mechanism/body_form.hpp"
#include "mechanism/closures.hpp"
#include "mechanism/kinematics.hpp"
#include "mechanism/mobility.hpp"
#include "scenario/model/draft.hpp"
#include "scenario/model/mechanism_picture.hpp"

namespace kalaba::text_model {

/// Tables of a mechanism: [model.bodies], [model.joints], [model.forces], [model.points], poses, gravity. It adds
/// coordinates, rates and terms to the draft; the other tables of the model are added to these. All functions throw
/// Error.
class MechanismText {
 public:
  /// The keys of a model that belong to mechanisms.
  static const std::vector<std::string>& keys();
  /// Returns the reader of the model's mechanism; null for a model without [model.bodies].
  static std::unique_ptr<MechanismText> of(Draft& draft);

  /// Reads names and types, and declares coordinates and rates.
  void declare();
  /// Reads bodies, joints and points, so that expressions can name the points; adds q'.
  void read_geometry();
  /// Adds metric, force, energy and the constraints of the loops.
  void add_terms();

  /// Refuses constraints of angles that body coordinates know up to whole turns. Throws Error.
  void check_constraints() const;

  /// Adds the numbers of points and poses to those that the model names.
  void add_outputs();
  /// Adds the reactions of joints, unless the model has forces on bodies whose points of action are not known.
  void add_reactions();
  /// Computes mobility and redundant rows at the start.
  void find_mobility(const formula::Terms& terms);
  /// Lines that draw the mechanism.
  MechanismPicture picture();

  /// Bodies, joints, loops, rows and mobility, for people.
  std::string description() const;

 private:
  static constexpr unsigned constant = formula::on_parameters;
  static constexpr const char* axis_names[] = {"x", "y", "z"};

  explicit MechanismText(Draft& draft) : draft_(draft) {}

  /// Calls `work`; reports an error of a mechanism at the node of its body or joint.
  template <class Work>
  auto placed(const Work& work) const -> decltype(work()) {
    try {
      return work();
    } catch (const mechanism::MechanismError& error) {
      const bool is_joint = error.part == mechanism::MechanismError::Part::joint;
      (is_joint ? joints_ : bodies_)[static_cast<std::size_t>(error.index)].fail(error.what());
    }
  }

  int body_of(const Node& node) const;
  int body_of_name(const std::string& name) const;
  void read_body(const Node& node);
  void read_inertia(const Node& node, mechanism::Body& body);
  /// Returns true if a number is negative at the parameters' defaults, by more than rounding.
  bool is_negative(formula::Id value) const;
  /// Adds the condition for the model that a number of a body or joint is not negative, except by rounding.
  void require_not_negative(formula::Id value);
  /// Reads the entry `key` of a joint, which members may not make negative. Fails if it is negative at the parameters'
  /// defaults.
  formula::Id not_negative_of(const Node& joint, const char* key, const formula::Unit& unit);
  /// A length of a shape, which check_bodies refuses if it is negative.
  formula::Id size_of(const Node& node, const std::string& what);
  void declare_joint(const Node& node);
  /// Gives each moving body coordinates of its own.
  void use_body_coordinates();
  /// Normal of the plane in which all bodies move; none if they do not, or if that depends on parameters.
  std::optional<mechanism::Vector> plane_normal() const;
  /// Value of an expression at the parameters' defaults.
  double at_defaults(formula::Id value) const;
  Eigen::Matrix3d inertia_at_defaults(const mechanism::Body& body) const;
  void check_inertias_of_bodies() const;
  void place_planes();
  void name_joint_coordinates();
  void set_body_starts();
  /// Returns true for a joint that closes a loop of the joints of the text.
  bool closes(int joint) const;
  void read_joint(int index);
  void read_limits();
  std::string limits_text(int joint) const;
  void read_forces();
  void read_joint_force(const Node& node);
  void read_spring(const Node& node);
  void read_points();
  void read_poses();
  /// Adds a number that expressions name and that is an output.
  void name_number(const std::string& name, formula::Id value, const formula::Unit& unit, const std::string& meaning);
  void check_bodies();
  void add_closures();
  /// Name of a point, of a pose, or of a coordinate of bodies that an expression uses; empty if it uses none.
  std::string name_of_bodies_in(const std::string& text, int depth = 0) const;
  /// Adds the forces of the model on bodies that are not of [model.forces]. Returns the reason why one of them is not
  /// known; empty if all are.
  std::string add_forces_on_bodies(std::vector<mechanism::BodyForce>& forces);
  /// Adds the forces of [model.force] along coordinates of bodies.
  void add_stated_forces(std::vector<mechanism::BodyForce>& forces);
  /// Adds the forces of a constraint of points. Returns false if they are not known.
  bool add_constraint_forces(const Node& entry, const std::string& text, std::vector<mechanism::BodyForce>& forces);

  /// Expression, or number with a unit such as "0.02 m".
  formula::Id number(const Node& node, const formula::Unit& unit, const std::string& what, unsigned allowed);
  formula::Id number_of(const Node& table, const char* key, const formula::Unit& unit, double otherwise);
  mechanism::Vector vector(const Node& node, const formula::Unit& unit, const std::string& what, unsigned allowed);
  mechanism::Vector vector_of(const Node& table, const char* key, const formula::Unit& unit);
  mechanism::Vector unit_vector(const Node& node);
  mechanism::Quaternion quaternion_of(const Node& table);

  Draft& draft_;
  formula::Unit length_;
  formula::Unit mass_;
  mechanism::Algebra algebra_{draft_.graph};
  mechanism::Mechanism mechanism_;
  mechanism::Tree joint_tree_;  ///< of the joints of the text
  mechanism::Tree tree_;        ///< joint_tree_, or the tree of body coordinates
  bool has_body_coordinates_ = false;
  std::optional<mechanism::Vector> normal_;  ///< of body coordinates in a plane
  mechanism::Tree start_tree_;               ///< joint_tree_ with symbols behind those of body coordinates
  std::unique_ptr<mechanism::Kinematics> start_kinematics_;
  std::vector<mechanism::JointCoordinate> joint_coordinates_;
  std::unique_ptr<mechanism::Kinematics> kinematics_;
  mechanism::Closures closures_;
  std::vector<formula::Id> stated_force_;  ///< [model.force], by rate
  std::optional<mechanism::Mobility> mobility_;
  std::vector<formula::Equation> outputs_;
  std::vector<formula::Equation> spins_;  ///< angular velocities of bodies by their points; expressions alone use them
  struct Limit {
    int joint;
    bool is_upper;
    formula::Id value;
    formula::Id restitution;
  };
  std::vector<Limit> limits_;
  std::vector<Node> bodies_;
  std::vector<std::pair<Node, formula::Id>> sizes_;  ///< of shapes
  std::vector<Node> joints_;  ///< followed by the bodies, of which mechanism_ has joints, if they have coordinates
  int stated_ = 0;            ///< number of the joints of the text
};

}  // namespace kalaba::text_model

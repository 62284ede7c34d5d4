// A graph under construction: where the layers have got to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/problems.hpp"
#include "mosim/model.hpp"

namespace mosim {

// The shape of one sample's activations. A sequence has its features as channels and its tokens as
// height.
struct Shape {
  double channels = 1;
  double height = 1;
  double width = 1;
  bool sequence = false;  // given by two numbers

  [[nodiscard]] double positions() const { return height * width; }
  [[nodiscard]] double elements() const { return channels * height * width; }
  [[nodiscard]] bool operator==(const Shape&) const = default;
};

// "[64, 56, 56]", as in the file.
[[nodiscard]] std::string shape_text(const Shape& shape);

struct Embedding {
  double entries = 0;
  double width = 0;
};

struct GraphBuilder {
  explicit GraphBuilder(Problems& found) : problems(found) {}

  Problems& problems;
  ModelGraph graph;
  Shape shape;                        // what the next layer gets
  bool gradient = false;              // something above has weights: gradients must reach it
  std::int32_t block = -1;            // of the next operator
  std::string prefix;                 // of the next operator's name
  std::vector<Embedding> embeddings;  // what a tied layer can share
  std::map<std::string, std::uint32_t, std::less<>> numbers;  // names given out, and how often
  std::uint32_t layers = 0;                                   // read so far, repeats included
  std::uint32_t depth = 0;                                    // of layers within layers
};

// Names within the scope start with `name` and a dot.
class Scope {
 public:
  Scope(GraphBuilder& builder, std::string_view name) : builder_(builder), outer_(builder.prefix) {
    builder_.prefix.append(name).append(".");
  }
  ~Scope() { builder_.prefix = std::move(outer_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  GraphBuilder& builder_;
  std::string outer_;
};

// A name that is free within the current scope: `kind` and a number from 1.
[[nodiscard]] std::string numbered(GraphBuilder& builder, std::string_view kind);

// Appends an operator to the graph under the current scope and block. Drops its gradient with
// respect to its input where nothing above has weights.
void append(GraphBuilder& builder, Operator op);

// Throws what was found wrong, this included, when the model has grown out of all proportion.
void check_growth(GraphBuilder& builder, const SourceLocation& where);

}  // namespace mosim

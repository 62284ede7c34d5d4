// Graphs from layers written in a test.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "model/read_graph.hpp"

namespace mosim::test {

// The graph of layers written one per line, on an input such as "[3, 32, 32]".
inline ModelGraph graph_of(const std::string& input, const std::string& layers) {
  const YamlNode node = parse_yaml("m.yaml", "input: " + input + "\nlayers:\n" + layers);
  Problems problems;
  ModelGraph graph = read_graph(*node.find("layers"), *node.find("input"), problems);
  problems.throw_if_any();
  return graph;
}

// The diagnostics of layers that are wrong.
inline std::string refusal(const std::string& input, const std::string& layers) {
  try {
    (void)graph_of(input, layers);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

inline const Operator& named(const ModelGraph& graph, const std::string& name) {
  for (const Operator& op : graph.operators) {
    if (op.name == name) return op;
  }
  throw std::logic_error("no operator " + name);
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
}

}  // namespace mosim::test

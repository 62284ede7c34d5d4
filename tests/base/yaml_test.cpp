#include "base/yaml.hpp"

#include <gtest/gtest.h>

#include <string>

namespace mosim {
namespace {

void expect_at(const Position& position, std::uint32_t line, std::uint32_t column) {
  EXPECT_EQ(position.line, line);
  EXPECT_EQ(position.column, column);
}

// The first problem found in `text`.
Diagnostic problem(const std::string& text) {
  try {
    static_cast<void>(parse_yaml("f.yaml", text));
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().at(0).where.file, "f.yaml");
    return error.diagnostics().at(0);
  }
  ADD_FAILURE() << "was accepted: " << text;
  return {};
}

TEST(ParseYaml, KeepsTheOrderAndTheText) {
  const YamlNode root = parse_yaml("f.yaml", "b: 1e3\na: [x, '2', ~]\nc: {d: yes}\n");
  ASSERT_EQ(root.kind, YamlNode::Kind::map);
  ASSERT_EQ(root.children.size(), 3U);
  EXPECT_EQ(root.children[0].key, "b");
  EXPECT_EQ(root.children[0].scalar, "1e3");
  EXPECT_EQ(root.children[1].key, "a");
  ASSERT_EQ(root.children[1].kind, YamlNode::Kind::list);
  ASSERT_EQ(root.children[1].children.size(), 3U);
  EXPECT_EQ(root.children[1].children[0].scalar, "x");
  EXPECT_EQ(root.children[1].children[1].scalar, "2");
  EXPECT_EQ(root.children[1].children[2].kind, YamlNode::Kind::null);
  ASSERT_NE(root.find("c"), nullptr);
  ASSERT_NE(root.find("c")->find("d"), nullptr);
  EXPECT_EQ(root.find("c")->find("d")->scalar, "yes");
  EXPECT_EQ(root.find("d"), nullptr);
}

TEST(ParseYaml, Positions) {
  const YamlNode root = parse_yaml("f.yaml", "# c\na: 1\nbb:\n  cc:   two\n  dd:\n    - x\n");
  EXPECT_EQ(root.file, "f.yaml");
  const YamlNode* a = root.find("a");
  ASSERT_NE(a, nullptr);
  expect_at(a->key_position, 2, 1);
  expect_at(a->position, 2, 4);
  EXPECT_EQ(a->where().file, "f.yaml");
  const YamlNode* cc = root.find("bb")->find("cc");
  ASSERT_NE(cc, nullptr);
  expect_at(cc->key_position, 4, 3);
  // "  cc:   two": the t is byte 9.
  expect_at(cc->position, 4, 9);
  const YamlNode* dd = root.find("bb")->find("dd");
  ASSERT_NE(dd, nullptr);
  expect_at(dd->key_position, 5, 3);
  ASSERT_EQ(dd->children.size(), 1U);
  expect_at(dd->children[0].position, 6, 7);
}

TEST(ParseYaml, EmptyDocument) {
  EXPECT_EQ(parse_yaml("f.yaml", "").kind, YamlNode::Kind::null);
  EXPECT_EQ(parse_yaml("f.yaml", "# only a comment\n").kind, YamlNode::Kind::null);
  EXPECT_EQ(parse_yaml("f.yaml", "").file, "f.yaml");
}

TEST(ParseYaml, RefusesDuplicateKeys) {
  const Diagnostic found = problem("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n");
  EXPECT_EQ(found.what, "key 'c' appears twice");
  expect_at(found.where.position, 5, 3);
  // The same key in two maps is no duplicate.
  EXPECT_NO_THROW(static_cast<void>(parse_yaml("f.yaml", "a: {c: 1}\nb: {c: 2}\n")));
}

TEST(ParseYaml, RefusesAliases) {
  const Diagnostic found = problem("a: &x 1\nb: *x\n");
  EXPECT_EQ(found.what, "is an alias");
  expect_at(found.where.position, 2, 4);
}

TEST(ParseYaml, RefusesKeysThatAreNotScalars) {
  EXPECT_EQ(problem("? [a, b]\n: 1\n").what, "is not a key");
  EXPECT_EQ(problem("? {a: b}\n: 1\n").what, "is not a key");
}

TEST(ParseYaml, RefusesASecondDocument) {
  EXPECT_EQ(problem("a: 1\n---\nb: 2\n").what, "is a second document");
}

TEST(ParseYaml, ReportsSyntaxErrorsWithTheirPlace) {
  const Diagnostic found = problem("a: 1\nb: [1, 2\nc: 3\n");
  EXPECT_EQ(found.what.rfind("is not YAML (", 0), 0U) << found.what;
  // The list opened on line 2 is not closed: whoever reads the message must land there or later.
  EXPECT_GE(found.where.position.line, 2U);
  EXPECT_EQ(found.expected, "a YAML document");
  const Diagnostic brace = problem("a: 1\nb: }\n");
  EXPECT_EQ(brace.where.position.line, 2U);
}

TEST(YamlScalar, ReadsBackAsTheSameText) {
  for (const char* text : {"plain", "a: b", "# no comment", "- x", "", "'", "\"", "[1", "x\ny"}) {
    const YamlNode node = parse_yaml("f.yaml", "k: " + yaml_scalar(text) + "\n");
    ASSERT_EQ(node.children.size(), 1U) << text;
    EXPECT_EQ(node.children[0].kind, YamlNode::Kind::scalar) << text;
    EXPECT_EQ(node.children[0].scalar, text);
  }
}

}  // namespace
}  // namespace mosim

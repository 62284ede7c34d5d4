#include "trace/json_elements.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mosim {
namespace {

class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}

  std::size_t read(char* out, std::size_t size) override {
    const std::size_t count = std::min(size, text_.size() - at_);
    std::copy_n(text_.data() + at_, count, out);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

constexpr std::size_t kChunk = 1U << 18;

// Every element with its place: "line:column text".
std::vector<std::string> elements_of(const std::string& text, std::size_t chunk = kChunk) {
  JsonElements elements("f", std::make_unique<TextSource>(text), "a job", chunk);
  std::vector<std::string> all;
  while (elements.next()) {
    const Position at = elements.position();
    all.push_back(fmt::format("{}:{} {}", at.line, at.column, elements.text()));
  }
  return all;
}

std::string failure(const std::string& text, std::size_t chunk = kChunk) {
  try {
    (void)elements_of(text, chunk);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

using Texts = std::vector<std::string>;

TEST(JsonElements, ElementsOfAnArray) {
  EXPECT_EQ(elements_of("[]"), Texts{});
  EXPECT_EQ(elements_of(" [ ]\n"), Texts{});
  EXPECT_EQ(elements_of(""), Texts{});
  EXPECT_EQ(elements_of("[{\"a\":[1,{}]},\n  {}\r\n, {\"b\":2}]\n"),
            (Texts{"1:2 {\"a\":[1,{}]}", "2:3 {}", "3:3 {\"b\":2}"}));
  EXPECT_EQ(elements_of("[1, -2.5e3,\"x\",[2,[3]],null]"),
            (Texts{"1:2 1", "1:5 -2.5e3", "1:12 \"x\"", "1:16 [2,[3]]", "1:24 null"}));
}

TEST(JsonElements, OneValuePerLine) {
  EXPECT_EQ(elements_of("{\"a\":1}\n\n{\"b\":2}\n"), (Texts{"1:1 {\"a\":1}", "3:1 {\"b\":2}"}));
}

TEST(JsonElements, AByteOrderMarkIsSteppedOver) {
  for (const std::size_t chunk : {1U, 2U, 3U, 64U}) {
    EXPECT_EQ(elements_of("\xEF\xBB\xBF[{}]", chunk), Texts{"1:5 {}"});
  }
}

TEST(JsonElements, StringsHideBracketsAndQuotes) {
  const std::string tricky = R"({"a":"]}\"[{\\","b\\":"\\\""})";
  EXPECT_EQ(elements_of("[" + tricky + ",2]"),
            (Texts{"1:2 " + tricky, fmt::format("1:{} 2", tricky.size() + 3)}));
}

TEST(JsonElements, PlacesInsideAnElement) {
  JsonElements elements("f", std::make_unique<TextSource>("[\n {\"a\":\n   7}]"), "a job");
  ASSERT_TRUE(elements.next());
  const Position seven = elements.position_of(elements.text().data() + elements.text().find('7'));
  EXPECT_EQ(seven.line, 3U);
  EXPECT_EQ(seven.column, 4U);
}

TEST(JsonElements, WhatIsNoSequenceIsRefusedWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"[{}", "f:1:4: ends inside the array; expected ',' or ']'"},
      {"[", "f:1:2: ends inside the array; expected ',' or ']'"},
      {"[{},", "f:1:5: ends inside the array; expected ',' or ']'"},
      {"[{},\n{\"a\":\n[1", "f:3:3: ends inside a job; expected the rest of what begins on line 2"},
      {"[{\"a\":\"b", "f:1:9: ends inside a job; expected the rest of what begins on line 1"},
      {"[{\"a\":\"b\\", "f:1:10: ends inside a job; expected the rest of what begins on line 1"},
      {"[\"b", "f:1:4: ends inside a job; expected the rest of what begins on line 1"},
      {"[{}\n {}]", "f:2:2: has '{' after a job; expected ',' or ']'"},
      {"[{},]", "f:1:5: has ']' where a job should be; expected a job"},
      {"[,{}]", "f:1:2: has ',' where a job should be; expected a job"},
      {"[{}]\n]", "f:2:1: has ']' after the array; expected nothing more"},
      {"[{\"a\":[1}]", "f:1:9: has '}' where ']' should be; expected brackets that match"},
      {"}", "f:1:1: has '}' where a job should be; expected a job"},
      {"[" + std::string(65, '['),
       "f:1:66: is nested over 64 levels deep; expected a flatter text"}};
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(failure(text), message) << text;
    EXPECT_EQ(failure(text, 1), message) << text;
  }
  EXPECT_EQ(elements_of("[" + std::string(64, '[') + std::string(64, ']') + "]").size(), 1U);
}

TEST(JsonElements, AnElementThatNeverEndsIsRefused) {
  const std::string open = "[{\"a\":\"" + std::string(20'000'000, 'x');
  EXPECT_EQ(failure(open),
            "f:1:2: has a job of over 16 MiB; expected shorter ones (is a quote or a bracket left "
            "open?)");
}

nlohmann::json arbitrary_json(int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 5 : 3);
  if (kind == 0) return *rc::gen::arbitrary<int>();
  if (kind == 1) return nullptr;
  const auto text = [] {
    return *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab\"\\{}[],:\n ")));
  };
  if (kind == 2) return text();
  nlohmann::json made = kind == 3 ? nlohmann::json::array() : nlohmann::json::object();
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) {
    if (kind == 3) {
      made.push_back(arbitrary_json(depth - 1));
    } else {
      made[text()] = arbitrary_json(depth - 1);
    }
  }
  return made;
}

// The elements are those that another parser finds, however the text comes in pieces.
RC_GTEST_PROP(JsonElements, PiecesDoNotMatter, ()) {
  nlohmann::json array = nlohmann::json::array();
  for (int left = *rc::gen::inRange(0, 6); left > 0; --left) array.push_back(arbitrary_json(3));
  const std::string text = array.dump(*rc::gen::inRange(-1, 3));
  const auto chunk = static_cast<std::size_t>(*rc::gen::inRange(1, 100));
  const Texts whole = elements_of(text);
  RC_ASSERT(elements_of(text, chunk) == whole);
  RC_ASSERT(whole.size() == array.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const std::string& one = whole[i];
    RC_ASSERT(nlohmann::json::parse(one.substr(one.find(' ') + 1)) == array[i]);
  }
}

}  // namespace
}  // namespace mosim

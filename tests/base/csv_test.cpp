#include "base/csv.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include <filesystem>

#include <string>
#include <vector>

#include "support/command.hpp"

namespace mosim {
namespace {

// A CSV file with this content, and what reading it gives.
class Csv : public testing::Test {
 protected:
  std::string file(const std::string& content) { return folder_.write("t.csv", content); }

  // Every row after the header, field by field.
  std::vector<std::vector<std::string>> rows(const std::string& content) {
    CsvReader csv(file(content), "a table");
    std::vector<std::vector<std::string>> all;
    while (csv.next()) {
      std::vector<std::string>& row = all.emplace_back();
      for (std::size_t i = 0; i < csv.header().size(); ++i) row.emplace_back(csv.field(i));
    }
    return all;
  }

  // The message with which reading all rows fails, the path left out; empty when it does not.
  std::string failure(const std::string& content) {
    try {
      rows(content);
    } catch (const InputError& error) {
      const std::string text = error.what();
      const std::string path = folder_.path("t.csv");
      EXPECT_EQ(text.substr(0, path.size()), path);
      return text.substr(path.size());
    }
    return "";
  }

 private:
  test::TemporaryFolder folder_;
};

using Rows = std::vector<std::vector<std::string>>;

TEST_F(Csv, PlainRows) {
  EXPECT_EQ(rows("a,b\n1,2\n3,\n"), (Rows{{"1", "2"}, {"3", ""}}));
  // The last line end may be missing.
  EXPECT_EQ(rows("a,b\n1,2"), (Rows{{"1", "2"}}));
  // Blanks around a field do not belong to it.
  EXPECT_EQ(rows("a , b\n 1\t,  2 \n"), (Rows{{"1", "2"}}));
  EXPECT_EQ(rows("a,b\n"), Rows{});
}

TEST_F(Csv, Quotes) {
  EXPECT_EQ(rows("a,b\n\"1,5\",\"\"\n"), (Rows{{"1,5", ""}}));
  EXPECT_EQ(rows("a,b\n\"say \"\"no\"\"\",\"\"\"\"\n"), (Rows{{"say \"no\"", "\""}}));
  EXPECT_EQ(rows("\"a\",\"b\"\n1,2\n"), (Rows{{"1", "2"}}));
  // A line break inside quotes belongs to the field.
  EXPECT_EQ(rows("a,b\n\"x\ny\",2\n3,4\n"), (Rows{{"x\ny", "2"}, {"3", "4"}}));
}

TEST_F(Csv, WindowsLineEnds) {
  EXPECT_EQ(rows("a,b\r\n1,2\r\n3,\"4\"\r\n"), (Rows{{"1", "2"}, {"3", "4"}}));
}

TEST_F(Csv, ByteOrderMark) {
  CsvReader csv(file("\xEF\xBB\xBF"
                     "a,b\n1,2\n"),
                "a table");
  EXPECT_EQ(csv.header(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(csv.require({"a"}), 0U);
}

TEST_F(Csv, BlankLines) {
  EXPECT_EQ(rows("\n \na,b\n\n1,2\n\n3,4\n\n\r\n  \n"), (Rows{{"1", "2"}, {"3", "4"}}));
}

TEST_F(Csv, RowsLongerThanTheBuffer) {
  // Over 2^18 bytes: a row and a field that come in several pieces.
  const std::string big(700000, 'x');
  EXPECT_EQ(rows("a,b\n" + big + ",\"" + big + "\"\n3,4\n"), (Rows{{big, big}, {"3", "4"}}));
}

TEST_F(Csv, FindsColumnsByName) {
  const CsvReader csv(file("id,gpus,gpus,start\n"), "a table");
  EXPECT_EQ(csv.require({"begin", "start"}), 3U);
  // The first name that is there wins, not the first column.
  EXPECT_EQ(csv.require({"start", "id"}), 3U);
  EXPECT_EQ(csv.find({"end"}), std::nullopt);
  EXPECT_EQ(csv.find_first("gpus"), 1U);
}

TEST_F(Csv, MissingColumn) {
  const CsvReader csv(file("id,durations\n"), "a table");
  try {
    static_cast<void>(csv.require({"duration"}));
    FAIL() << "a column that is not there was found";
  } catch (const InputError& error) {
    const Diagnostic& problem = error.diagnostics().at(0);
    EXPECT_EQ(problem.what, "has no column 'duration'");
    EXPECT_NE(problem.expected.find("'durations'"), std::string::npos) << problem.expected;
    EXPECT_EQ(problem.where.position.line, 1U);
  }
}

TEST_F(Csv, DuplicateColumn) {
  const CsvReader csv(file("id,gpus,gpus\n"), "a table");
  EXPECT_EQ(csv.require({"id"}), 0U);
  try {
    static_cast<void>(csv.require({"gpus"}));
    FAIL() << "a column that is there twice was taken";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().at(0).what, "has two columns named 'gpus'");
  }
}

TEST_F(Csv, WrongNumberOfFields) {
  EXPECT_EQ(failure("a,b,c\n1,2,3\n4,5\n"), ":3:1: has 2 fields; expected 3, as in the header");
  EXPECT_EQ(failure("a,b\n1,2,3\n"), ":2:1: has 3 fields; expected 2, as in the header");
  // Lines are counted as an editor does: blank ones and those inside quotes too.
  EXPECT_EQ(failure("a,b\n\n\"x\ny\",2\n5\n"), ":5:1: has 1 fields; expected 2, as in the header");
}

TEST_F(Csv, BrokenQuotes) {
  // The second field begins at byte 3 of line 2.
  EXPECT_EQ(failure("a,b\n1,\"2\n"),
            ":2:3: has a quote that is not closed; expected a closing quote");
  // "1,"2"x": the x is byte 6.
  EXPECT_EQ(failure("a,b\n1,\"2\"x\n"),
            ":2:6: has text after a closing quote; expected a comma or the end of the line");
}

TEST_F(Csv, BadRowsAreSteppedOverButAQuoteThatHidesRowsIsNot) {
  CsvReader csv(file("a,b\n1\n\"x\"y,2\n3,4\n5,\"6\n7,8\n"), "a table");
  Problems problems;
  EXPECT_EQ(csv.next(problems), CsvRow::bad);  // one field
  EXPECT_EQ(csv.next(problems), CsvRow::bad);  // text after a quote
  EXPECT_EQ(problems.count(), 2U);
  ASSERT_EQ(csv.next(problems), CsvRow::row);
  EXPECT_EQ(csv.field(1), "4");
  EXPECT_THROW((void)csv.next(problems), InputError);
}

TEST_F(Csv, EmptyAndMissingFiles) {
  EXPECT_NE(failure("").find(":1:1: is empty"), std::string::npos);
  EXPECT_NE(failure("\n\n").find(":1:1: is empty"), std::string::npos);
  EXPECT_THROW(CsvReader("/no/such/file.csv", "a table"), InputError);
}

TEST_F(Csv, Numbers) {
  CsvReader csv(file("a,b,c,d\n1.5,+2,3e2,-4\n"), "a table");
  ASSERT_TRUE(csv.next());
  Problems problems;
  EXPECT_EQ(csv.number(0, {0, 10}, problems), 1.5);
  EXPECT_EQ(csv.number(1, {0, 10, true}, problems), 2);
  EXPECT_EQ(csv.number(2, {0, 300, true}, problems), 300);
  EXPECT_EQ(csv.number(3, {-4, 0}, problems), -4);
  EXPECT_NO_THROW(problems.throw_if_any());
}

TEST_F(Csv, WhatIsNotANumberInRangeIsReportedWithItsPlace) {
  CsvReader csv(file("a,b,c,d,e,f\nNaN,inf,-1,1.5,11,12x\n"), "a table");
  ASSERT_TRUE(csv.next());
  Problems problems;
  for (std::size_t column = 0; column < 6; ++column) {
    EXPECT_EQ(csv.number(column, {0, 10, true}, problems), 0);
  }
  try {
    problems.throw_if_any();
    FAIL() << "nothing was reported";
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 6U);
    // "NaN,inf,-1,1.5,11,12x": fields begin at bytes 1, 5, 9, 12, 16 and 19.
    const std::uint32_t columns[] = {1, 5, 9, 12, 16, 19};
    for (std::size_t i = 0; i < 6; ++i) {
      const Position& position = error.diagnostics()[i].where.position;
      EXPECT_EQ(position.line, 2U);
      EXPECT_EQ(position.column, columns[i]);
      EXPECT_EQ(error.diagnostics()[i].expected, "an integer from 0 to 10");
    }
    EXPECT_EQ(error.diagnostics()[0].what, "a is 'NaN'");
    EXPECT_EQ(error.diagnostics()[5].what, "f is '12x'");
  }
}

// The quote does not open anything, so the next line is a row of its own.
TEST(CsvReader, QuoteInsideAnUnquotedFieldIsALetter) {
  const std::string path = (std::filesystem::temp_directory_path() / "mosim-quote.csv").string();
  std::ofstream(path) << "a,b\n1\"2,x\n3,\"y\"\"\nz\"\n";
  CsvReader csv(path, "a table");
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.field(0), "1\"2");
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.field(1), "y\"\nz");
  EXPECT_FALSE(csv.next());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace mosim

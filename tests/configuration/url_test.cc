#include "configuration/url.h"

#include <gtest/gtest.h>

namespace tracekin {
namespace {

TEST(IsUrl, TakesWhatACollectorMayHave) {
  for (const char* url :
       {"http://a", "https://a/", "HTTP://a", "http://127.0.0.1:9411/api/v2/spans", "http://a:1",
        "http://a:65535?x=y", "http://[::1]", "http://[::1]:9411/api", "http://me:pw@a:80/b",
        "http://me@a", "http://a/b:c@d", "http://\xc3\xa9.example/", "scribe://a", "SCRIBE://a/",
        "scribe://127.0.0.1:9410", "scribe://[::1]:1463"}) {
    EXPECT_TRUE(IsUrl(url)) << url;
  }
}

TEST(IsUrl, RefusesWhatCannotWork) {
  for (const char* url : {"",
                          "a",
                          "127.0.0.1:9411",
                          "//a",
                          "http:",
                          "http:/",
                          "http:/a",
                          "http://",
                          "http:///api",
                          "http://:9411",
                          "http://me@",
                          "http://me:pw@:80",
                          "ftp://a",
                          "httpx://a",
                          "shttp://a",
                          "http://a:",
                          "http://a:0",
                          "http://a:65536",
                          "http://a:99999999999",
                          "http://a:http",
                          "http://a:1:2",
                          "http://[::1",
                          "http://[]",
                          "http://[::1]9411",
                          "http://a b",
                          "http://a/b\n",
                          "http://a\t",
                          " http://a",
                          "http://a/\x7f",
                          "scribe://",
                          "scribe:a",
                          "scribe://:1463",
                          "scribe://a:0",
                          "scribe://me@a",
                          "scribe://a/b",
                          "scribe://a?q",
                          "http://?q",
                          "http://#f"}) {
    EXPECT_FALSE(IsUrl(url)) << url;
  }
}

TEST(HasScheme, IgnoresTheCase) {
  EXPECT_TRUE(HasScheme("scribe://a", "scribe"));
  EXPECT_TRUE(HasScheme("Scribe://a", "scribe"));
  for (const char* url : {"", "scribe", "scribe:a", "http://scribe://", "scribes://a"}) {
    EXPECT_FALSE(HasScheme(url, "scribe")) << url;
  }
}

TEST(UrlPath, EndsBeforeQueryAndFragment) {
  EXPECT_EQ(UrlPath("http://a:80/b/c?d#e"), "/b/c");
  EXPECT_EQ(UrlPath("http://a/b#e?d"), "/b");
  EXPECT_EQ(UrlPath("http://a?b/c"), "");
  EXPECT_EQ(UrlPath("http://a"), "");
  EXPECT_EQ(UrlPath(""), "");
}

TEST(HasUserInfo, IsWhatStandsBeforeTheHost) {
  EXPECT_TRUE(HasUserInfo("http://me:pw@a:80/b"));
  EXPECT_TRUE(HasUserInfo("https://me@a"));
  EXPECT_FALSE(HasUserInfo("http://a/me@b"));
  EXPECT_FALSE(HasUserInfo("http://a?me@b"));
  EXPECT_FALSE(HasUserInfo(""));
}

TEST(IsLoopback, KnowsThisMachine) {
  for (const char* url : {"http://127.0.0.1", "http://127.1.2.3:9411/api", "http://localhost/",
                          "http://LocalHost:80", "http://a.localhost", "http://me:pw@localhost:1/x",
                          "http://[::1]:9411/", "https://[::1]"}) {
    EXPECT_TRUE(IsLoopback(url)) << url;
  }
  for (const char* url : {"http://a", "http://128.0.0.1", "http://127.0.0.1.example",
                          "http://[::2]", "http://localhost.example/", "http://notlocalhost",
                          "http://a/localhost", "http://localhost@a", "http://a?x=127.0.0.1"}) {
    EXPECT_FALSE(IsLoopback(url)) << url;
  }
}

TEST(MaskPassword, ReplacesThePassword) {
  EXPECT_EQ(MaskPassword("http://me:secret@a:80/b"), "http://me:***@a:80/b");
  EXPECT_EQ(MaskPassword("http://me:se:cr@et@a"), "http://me:***@a");
  EXPECT_EQ(MaskPassword("http://me:@a"), "http://me:***@a");
  EXPECT_EQ(MaskPassword("redis://:secret@a?x"), "redis://:***@a?x");
}

// Such a URL is refused, with a message that shows it.
TEST(MaskPassword, HidesAPasswordThatEndsTheAuthorityTooSoon) {
  EXPECT_EQ(MaskPassword("http://me:sec/ret@a/b"), "http://me:***@a/b");
  EXPECT_EQ(MaskPassword("http://me:sec?r#et@a"), "http://me:***@a");
}

TEST(MaskPassword, LeavesEverythingElse) {
  for (const char* text : {"", "frontend", "http://a:80/b", "http://me@a", "http://a:80/b@c",
                           "http://a:80?b@c", "me:secret@a", "a@b://c:d", "://"}) {
    EXPECT_EQ(MaskPassword(text), text);
  }
}

}  // namespace
}  // namespace tracekin

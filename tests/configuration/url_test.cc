// SPDX-License-Identifier: Apache-2.0
#include "configuration/url.h"

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

namespace tracekin::configuration {
namespace {

TEST(IsUrl, TakesWhatACollectorMayHave) {
  for (const char* url :
       {"http://a", "https://a/", "HTTP://a", "http://127.0.0.1:9411/api/v2/spans", "http://a:1",
        "http://a:65535?x=y", "http://[::1]", "http://[::1]:9411/api", "http://me:pw@a:80/b",
        "http://me@a", "http://a/b:c@d", "http://\xc3\xa9.example/", "http://me:p%40w%@a",
        "http://[fe80::1%25eth0]:9411/", "scribe://a", "SCRIBE://a/", "scribe://127.0.0.1:9410",
        "scribe://[::1]:1463"}) {
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
                          "http://[zz]",
                          "http://[::1%]",
                          "http://a*b",
                          "http://me:pa@ss@a/b",
                          "http://me:p%0Aw@a/b",
                          "http://me:p%7fw@a/b",
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

// Returns whether libcurl accepts a URL before it sends a request to it.
bool LibcurlTakes(const std::string& url) {
  struct Deleter {
    void operator()(CURLU* parts) const { curl_url_cleanup(parts); }
  };
  const std::unique_ptr<CURLU, Deleter> parts(curl_url());
  if (curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) !=
      CURLUE_OK) {
    return false;
  }
  for (const CURLUPart part : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_HOST}) {
    char* text = nullptr;
    const CURLUcode code = curl_url_get(parts.get(), part, &text, CURLU_URLDECODE);
    curl_free(text);
    if (code == CURLUE_URLDECODE) return false;
  }
  return true;
}

TEST(IsUrl, NeverTakesWhatLibcurlRefuses) {
  // Every byte, raw and percent-encoded, in each part of a URL.
  for (int byte = 1; byte < 256; ++byte) {
    char encoded[4];
    std::snprintf(encoded, sizeof encoded, "%%%02x", byte);
    for (const std::string& text : {std::string(1, static_cast<char>(byte)), std::string(encoded),
                                    std::string("a") + static_cast<char>(byte) + "a@"}) {
      for (const std::string& url :
           {"http://" + text + "a", "http://a" + text, "http://us" + text + "er:pw@a/",
            "http://user:p" + text + "w@a/", "http://[::1" + text + "]/", "http://[::1]" + text,
            "http://a:8" + text, "http://a/" + text, "scribe://a" + text,
            "https:/" + text + "/a"}) {
        if (IsUrl(url)) {
          EXPECT_TRUE(LibcurlTakes(url)) << url;
        }
      }
    }
  }
}

TEST(HasStrayAt, KnowsOneThatDoesNotEndTheUser) {
  EXPECT_TRUE(HasStrayAt("http://me:pa@ss@a/b"));
  EXPECT_TRUE(HasStrayAt("https://me@corp@a"));
  EXPECT_FALSE(HasStrayAt("http://me:pa%40ss@a/b@c"));
  EXPECT_FALSE(HasStrayAt("http://a/@@"));
  EXPECT_FALSE(HasStrayAt("me@corp@a"));
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

// Such a URL is refused with a message that shows it.
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
}  // namespace tracekin::configuration

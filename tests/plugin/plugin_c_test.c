/* SPDX-License-Identifier: Apache-2.0 */
/* Uses the plugin through the C interface to OpenTracing (Debian: libopentracing-c-wrapper-dev).
 *
 * usage: plugin_c_test PLUGIN FILE
 * Loads PLUGIN, makes a parent and a child on both sides of a text map, and then checks the spans
 * in FILE. */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <opentracing-c-wrapper/include.h> /* needs some of the above */

static char last_error[1024];

#define CHECK(condition)                                                               \
  do {                                                                                 \
    if (!(condition)) {                                                                \
      fprintf(stderr, "line %d: %s is false; %s\n", __LINE__, #condition, last_error); \
      exit(1);                                                                         \
    }                                                                                  \
  } while (0)

static void check_refusal(const char* configuration, const char* expected) {
  CHECK(otc_tracer_start(NULL, configuration, last_error, sizeof last_error) != 0);
  CHECK(strstr(last_error, expected) != NULL);
  last_error[0] = '\0';
}

/* Makes a span that starts another one through a carrier, like two processes would. */
static void make_spans(struct otc_tracer* tracer) {
  struct otc_span* client = tracer->start_span(tracer, "client");
  CHECK(client != NULL);
  struct otc_span_context* context = client->span_context(client);
  struct otc_http_headers_writer writer;
  memset(&writer, 0, sizeof writer);
  CHECK(tracer->inject_http_headers(tracer, &writer, context) ==
        otc_propagation_error_code_success);
  CHECK(writer.text_map.count > 0);

  struct otc_http_headers_reader reader;
  memset(&reader, 0, sizeof reader);
  reader.text_map = writer.text_map;
  struct otc_span_context* extracted = NULL;
  CHECK(tracer->extract_http_headers(tracer, &reader, &extracted) ==
        otc_propagation_error_code_success);
  CHECK(extracted != NULL);

  const struct otc_span_reference reference = {otc_span_reference_child_of, extracted};
  struct otc_start_span_options options;
  memset(&options, 0, sizeof options);
  options.references = &reference;
  options.num_references = 1;
  struct otc_span* server = tracer->start_span_with_options(tracer, "server", &options);
  CHECK(server != NULL);
  server->finish(server); /* and frees it */
  client->finish(client);
  extracted->destroy(&extracted);
  context->destroy(&context);
  struct otc_text_map* headers = &writer.text_map;
  otc_text_map_destroy(&headers, OTC_TEXT_MAP_FREE_KEY | OTC_TEXT_MAP_FREE_VALUE);
}

/* Reads the value of "traceId" in the line of `file` that contains `name`. */
static void trace_id_of(const char* file, const char* name, char trace_id[33]) {
  FILE* spans = fopen(file, "r");
  CHECK(spans != NULL);
  char line[4096];
  trace_id[0] = '\0';
  while (fgets(line, sizeof line, spans) != NULL) {
    const char* id = strstr(line, "\"traceId\":\"");
    if (strstr(line, name) != NULL && id != NULL) sscanf(id, "\"traceId\":\"%32[0-9a-f]", trace_id);
  }
  fclose(spans);
  CHECK(trace_id[0] != '\0');
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* file = argv[2];
  unlink(file);
  struct otc_tracer* tracer = otc_tracer_load(argv[1], last_error, sizeof last_error);
  CHECK(tracer != NULL);

  check_refusal("{", "tracekin: the configuration is not JSON: line 1");
  check_refusal("{\"servce_name\": \"c\"}", "did you mean \"service_name\"?");

  char configuration[4096];
  snprintf(configuration, sizeof configuration,
           "{\"service_name\": \"c\", \"exporter\": {\"path\": \"%s\"}}", file);
  CHECK(otc_tracer_start(NULL, configuration, last_error, sizeof last_error) == 0);
  make_spans(tracer);
  tracer->close(tracer); /* and frees it */

  char client[33], server[33];
  trace_id_of(file, "\"client\"", client);
  trace_id_of(file, "\"server\"", server);
  CHECK(strcmp(client, server) == 0);
  puts("ok");
  return 0;
}

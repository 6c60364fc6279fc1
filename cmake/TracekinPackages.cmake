# SPDX-License-Identifier: Apache-2.0
# `cpack` in the build folder makes a Debian package of each component of TracekinInstall. It needs
# dpkg-dev and file.

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_CONTACT "tracekin maintainers <tracekin@users.noreply.github.com>")
set(CPACK_PACKAGE_VENDOR tracekin)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE ${PROJECT_HOMEPAGE_URL})
# dpkg-shlibdeps finds the packages that the files depend on.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)

set(so ${TRACEKIN_SOVERSION})  # ends the names of the packages that have a soname
set(same_version "(= ${PROJECT_VERSION})")
string(TIMESTAMP changelog_date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # honours SOURCE_DATE_EPOCH
configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright.in ${generated_dir}/copyright @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in ${generated_dir}/changelog @ONLY)
execute_process(COMMAND gzip -9nkf changelog WORKING_DIRECTORY ${generated_dir}
  COMMAND_ERROR_IS_FATAL ANY)

# tracekin_package(NAME SECTION [LDCONFIG] [LIBRARY stem] [DEPENDS list] [RECOMMENDS list] [SUGGESTS
# list] DESCRIPTION synopsis line...): defines the package of the component NAME. LDCONFIG: it
# contains a library that is found by its soname. LIBRARY: other packages link to this library,
# STEM.so.0.
macro(tracekin_package name section)
  cmake_parse_arguments(ARG "LDCONFIG" "LIBRARY;DEPENDS;RECOMMENDS;SUGGESTS" "DESCRIPTION" ${ARGN})
  string(TOUPPER ${name} key)
  list(APPEND CPACK_COMPONENTS_ALL ${name})
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${ARG_DEPENDS}")
  set(CPACK_DEBIAN_${key}_PACKAGE_RECOMMENDS "${ARG_RECOMMENDS}")
  set(CPACK_DEBIAN_${key}_PACKAGE_SUGGESTS "${ARG_SUGGESTS}")
  list(JOIN ARG_DESCRIPTION "\n" CPACK_DEBIAN_${key}_DESCRIPTION)
  set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA "")
  if(ARG_LDCONFIG)
    file(WRITE ${generated_dir}/${name}/triggers "activate-noawait ldconfig\n")
    list(APPEND CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${generated_dir}/${name}/triggers)
  endif()
  if(ARG_LIBRARY)
    file(WRITE ${generated_dir}/${name}/shlibs
      "${ARG_LIBRARY} ${TRACEKIN_SOVERSION} ${name} (>= ${PROJECT_VERSION})\n")
    list(APPEND CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${generated_dir}/${name}/shlibs)
  endif()
  install(FILES ${generated_dir}/copyright ${generated_dir}/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${name} COMPONENT ${name} EXCLUDE_FROM_ALL)
endmacro()

# The modules are only suggested, because their dependencies are large and most hosts do not need
# them.
set(modules "libtracekin-thrift0 ${same_version}, libtracekin-kafka0 ${same_version}")

tracekin_package(libtracekin${so} libs
  LDCONFIG LIBRARY libtracekin
  RECOMMENDS "libtracekin-ust0 ${same_version}"
  SUGGESTS "${modules}"
  DESCRIPTION "OpenTracing tracer whose spans are also LTTng events"
    "tracekin implements the OpenTracing API for C++. It exports spans to Zipkin or"
    "to a file, and can record them as LTTng events at the same time, so that they"
    "can be related to what the kernel did."
    "."
    "This package contains the library that programs link to.")

tracekin_package(libtracekin-dev libdevel
  DEPENDS "libtracekin${so} ${same_version}, libopentracing-dev"
  DESCRIPTION "OpenTracing tracer whose spans are also LTTng events (development)"
    "tracekin implements the OpenTracing API for C++."
    "."
    "This package contains what is needed to build programs that link to it.")

tracekin_package(libtracekin-blkin${so} libs
  LDCONFIG LIBRARY libtracekin_blkin
  DEPENDS "libtracekin${so} ${same_version}"
  RECOMMENDS "libtracekin-ust0 ${same_version}"
  DESCRIPTION "BlkKin's tracing API with LTTng events and Zipkin spans"
    "Programs that were written for BlkKin, as Archipelago and Ceph were, record"
    "their LTTng events with it, and Zipkin spans at the same time."
    "."
    "This package contains the library that programs link to.")

tracekin_package(libtracekin-blkin-dev libdevel
  DEPENDS "libtracekin-blkin${so} ${same_version}, libtracekin-dev ${same_version}"
  SUGGESTS "libboost-dev"
  DESCRIPTION "BlkKin's tracing API with LTTng events and Zipkin spans (development)"
    "This package contains the headers of BlkKin's API, its author's and Ceph's,"
    "with which programs that were written for it are compiled.")

tracekin_package(tracekin-plugin libs
  RECOMMENDS "libtracekin-ust0 ${same_version}"
  SUGGESTS "${modules}"
  DESCRIPTION "OpenTracing tracer as a plugin for HAProxy and other hosts"
    "tracekin implements the OpenTracing API for C++. It exports spans to Zipkin or"
    "to a file, and can record them as LTTng events at the same time, so that they"
    "can be related to what the kernel did."
    "."
    "This package contains the plugin that programs such as HAProxy and nginx load"
    "at run time. It does not need the library.")

# A soname would imply that programs may link to the plugin.
file(WRITE ${generated_dir}/lintian-overrides
  "tracekin-plugin: sharedobject-in-library-directory-missing-soname *\n")
install(FILES ${generated_dir}/lintian-overrides RENAME tracekin-plugin
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides COMPONENT tracekin-plugin
  EXCLUDE_FROM_ALL)

# Modules work only with the same version of the library or the plugin; see exporter/module.h.
set(user_of_modules "libtracekin${so} ${same_version} | tracekin-plugin ${same_version}")

if(TARGET tracekin_thrift)
  tracekin_package(libtracekin-thrift0 libs
    LDCONFIG
    DEPENDS "${user_of_modules}"
    DESCRIPTION "Thrift and Scribe for the tracekin tracer"
      "tracekin implements the OpenTracing API for C++."
      "."
      "This package contains what its library and its plugin load at run time in"
      "order to export spans to Zipkin in Thrift, or to Scribe.")
endif()

if(TARGET tracekin_kafka)
  tracekin_package(libtracekin-kafka0 libs
    LDCONFIG
    DEPENDS "${user_of_modules}"
    DESCRIPTION "Kafka for the tracekin tracer"
      "tracekin implements the OpenTracing API for C++."
      "."
      "This package contains what its library and its plugin load at run time in"
      "order to export spans to a Kafka topic.")
endif()

if(TARGET tracekin_ust)
  tracekin_package(libtracekin-ust0 libs
    LDCONFIG
    DESCRIPTION "LTTng-UST provider of the tracekin tracer"
      "tracekin implements the OpenTracing API for C++."
      "."
      "This package contains what its library and its plugin load at run time in"
      "order to record spans as LTTng events.")
endif()

if(TARGET tracekin_program)
  tracekin_package(tracekin-tools utils
    RECOMMENDS "lttng-tools"
    DESCRIPTION "records tracekin's LTTng events together with the kernel's"
      "The program tracekin sets up an LTTng session with what it takes to relate the"
      "spans of programs to the threads that worked for them, and to what those"
      "waited for.")
endif()

if(TARGET tracekin_grpc)
  tracekin_package(libtracekin-grpc${so} libs
    LDCONFIG LIBRARY libtracekin_grpc
    DEPENDS "libtracekin${so} ${same_version}"
    DESCRIPTION "gRPC interceptors that make OpenTracing spans"
      "The interceptors give every call of a gRPC client or server a span and carry"
      "its context along, with tracekin or with any other OpenTracing tracer.")
  tracekin_package(libtracekin-grpc-dev libdevel
    DEPENDS "libtracekin-grpc${so} ${same_version}, libtracekin-dev ${same_version}, libgrpc++-dev"
    DESCRIPTION "gRPC interceptors that make OpenTracing spans (development)"
      "This package contains what is needed to build programs that give the calls of"
      "gRPC clients and servers OpenTracing spans.")
endif()

include(CPack)

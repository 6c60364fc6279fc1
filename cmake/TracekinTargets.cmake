# SPDX-License-Identifier: Apache-2.0
# Defines how every target of the project is compiled, and how tests are named.

if(NOT CMAKE_CXX_STANDARD)
  set(CMAKE_CXX_STANDARD 17)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# Settings for the project's own code. Consumers do not inherit them.
add_library(tracekin_settings INTERFACE)
target_include_directories(tracekin_settings INTERFACE
  ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_compile_options(tracekin_settings INTERFACE -Wall -Wextra -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
if(TRACEKIN_WERROR)
  target_compile_options(tracekin_settings INTERFACE -Werror)
endif()
if(TRACEKIN_SANITIZE)
  add_compile_options(-fsanitize=${TRACEKIN_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TRACEKIN_SANITIZE})
endif()

# Debian's own hardening options, because hosts that face the network load this code.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT TRACEKIN_SANITIZE)
  add_compile_options(-fstack-protector-strong -Wformat -Werror=format-security
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  add_link_options(LINKER:-z,relro,-z,now)
endif()

# The library and the plugin use link-time optimisation, which makes spans cheaper
# (docs/performance.md). The objects are fat, so that other targets that link them can do without it
# (-fno-lto).
set(TRACEKIN_LTO_COMPILE "")
set(TRACEKIN_LTO_LINK "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug"
   AND NOT TRACEKIN_SANITIZE)
  set(TRACEKIN_LTO_COMPILE -flto -ffat-lto-objects)
  set(TRACEKIN_LTO_LINK -flto=auto -O2)
endif()

# tracekin_part(NAME SOURCES... [USES PART...] [LIBRARIES LIBRARY...]): defines one room of the
# sources and compiles SOURCES once. Tests, modules and programs link to the archive tracekin_NAME,
# which adds the parts that NAME uses, and LIBRARIES.
function(tracekin_part name)
  cmake_parse_arguments(ARG "" "" "USES;LIBRARIES" ${ARGN})
  set(used ${ARG_USES})
  list(TRANSFORM used PREPEND tracekin_)
  add_library(tracekin_${name}_objects OBJECT ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(tracekin_${name}_objects PRIVATE ${TRACEKIN_LTO_COMPILE})
  target_link_libraries(tracekin_${name}_objects PRIVATE tracekin_settings ${used} ${ARG_LIBRARIES})
  add_library(tracekin_${name} STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:tracekin_${name}_objects>)
  target_link_libraries(tracekin_${name} PUBLIC tracekin_settings ${used} ${ARG_LIBRARIES})
  set_target_properties(tracekin_${name} PROPERTIES
    LINKER_LANGUAGE CXX TRACEKIN_USES "${ARG_USES}" TRACEKIN_LIBRARIES "${ARG_LIBRARIES}")
endfunction()

# tracekin_deliver(TARGET PART...): puts every object of these parts, and of the parts that they
# use, into TARGET and links it to the libraries of all of them. Programs may call any exported
# function, so all objects are included, not only the members of an archive that are referenced.
function(tracekin_deliver target)
  set(waiting ${ARGN})
  set(taken "")
  while(waiting)
    list(POP_FRONT waiting part)
    if(NOT part IN_LIST taken)
      list(APPEND taken ${part})
      get_target_property(uses tracekin_${part} TRACEKIN_USES)
      get_target_property(libraries tracekin_${part} TRACEKIN_LIBRARIES)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:tracekin_${part}_objects>)
      target_link_libraries(${target} PRIVATE ${libraries})
      list(APPEND waiting ${uses})
    endif()
  endwhile()
  target_link_options(${target} PRIVATE ${TRACEKIN_LTO_LINK} -Wl,-z,nodelete)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endfunction()

# tracekin_exports(TARGET MAP): links the library TARGET with the version script MAP, which lists
# the symbols that it exports.
function(tracekin_exports target map)
  target_link_options(${target} PRIVATE LINKER:--version-script=${map})
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${map})
endfunction()

# tracekin_test(NAME SOURCES... [LIBRARIES ...] [LABELS ...] [TIMEOUT s] [PREFIX p]): defines a
# GoogleTest program. Each of its cases is a separate CTest test, so that cases are counted and a
# crash affects only one. With sanitizers, which make the start of a program take a second, the
# program is one test. PREFIX is put before the names of the cases if two programs have the same. A
# test that needs a server or a tool has a label that names it; all others have the label `unit`.
include(GoogleTest)
function(tracekin_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT;PREFIX" "LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE tracekin_settings ${ARG_LIBRARIES} GTest::gmock
    GTest::gtest_main)
  target_link_options(${name} PRIVATE -fno-lto)
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(TRACEKIN_SANITIZE)
    math(EXPR ARG_TIMEOUT "10 * ${ARG_TIMEOUT}")
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
      SKIP_REGULAR_EXPRESSION "PASSED  ] 0 tests")
    return()
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${ARG_PREFIX}"
    PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()

# tracekin_load_modules(TARGET): for a program that links the exporter and whose tracers must find
# the modules that were built. TRACEKIN_HAVE_THRIFT and TRACEKIN_HAVE_KAFKA are defined accordingly.
function(tracekin_load_modules target)
  set_target_properties(${target} PROPERTIES BUILD_RPATH ${PROJECT_BINARY_DIR}/lib)
  if(TRACEKIN_SANITIZE)
    # There, dlopen() is libasan's. A path of the older kind applies to all callers, not only to the
    # program.
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  endif()
  foreach(module thrift kafka)
    if(TARGET tracekin_${module})
      add_dependencies(${target} tracekin_${module})
      string(TOUPPER ${module} name)
      target_compile_definitions(${target} PRIVATE TRACEKIN_HAVE_${name})
    endif()
  endforeach()
endfunction()

# tracekin_skip(OUT WHY): stores the command of a test that cannot run in OUT. WHY must not contain
# a semicolon, because CMake would split it in two, and the test would pass.
function(tracekin_skip out why)
  set(${out} sh -c "echo 'SKIPPED: ${why}' && exit 77" PARENT_SCOPE)
endfunction()

# tracekin_script_test(NAME LABELS ... COMMAND ... [SANITIZERS ...]): defines a test that is a
# separate program or script. It exits with 77 if it is skipped, after printing the reason. Unless
# it is a unit test, it runs only with those SANITIZERS, address or thread, that are listed.
# TRACEKIN_SANITIZE is set in its environment.
function(tracekin_script_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LABELS;COMMAND;SANITIZERS" ${ARGN})
  if(TRACEKIN_SANITIZE AND NOT ARG_LABELS STREQUAL unit)
    string(REGEX REPLACE ",.*" "" sanitizer ${TRACEKIN_SANITIZE})
    if(NOT sanitizer IN_LIST ARG_SANITIZERS)
      tracekin_skip(ARG_COMMAND "not fully built with the sanitizer, or it forks")
    endif()
  endif()
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    SKIP_RETURN_CODE 77 ENVIRONMENT "TRACEKIN_SANITIZE=${TRACEKIN_SANITIZE}")
endfunction()

# tracekin_memcheck_test(NAME PROGRAM [ARGUMENT...]): checks that one of our programs neither leaks
# nor misuses memory.
find_program(VALGRIND valgrind)
function(tracekin_memcheck_test name)
  if(TRACEKIN_SANITIZE)
    return()
  endif()
  tracekin_skip(check "valgrind is not installed")
  if(VALGRIND)
    set(check ${VALGRIND} --quiet --error-exitcode=1 --leak-check=full
      --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect)
  endif()
  tracekin_script_test(${name} LABELS valgrind TIMEOUT 120 COMMAND ${check} ${ARGN})
endfunction()

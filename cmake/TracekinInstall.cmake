# SPDX-License-Identifier: Apache-2.0
# Installs tracekin in components that are also Debian packages, together with the files that
# projects need to find it. No installed file contains the prefix, so a tree may be moved or
# packaged.

include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tracekin)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(generated_dir ${PROJECT_BINARY_DIR}/install)
file(RELATIVE_PATH prefix_from_pc /prefix/${pkgconfig_dir} /prefix)

# tracekin_install_library(TARGET RUNTIME DEVELOPMENT HEADERS EXPORT PC): installs a library with
# its headers and the files that CMake and pkg-config need to find it.
function(tracekin_install_library target runtime development headers export pc)
  install(TARGETS ${target} EXPORT ${export} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT ${runtime} NAMELINK_COMPONENT ${development})
  install(DIRECTORY ${headers}/tracekin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT ${development} FILES_MATCHING PATTERN "*.h" PATTERN "blkin*" EXCLUDE)
  install(EXPORT ${export} NAMESPACE tracekin:: DESTINATION ${config_dir} COMPONENT ${development})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${pc}.in ${generated_dir}/${pc} @ONLY)
  install(FILES ${generated_dir}/${pc} DESTINATION ${pkgconfig_dir} COMPONENT ${development})
endfunction()

tracekin_install_library(tracekin libtracekin${TRACEKIN_SOVERSION} libtracekin-dev
  ${PROJECT_SOURCE_DIR}/include tracekinTargets tracekin.pc)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tracekinConfig.cmake.in
  ${generated_dir}/tracekinConfig.cmake INSTALL_DESTINATION ${config_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${generated_dir}/tracekinConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${generated_dir}/tracekinConfig.cmake ${generated_dir}/tracekinConfigVersion.cmake
  DESTINATION ${config_dir} COMPONENT libtracekin-dev)

# BlkKin's headers are in a separate folder.
install(TARGETS tracekin_blkin tracekin_blkin_original tracekin_blkin_ceph
  EXPORT tracekinBlkinTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT libtracekin-blkin${TRACEKIN_SOVERSION} NAMELINK_COMPONENT libtracekin-blkin-dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tracekin/blkin
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tracekin COMPONENT libtracekin-blkin-dev)
install(FILES ${PROJECT_SOURCE_DIR}/include/tracekin/blkin.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tracekin COMPONENT libtracekin-blkin-dev)
install(EXPORT tracekinBlkinTargets NAMESPACE tracekin:: DESTINATION ${config_dir}
  COMPONENT libtracekin-blkin-dev)
foreach(pc tracekin-blkin tracekin-blkin-original tracekin-blkin-ceph)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${pc}.pc.in ${generated_dir}/${pc}.pc @ONLY)
  install(FILES ${generated_dir}/${pc}.pc DESTINATION ${pkgconfig_dir}
    COMPONENT libtracekin-blkin-dev)
endforeach()

# The plugin and the modules are loaded by name, so no headers or links are installed for them.
install(TARGETS tracekin_plugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT tracekin-plugin)
set(docs ${PROJECT_SOURCE_DIR}/docs)
install(FILES ${docs}/haproxy.md ${docs}/nginx.md ${docs}/configuration.md ${docs}/exporter.md
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/tracekin-plugin COMPONENT tracekin-plugin)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/prometheus
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/tracekin-plugin/examples COMPONENT tracekin-plugin)
foreach(module thrift kafka)
  if(TARGET tracekin_${module})
    install(TARGETS tracekin_${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
      COMPONENT libtracekin-${module}0)
  endif()
endforeach()
if(TARGET tracekin_ust)
  install(TARGETS tracekin_ust LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT libtracekin-ust0)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/ust/tracecompass
    DESTINATION ${CMAKE_INSTALL_DATADIR}/tracekin COMPONENT libtracekin-ust0)
endif()

if(TARGET tracekin_program)
  install(TARGETS tracekin_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    COMPONENT tracekin-tools)
  install(FILES ${TRACEKIN_MANUAL} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT tracekin-tools)
  set(completion_dir ${PROJECT_SOURCE_DIR}/tools/completion)
  install(FILES ${completion_dir}/tracekin.bash RENAME tracekin
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tracekin-tools)
  install(FILES ${completion_dir}/tracekin.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tracekin-tools)
  # On Debian, zsh searches a separate folder for the completions that packages install.
  install(FILES ${completion_dir}/_tracekin
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT local)
  install(FILES ${completion_dir}/_tracekin
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT tracekin-tools
    EXCLUDE_FROM_ALL)
endif()

if(TARGET tracekin_grpc)
  set_target_properties(tracekin_grpc PROPERTIES EXPORT_NAME grpc)
  tracekin_install_library(tracekin_grpc libtracekin-grpc${TRACEKIN_SOVERSION} libtracekin-grpc-dev
    ${PROJECT_SOURCE_DIR}/integrations/grpc/include tracekinGrpcTargets tracekin-grpc.pc)
endif()

include(TracekinPackages)

# mosim_embed_data(OUT FILES...): a .cpp that carries data/ inside the library, so that the binary
# needs no file beside it. Regenerated when a data file changes.
function(mosim_embed_data out)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DROOT=${PROJECT_SOURCE_DIR}/data "-DFILES=${ARGN}"
            -P ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    VERBATIM)
endfunction()

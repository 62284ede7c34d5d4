# mosim_compile_options(TARGET): the warnings and sanitizers every target of ours is built with.
function(mosim_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow)
  if(MOSIM_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  # Contracted multiply-adds would make results depend on the processor.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(MOSIM_SANITIZERS)
    target_compile_options(${target} PRIVATE -fsanitize=${MOSIM_SANITIZERS}
                           -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${MOSIM_SANITIZERS})
  endif()
endfunction()

# Script mode: installs BUILD into a fresh prefix, then configures, builds and runs SOURCE on it, and
# EXAMPLE, a plugin.
set(work ${BUILD}/consumer-check)
file(REMOVE_RECURSE ${work})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
endfunction()
set(flags "")
if(SANITIZERS)
  set(flags "-fsanitize=${SANITIZERS}")
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${work}/build -G Ninja -DCMAKE_PREFIX_PATH=${work}/prefix
    -DCMAKE_CXX_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
run(${work}/prefix/bin/mosim --version)

run(${CMAKE_COMMAND} -S ${EXAMPLE} -B ${work}/example -G Ninja -DCMAKE_PREFIX_PATH=${work}/prefix
    -DCMAKE_CXX_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${work}/example)
# One GPU. While `long` runs, `middle` and then `short` arrive; their estimates are their run times.
file(WRITE ${work}/trace.csv "job_id,model,arrival_time,duration,gpu_workers\n"
     "long,bert,0,100,1\nmiddle,bert,1,50,1\nshort,bert,2,10,1\n")
function(check_ends parameters middle short)
  run(${work}/prefix/bin/mosim run --plugin ${work}/example/libshortest_estimate.so
      --queue "shortest-estimate(${parameters})" --trace ${work}/trace.csv --contention none
      --set "cluster.servers=[{count: 1, gpus: 1}]" --set loading=none -q --force -o ${work}/run)
  file(STRINGS ${work}/run/jobs.csv rows)
  foreach(expected "middle,bert,1,1,[0-9.]+,${middle}," "short,bert,1,2,[0-9.]+,${short},")
    if(NOT rows MATCHES "${expected}")
      message(FATAL_ERROR "no row ${expected} in ${rows}")
    endif()
  endforeach()
endfunction()
# At 100 s, 10 before 50.
check_ends("ageing=0" 160 110)
# With ageing, 50 - 100 x 99 before 10 - 100 x 98.
check_ends("ageing=100" 150 160)

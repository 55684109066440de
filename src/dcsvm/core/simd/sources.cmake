# The inner loops are compiled once per instruction set and chosen at run time. A product and a sum
# become one instruction wherever there is one; nothing else of the arithmetic is relaxed: that
# nobody asks for errno or traps lets loops with roots and comparisons become vectors. Vectors wider
# than the registers are passed within one file only, which -Wno-psabi says.
set(evaluation_flags -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math -Wno-psabi)
set(avx2_flags -mavx2 -mfma)
set(avx512_flags -mavx512f -mavx512dq -mavx512vl -mavx512bw -mprefer-vector-width=512)
set(processor "${CMAKE_SYSTEM_PROCESSOR}")
if(CMAKE_OSX_ARCHITECTURES)
  set(processor "${CMAKE_OSX_ARCHITECTURES}")
endif()
if(NOT processor MATCHES "^(x86_64|AMD64|amd64)$")
  set(avx2_flags)
  set(avx512_flags)
endif()
list(APPEND avx512_flags ${avx2_flags})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 takes the undefined value inside its own intrinsics for a mistake of ours.
  list(APPEND avx512_flags -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
set(SIMD_SOURCES)
foreach(isa baseline avx2 avx512)
  set(flags ${evaluation_flags} ${${isa}_flags})
  if(MSVC)  # clang-cl
    list(TRANSFORM flags PREPEND "/clang:")
  endif()
  set(source ${CMAKE_CURRENT_LIST_DIR}/evaluation_${isa}.cpp)
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${flags}")
  list(APPEND SIMD_SOURCES ${source})
endforeach()

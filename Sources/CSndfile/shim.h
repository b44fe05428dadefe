/* libsndfile, plus plain functions for the commands whose argument is a type of its own. */
#pragma once
#include <sndfile.h>

/** Keeps the header's lengths true after each write, so that the file is readable if the process is killed. */
static inline int csndfile_set_update_header_auto(SNDFILE *file, int enabled) {
    return sf_command(file, SFC_SET_UPDATE_HEADER_AUTO, NULL, enabled);
}
static inline int csndfile_update_header_now(SNDFILE *file) {
    return sf_command(file, SFC_UPDATE_HEADER_NOW, NULL, 0);
}
/** Makes reads of float files and lossy formats clip, not wrap, when converted to integers. */
static inline int csndfile_set_clipping(SNDFILE *file, int enabled) {
    return sf_command(file, SFC_SET_CLIPPING, NULL, enabled);
}
static inline int csndfile_set_scale_float_int_read(SNDFILE *file, int enabled) {
    return sf_command(file, SFC_SET_SCALE_FLOAT_INT_READ, NULL, enabled);
}

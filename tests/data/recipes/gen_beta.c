/* Writes frames of the betas of C-Blosc2 2.0.0 (2019).  Current libraries reject them.
 *
 *     git -C c-blosc2 archive v2.0.0-beta.2 blosc internal-complibs | tar x -C src
 *     touch src/blosc/config.h
 *     Z=$(echo src/internal-complibs/zstd-*)
 *     gcc -w -O1 -DBETA=2 -DHAVE_ZSTD -Isrc/blosc -I$Z -I$Z/common -I$Z/dictBuilder gen_beta.c \
 *         $(ls src/blosc/[a-z]*.c | grep -vE 'avx2|sse2|neon|altivec') \
 *         $Z/common/[a-z]*.c $Z/compress/[a-z]*.c $Z/decompress/[a-z]*.c $Z/dictBuilder/[a-z]*.c -lpthread -lm -o gen_beta
 *     ./gen_beta OUTDIR
 *
 * BETA is 1, 2 or 4.
 */
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include "blosc2.h"

#if BETA == 1
#define DEFAULTS BLOSC_CPARAMS_DEFAULTS
#define DDEFAULTS BLOSC_DPARAMS_DEFAULTS
#define ADD(n, c, l) blosc2_frame_add_metalayer(frame, n, (uint8_t *)(c), l)
#else
#define DEFAULTS BLOSC2_CPARAMS_DEFAULTS
#define DDEFAULTS BLOSC2_DPARAMS_DEFAULTS
#define ADD(n, c, l) blosc2_add_metalayer(schunk, n, (uint8_t *)(c), l)
#endif

static const uint8_t caterva[] = {
    0x95, 0, 1, 0x91, 0xd3, 0, 0, 0, 0, 0, 0, 0, 100, 0x91, 0xd2, 0, 0, 0, 100, 0x91, 0xd2, 0, 0, 0, 10};

static void one(const char *dir, const char *name, int nchunks) {
    char path[1000];
    snprintf(path, sizeof path, "%s/clib-beta__%s.b2frame", dir, name);
    remove(path);
    blosc2_cparams cp = DEFAULTS;
    blosc2_dparams dp = DDEFAULTS;
    cp.typesize = 4;
    cp.nthreads = dp.nthreads = 1;
    blosc2_frame *frame = blosc2_new_frame(path);
#if BETA == 1
    if (!strcmp(name, "meta1")) ADD("m", "abc", 3);
    if (!strcmp(name, "caterva_like")) ADD("caterva", caterva, sizeof caterva);
#endif
    blosc2_schunk *schunk = blosc2_new_schunk(cp, dp, frame);
#if BETA > 1
    if (!strcmp(name, "meta1")) ADD("m", "abc", 3);
    if (!strcmp(name, "caterva_like")) ADD("caterva", caterva, sizeof caterva);
#endif
    for (int k = 0; k < nchunks; k++) {
        uint8_t b[400];
        for (int i = 0; i < 400; i++) b[i] = (uint8_t)(i / 4 + k);
        blosc2_schunk_append_buffer(schunk, b, sizeof b);
    }
#if BETA > 1
    cp.typesize = 1;
    if (!strcmp(name, "usermeta")) blosc2_update_usermeta(schunk, (uint8_t *)"user meta content", 17, cp);
#endif
    blosc2_free_schunk(schunk);
    blosc2_free_frame(frame);
}

int main(int argc, char **argv) {
    blosc_init();
    one(argv[1], "empty", 0);
    one(argv[1], "meta1", 1);
    one(argv[1], "caterva_like", 1);
#if BETA > 1
    one(argv[1], "usermeta", 2);
#endif
    blosc_destroy();
    return 0;
}

/* Reads frames with C-Blosc2: for each line with the path of a frame, `worker` prints `ok DIGEST` with a digest of the metalayers,
 * attributes and chunks, or `no REASON`. The frame is read from memory and from its file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "b2nd.h"
#include "blosc2.h"
#include "blosc2/filters-registry.h"

#define MOST (64 << 20)

static uint64_t digest;

/* True if C-Blosc2 2 may read the frame differently: because of newer features (chunks and blocks of variable length, a parameter of
 * shuffle), or because of bugs that were fixed later (delta after another filter, the rest of a block in bytedelta). */
static bool reads_otherwise;

static void look(const uint8_t *chunk) {
    if (BLOSC2_VERSION_MAJOR >= 3 || (chunk[BLOSC2_CHUNK_FLAGS] & 5) != 5) return;
    if (chunk[0] > BLOSC2_VERSION_FORMAT_STABLE) reads_otherwise = true;
    bool is_filtered = false;
    for (int i = 0; i < BLOSC2_MAX_FILTERS; i++) {
        uint8_t filter = chunk[BLOSC2_CHUNK_FILTER_CODES + i];
        if (filter == BLOSC_DELTA && is_filtered) reads_otherwise = true;
        if (filter) is_filtered = true;
        if (filter == BLOSC_FILTER_BYTEDELTA) {
            int32_t nbytes, cbytes, blocksize, meta = chunk[BLOSC2_CHUNK_FILTER_META + i];
            int32_t size = meta ? meta : chunk[BLOSC2_CHUNK_TYPESIZE];
            if (blosc2_cbuffer_sizes(chunk, &nbytes, &cbytes, &blocksize) < 0 || blocksize <= 0 || size == 0) return;
            if (blocksize % size || nbytes % blocksize % size) reads_otherwise = true;
        }
        if ((filter == BLOSC_SHUFFLE || filter == BLOSC_BITSHUFFLE) && chunk[BLOSC2_CHUNK_FILTER_META + i]) reads_otherwise = true;
    }
}

static void add(const void *bytes, int64_t length) {
    const uint8_t *byte = bytes;
    for (int64_t i = 0; i < length; i++) digest = (digest ^ byte[i]) * 1099511628211u;
}

static const char *read_all(blosc2_schunk *schunk) {
    if (schunk == NULL) return "open";
    for (int i = 0; i < schunk->nmetalayers; i++) {
        uint8_t *content = NULL;
        int32_t length = 0;
        if (blosc2_meta_get(schunk, schunk->metalayers[i]->name, &content, &length) < 0) return "metalayer";
        add(content, length);
        free(content);
    }
    for (int i = 0; i < schunk->nvlmetalayers; i++) {
        uint8_t *content = NULL;
        int32_t length = 0;
        if (schunk->vlmetalayers[i]->content_len >= BLOSC_EXTENDED_HEADER_LENGTH) look(schunk->vlmetalayers[i]->content);
        if (blosc2_vlmeta_get(schunk, schunk->vlmetalayers[i]->name, &content, &length) < 0) return "vlmetalayer";
        add(content, length);
        free(content);
    }
    for (int64_t n = 0; n < schunk->nchunks && n < 1000; n++) {
        uint8_t *chunk = NULL;
        bool needs_free = false;
        int32_t nbytes = 0, cbytes = 0, blocksize = 0;
        if (blosc2_schunk_get_chunk(schunk, n, &chunk, &needs_free) < 0) return "chunk";
        look(chunk);
        int rc = blosc2_cbuffer_sizes(chunk, &nbytes, &cbytes, &blocksize);
        if (needs_free) free(chunk);
        if (rc < 0 || nbytes < 0 || nbytes > MOST) return "sizes";
        uint8_t *data = malloc(nbytes + 1);
        rc = blosc2_schunk_decompress_chunk(schunk, n, data, nbytes);
        if (rc >= 0) add(data, rc);
        free(data);
        if (rc < 0) return "decompress";
    }
    return NULL;
}

static const char *read_slice(blosc2_schunk *schunk) {
    b2nd_array_t *array = NULL;
    if (b2nd_from_schunk(schunk, &array) < 0) return "array";
    int64_t start[B2ND_MAX_DIM] = {0}, stop[B2ND_MAX_DIM] = {0}, shape[B2ND_MAX_DIM] = {0}, size = array->sc->typesize;
    for (int i = 0; i < array->ndim; i++) {
        start[i] = array->shape[i] / 3;
        stop[i] = array->shape[i] - array->shape[i] / 4;
        shape[i] = stop[i] - start[i];
        if (shape[i] > MOST || (size *= shape[i]) > MOST) size = MOST + 1;
    }
    int rc = 0;
    if (size <= MOST) {
        uint8_t *buffer = malloc(size + 1);
        rc = b2nd_get_slice_cbuffer(array, start, stop, buffer, shape, size);
        if (rc >= 0) add(buffer, size);
        free(buffer);
    }
    b2nd_free(array);
    return rc < 0 ? "slice" : NULL;
}

/* A frame that takes more processor time than this ends the worker with SIGXCPU. Unlike elapsed time, it does not depend on the load of
 * the machine. */
#define MOST_SECONDS 10

static void limit_processor_time(void) {
    struct rusage used;
    struct rlimit limit;
    getrusage(RUSAGE_SELF, &used);
    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1 + MOST_SECONDS;
    setrlimit(RLIMIT_CPU, &limit);
}

int main(void) {
    static char path[4096];
    blosc2_init();
    register_filters(); /* the filters of the plugins, but not their codecs */
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = 0;
        limit_processor_time();
        digest = 14695981039346656037u;
        FILE *file = fopen(path, "rb");
        if (file == NULL) return 3;
        fseek(file, 0, SEEK_END);
        long length = ftell(file);
        rewind(file);
        uint8_t *bytes = malloc(length + 1);
        if (fread(bytes, 1, length, file) != (size_t)length) return 3;
        fclose(file);
        const char *why = NULL, *beside = NULL;
        /* Version 2 knows neither frames of version 3 nor chunks of variable length, whose chunksize in the header is 0. */
        bool is_newer = length > 0x3d && ((bytes[25] & 15) > 2 || !memcmp(bytes + 0x3a, "\0\0\0", 4));
        reads_otherwise = BLOSC2_VERSION_MAJOR < 3 && is_newer;
        /* The buffer has exactly the length of the frame, so that a sanitizer detects reads after its end. */
        uint8_t *exact = malloc(length);
        memcpy(exact, bytes, length);
        free(bytes);
        blosc2_schunk *schunk = blosc2_schunk_from_buffer(exact, length, false);
        why = read_all(schunk);
        if (schunk) {
            blosc2_schunk_avoid_cframe_free(schunk, true);
            blosc2_schunk_free(schunk);
        }
        free(exact);
        uint64_t memory = digest;
        digest = 14695981039346656037u;
        blosc2_schunk *open = blosc2_schunk_open(path);
        beside = read_all(open);
        uint64_t disk = digest;
        if (open && !beside && (blosc2_meta_exists(open, "b2nd") >= 0)) {
            beside = read_slice(open); /* frees the super-chunk with the array */
            if (beside && !strcmp(beside, "array")) blosc2_schunk_free(open);
        } else if (open) {
            blosc2_schunk_free(open);
        }
        if (why || beside) printf("no %s/%s\n", why ? why : "-", beside ? beside : "-");
        else if (reads_otherwise) puts("no known to read differently");
        else if (memory != disk) printf("no memory and file differ\n");
        else printf("ok %016" PRIx64 "\n", memory);
        fflush(stdout);
    }
    return 0;
}

/* The adapter for C-Blosc2. Usage: `LAYER PATH`, or `--serve`. Long bytes are printed in hexadecimal, so no SHA-256 is needed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "b2nd.h"
#include "blosc2.h"

#define LONGEST (64 << 20) /* more than any valid case has */

static char *out; /* the answer, in memory: a file may be rejected at its end */
static size_t out_len;
static FILE *to;

static void ints64(const char *name, int n, const int64_t *values) {
    fprintf(to, ", \"%s\": [", name);
    for (int i = 0; i < n; i++) fprintf(to, "%s{\"int\": \"%" PRId64 "\"}", i ? ", " : "", values[i]);
    fprintf(to, "]");
}

static void ints32(const char *name, int n, const int32_t *values) {
    int64_t wide[B2ND_MAX_DIM];
    for (int i = 0; i < n; i++) wide[i] = values[i];
    ints64(name, n, wide);
}

static void hex(const uint8_t *bytes, int64_t length) {
    fprintf(to, "{\"bytes\": \"");
    for (int64_t i = 0; i < length; i++) fprintf(to, "%02x", bytes[i]);
    fprintf(to, "\"}");
}

static void text(const char *name, const char *value) { /* escapes quotation marks and backslashes */
    fprintf(to, ", \"%s\": {\"text\": \"", name);
    for (; *value; value++) fprintf(to, *value == '"' || *value == '\\' ? "\\%c" : "%c", *value);
    fprintf(to, "\"}");
}

static const char *metalayer(const uint8_t *bytes, int32_t length) {
    int8_t ndim, format;
    int64_t shape[B2ND_MAX_DIM];
    int32_t chunkshape[B2ND_MAX_DIM], blockshape[B2ND_MAX_DIM];
    char *dtype = NULL;
    if (b2nd_deserialize_meta(bytes, length, &ndim, shape, chunkshape, blockshape, &dtype, &format) < 0) return "metalayer";
    fprintf(to, "\"version\": {\"int\": \"%d\"}", bytes[1]);
    ints64("shape", ndim, shape);
    ints32("chunkshape", ndim, chunkshape);
    ints32("blockshape", ndim, blockshape);
    if (dtype) {
        text("dtype", dtype);
        fprintf(to, ", \"dtype_format\": {\"int\": \"%d\"}", format);
    }
    free(dtype);
    return NULL;
}

static const char *chunk(const uint8_t *bytes, int32_t length) {
    int32_t nbytes, cbytes, blocksize;
    if (length < BLOSC_MIN_HEADER_LENGTH || blosc2_cbuffer_sizes(bytes, &nbytes, &cbytes, &blocksize) < 0) return "sizes";
    if (nbytes > LONGEST) return "too long";
    uint8_t *data = calloc(1, nbytes + 1);
    int32_t got = blosc2_decompress(bytes, length, data, nbytes);
    fprintf(to, "\"nbytes\": {\"int\": \"%d\"}, \"cbytes\": {\"int\": \"%d\"}, \"blocksize\": {\"int\": \"%d\"}, \"data\": ", nbytes, cbytes, blocksize);
    hex(data, nbytes);
    free(data);
    return got < 0 ? "decompress" : NULL;
}

static const char *layers(const char *key, blosc2_schunk *schunk, int count, int (*get)(blosc2_schunk *, const char *, uint8_t **, int32_t *), blosc2_metalayer **all) {
    fprintf(to, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        uint8_t *content = NULL;
        int32_t length = 0;
        if (get(schunk, all[i]->name, &content, &length) < 0) return key;
        fprintf(to, "%s[", i ? ", " : "");
        hex((uint8_t *)all[i]->name, strlen(all[i]->name));
        fprintf(to, ", ");
        hex(content, length);
        fprintf(to, "]");
        free(content);
    }
    fprintf(to, "]");
    return NULL;
}

static int meta_get(blosc2_schunk *schunk, const char *name, uint8_t **content, int32_t *length) {
    return blosc2_meta_get(schunk, name, content, length);
}

static int vlmeta_get(blosc2_schunk *schunk, const char *name, uint8_t **content, int32_t *length) {
    return blosc2_vlmeta_get(schunk, name, content, length);
}

static const char *array(blosc2_schunk *schunk) {
    b2nd_array_t *array = NULL;
    if (b2nd_from_schunk(schunk, &array) < 0) return "array";
    ints64("shape", array->ndim, array->shape);
    ints32("chunkshape", array->ndim, array->chunkshape);
    ints32("blockshape", array->ndim, array->blockshape);
    if (blosc2_meta_exists(schunk, "b2nd") >= 0) text("dtype", array->dtype);
    int64_t start[B2ND_MAX_DIM] = {0}, size = (int64_t)array->nitems * schunk->typesize;
    if (size < 0 || size > LONGEST) return "too long";
    uint8_t *elements = calloc(1, size + 1);
    int rc = b2nd_get_slice_cbuffer(array, start, array->shape, elements, array->shape, size);
    fprintf(to, ", \"elements\": ");
    hex(elements, size);
    free(elements);
    b2nd_free(array); /* also frees the super-chunk */
    return rc < 0 ? "elements" : NULL;
}

static const char *frame(const char *path) {
    blosc2_schunk *schunk = blosc2_schunk_open(path);
    if (schunk == NULL) return "open";
    fprintf(to, "\"typesize\": {\"int\": \"%d\"}, \"chunksize\": {\"int\": \"%" PRId64 "\"}, ", schunk->typesize, (int64_t)schunk->chunksize);
    fprintf(to, "\"blocksize\": {\"int\": \"%d\"}, \"nbytes\": {\"int\": \"%" PRId64 "\"}, ", schunk->blocksize, schunk->nbytes);
    fprintf(to, "\"cbytes\": {\"int\": \"%" PRId64 "\"}, \"nchunks\": {\"int\": \"%" PRId64 "\"}", schunk->cbytes, schunk->nchunks);
    const char *why = layers("metalayers", schunk, schunk->nmetalayers, meta_get, schunk->metalayers);
    if (!why) why = layers("vlmetalayers", schunk, schunk->nvlmetalayers, vlmeta_get, schunk->vlmetalayers);
    fprintf(to, ", \"data\": {\"bytes\": \"");
    for (int64_t n = 0; !why && n < schunk->nchunks; n++) {
        int32_t length = schunk->chunksize > 0 ? (int32_t)schunk->chunksize : LONGEST;
        uint8_t *data = calloc(1, length);
        int got = blosc2_schunk_decompress_chunk(schunk, n, data, length);
        if (got < 0) why = "chunk";
        for (int i = 0; i < got; i++) fprintf(to, "%02x", data[i]);
        free(data);
    }
    fprintf(to, "\"}");
    if (!why && (blosc2_meta_exists(schunk, "b2nd") >= 0 || blosc2_meta_exists(schunk, "caterva") >= 0)) return array(schunk);
    blosc2_schunk_free(schunk);
    return why;
}

/* Returns NULL and writes the facts to `out`, or returns why the file was rejected. */
static const char *answer(const char *layer, const char *path) {
    free(out);
    to = open_memstream(&out, &out_len);
    fprintf(to, "{");
    const char *why = "the file cannot be read";
    if (!strcmp(layer, "frame") || !strcmp(layer, "sparse")) {
        why = frame(path);
    } else {
        FILE *file = fopen(path, "rb");
        if (file) {
            fseek(file, 0, SEEK_END);
            long length = ftell(file);
            rewind(file);
            uint8_t *bytes = malloc(length + 1); /* the exact length would be malloc(0) for an empty file */
            if (fread(bytes, 1, length, file) == (size_t)length)
                why = !strcmp(layer, "chunk") ? chunk(bytes, length) : metalayer(bytes, length);
            free(bytes);
            fclose(file);
        }
    }
    fprintf(to, "}");
    fclose(to);
    return why;
}

static int knows(const char *layer) {
    return !strcmp(layer, "metalayer") || !strcmp(layer, "chunk") || !strcmp(layer, "frame") || !strcmp(layer, "sparse");
}

int main(int argc, char **argv) {
    static char line[8192];
    blosc2_init();
    if (argc == 2 && !strcmp(argv[1], "--serve")) {
        while (fgets(line, sizeof line, stdin)) {
            char *path = strchr(line, '\t');
            if (path == NULL) return 3;
            *path++ = 0;
            path[strcspn(path, "\n")] = 0;
            if (!knows(line)) {
                puts("skip");
            } else {
                const char *why = answer(line, path);
                printf(why ? "no %s\n" : "ok %s\n", why ? why : out);
            }
            fflush(stdout);
        }
        return 0;
    }
    if (argc != 3 || !knows(argv[1])) return 2;
    const char *why = answer(argv[1], argv[2]);
    fprintf(why ? stderr : stdout, "%s\n", why ? why : out);
    return why != NULL;
}

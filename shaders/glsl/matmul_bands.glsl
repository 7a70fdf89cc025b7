// a in bands of eight rows (pack_bands), read through a uniform block, times b [batch, k, n] -> layers r
// with row r of each band. It is drawn in chunks: a chunk is a band of one matrix and one split of k, with
// `terms` terms of the sums. n and b_batch_stride count texels.

// Two terms of each row.
struct Pair {
    T4 first[2], second[2];
};

layout(std140) uniform Chunk {
    Pair pairs[PAIRS];
};

void tile(int i) {
    ivec2 at = chunk_at(i, width);
    int slice = at.y / bands;
    int split = slice / batch;
    int b = (slice - split * batch) * b_batch_stride + split * terms * n + min(at.x, n - 1);
    Rows s0 = Rows(T4(0), T4(0), T4(0), T4(0)), s1 = s0;
    int j = 0;
    for (; j < terms >> 1; j++) {
        T4 y = b_texel(b), z = b_texel(b + n);
        add_product(s0, pairs[j].first[0], y);
        add_product(s1, pairs[j].first[1], y);
        add_product(s0, pairs[j].second[0], z);
        add_product(s1, pairs[j].second[1], z);
        b += 2 * n;
    }
    if ((terms & 1) == 1) {
        T4 y = b_texel(b);
        add_product(s0, pairs[j].first[0], y);
        add_product(s1, pairs[j].first[1], y);
    }
    STORE_TILE(s0, s1);
}

// As matmul.glsl, but a fragment computes four rows of COLUMNS texels, and of these the sum over the k
// of its chunk. Tiles go through chunks, batches, blocks of rows and blocks of columns; n counts
// elements. A_WHOLE, B_WHOLE: four neighbours of a, b are one texel.
#ifdef A_WHOLE
#define A_FOUR(i) a_texel((i) >> 2)
#else
#define A_FOUR(i) a_four(i)
#endif
#ifdef B_WHOLE
#define B_FOUR(i) b_texel((i) >> 2)
#else
#define B_FOUR(i) b_four(i)
#endif

#ifdef TRANSPOSE_A_TRUE
#define A_ROW 1
#define A_NEXT m
#else
#define A_ROW k
#define A_NEXT 1
#endif
#ifdef TRANSPOSE_B_TRUE
#define B_COLUMN k
#define B_NEXT 1
#else
#define B_COLUMN 1
#define B_NEXT n
#endif

// One k of four rows of a.
T4 a_rows(int at) {
#ifdef TRANSPOSE_A_TRUE
    return A_FOUR(at);
#else
    return T4(a_at(at), a_at(at + k), a_at(at + 2 * k), a_at(at + 3 * k));
#endif
}

// One k of four columns of b.
T4 b_columns(int at) {
#ifdef TRANSPOSE_B_TRUE
    return T4(b_at(at), b_at(at + k), b_at(at + 2 * k), b_at(at + 3 * k));
#else
    return B_FOUR(at);
#endif
}

// Four k of one texel's columns.
void add_four(inout Rows sum, Rows x, int b) {
#ifdef TRANSPOSE_B_TRUE
    add_dots(sum, x, B_FOUR(b), B_FOUR(b + k), B_FOUR(b + 2 * k), B_FOUR(b + 3 * k));
#else
    add_products(sum, x, B_FOUR(b), B_FOUR(b + n), B_FOUR(b + 2 * n), B_FOUR(b + 3 * n));
#endif
}

void tile(int i) {
    int column_blocks = ((n + 3) / 4 + COLUMNS - 1) / COLUMNS;
    int row_blocks = (m + 3) / 4;
    int block = i / column_blocks;
    int column = (i - block * column_blocks) * 4 * COLUMNS;
    int slice = block / row_blocks;
    int row = (block - slice * row_blocks) * 4;
    int part = slice / batch;
    int image = slice - part * batch;
    int j = part * chunk, end = min(j + chunk, k);
    int a = image * a_batch_stride + row * A_ROW + j * A_NEXT;
    int b = image * b_batch_stride + column * B_COLUMN + j * B_NEXT;
    Rows s0 = Rows(T4(0), T4(0), T4(0), T4(0)), s1 = s0;
#ifdef TRANSPOSE_A_FALSE
    for (; j + 4 <= end; j += 4) {
        Rows x = Rows(A_FOUR(a), A_FOUR(a + k), A_FOUR(a + 2 * k), A_FOUR(a + 3 * k));
        add_four(s0, x, b);
#if COLUMNS == 2
        add_four(s1, x, b + 4 * B_COLUMN);
#endif
        a += 4;
        b += 4 * B_NEXT;
    }
#endif
    for (; j < end; j++) {
        T4 x = a_rows(a);
        add_product(s0, x, b_columns(b));
#if COLUMNS == 2
        add_product(s1, x, b_columns(b + 4 * B_COLUMN));
#endif
        a += A_NEXT;
        b += B_NEXT;
    }
    STORE_TILE(s0, s1);
}

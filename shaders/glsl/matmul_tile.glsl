// Like matmul.glsl, but a fragment computes four rows of COLUMNS texels; the second texel is half a row
// after the first. n counts elements.

// Reads for one k: four rows of a, and four columns of b.
#ifdef TRANSPOSE_A_TRUE
#define A_AT(row, j) A_UNIT(a_start + (j) * m + (row).x)
#define A_INDEX int
#define A_NEXT A_UNIT(m)
#define A_ONE(i) A_FOUR(i)
#else
#define A_AT(row, j) (a_start + (row) * k + (j))
#define A_NEXT 1
#define A_INDEX ivec4
#define A_ONE(i) T4(a_at((i).x), a_at((i).y), a_at((i).z), a_at((i).w))
#endif
#ifdef TRANSPOSE_B_TRUE
#define B_AT(column, j) (b_start + (column) * k + (j))
#define B_NEXT 1
#define B_ONE(i) T4(b_at(i), b_at((i) + k), b_at((i) + 2 * k), b_at((i) + 3 * k))
#else
#define B_AT(column, j) B_UNIT(b_start + (j) * n + (column))
#define B_NEXT B_UNIT(n)
#define B_ONE(i) B_FOUR(i)
#endif

void tile(int i) {
    int columns = ((n + 3) / 4 + COLUMNS - 1) / COLUMNS;
    ivec2 at = tile_at(i, columns);
    int column = 4 * at.x, second = 4 * columns;
    int slice = at.y / tiles;
    int number = at.y - slice * tiles;
    ivec4 row = ivec4(tile_row(number, 0, spread), tile_row(number, 1, spread),
                      tile_row(number, 2, spread), tile_row(number, 3, spread));
    int part = slice / batch;
    int a_start = (slice - part * batch) * a_batch_stride;
    int b_start = (slice - part * batch) * b_batch_stride;
    int j = part * chunk, end = min(j + chunk, k);
    Rows s0 = Rows(T4(0), T4(0), T4(0), T4(0)), s1 = s0;
#ifdef TRANSPOSE_A_FALSE
    // Four k at once.
    ivec4 a4 = A_UNIT(a_start + row * k + j);
#ifdef TRANSPOSE_B_TRUE
    int b4 = B_UNIT(b_start + column * k + j), b_row = B_UNIT(k), b_step = B_UNIT(4);
#define ADD_FOUR add_dots
#define SECOND second * b_row
#else
    int b4 = B_UNIT(b_start + j * n + column), b_row = B_UNIT(n), b_step = 4 * b_row;
#define ADD_FOUR add_products
#define SECOND B_UNIT(second)
#endif
    for (; j + 4 <= end; j += 4) {
        Rows x = Rows(A_FOUR(a4.x), A_FOUR(a4.y), A_FOUR(a4.z), A_FOUR(a4.w));
        ADD_FOUR(s0, x, B_FOUR(b4), B_FOUR(b4 + b_row), B_FOUR(b4 + 2 * b_row), B_FOUR(b4 + 3 * b_row));
#if COLUMNS == 2
        int c4 = b4 + SECOND;
        ADD_FOUR(s1, x, B_FOUR(c4), B_FOUR(c4 + b_row), B_FOUR(c4 + 2 * b_row), B_FOUR(c4 + 3 * b_row));
#endif
        a4 += A_UNIT(4);
        b4 += b_step;
    }
#endif
    // One k at a time: if a is transposed, and for the remainder of fours.
    A_INDEX a = A_AT(row, j);
    int b = B_AT(column, j), c = B_AT(column + second, j);
    for (; j < end; j++) {
        T4 x = A_ONE(a);
        add_product(s0, x, B_ONE(b));
#if COLUMNS == 2
        add_product(s1, x, B_ONE(c));
#endif
        a += A_NEXT;
        b += B_NEXT;
        c += B_NEXT;
    }
    STORE_TILE(s0, s1);
}

// Sums of products in tiles of four rows.

struct Rows {
    T4 r0, r1, r2, r3;
};

// Adds one term to each sum.
void add_product(inout Rows sum, T4 x, T4 y) {
    sum.r0 += x.x * y;
    sum.r1 += x.y * y;
    sum.r2 += x.z * y;
    sum.r3 += x.w * y;
}

T4 plus_products(T4 sum, T4 x, T4 y0, T4 y1, T4 y2, T4 y3) {
    sum += x.x * y0;
    sum += x.y * y1;
    sum += x.z * y2;
    sum += x.w * y3;
    return sum;
}

// Adds four terms to each sum.
void add_products(inout Rows sum, Rows x, T4 y0, T4 y1, T4 y2, T4 y3) {
    sum.r0 = plus_products(sum.r0, x.r0, y0, y1, y2, y3);
    sum.r1 = plus_products(sum.r1, x.r1, y0, y1, y2, y3);
    sum.r2 = plus_products(sum.r2, x.r2, y0, y1, y2, y3);
    sum.r3 = plus_products(sum.r3, x.r3, y0, y1, y2, y3);
}

T inner_product(T4 x, T4 y) {
    x *= y;
    return x.x + x.y + x.z + x.w;
}

T4 inner_products(T4 x, T4 y0, T4 y1, T4 y2, T4 y3) {
    return T4(inner_product(x, y0), inner_product(x, y1), inner_product(x, y2), inner_product(x, y3));
}

// Like add_products, if the terms of a sum are in one texel of either side.
void add_dots(inout Rows sum, Rows x, T4 y0, T4 y1, T4 y2, T4 y3) {
    sum.r0 += inner_products(x.r0, y0, y1, y2, y3);
    sum.r1 += inner_products(x.r1, y0, y1, y2, y3);
    sum.r2 += inner_products(x.r2, y0, y1, y2, y3);
    sum.r3 += inner_products(x.r3, y0, y1, y2, y3);
}

// Four adjacent elements of a, and of b, in a matrix product. With A_WHOLE, B_WHOLE they are one texel, and
// positions count texels.
#ifdef A_WHOLE
#define A_FOUR(i) a_texel(i)
#define A_UNIT(i) ((i) >> 2)
#endif

#ifndef A_WHOLE
#define A_FOUR(i) a_four(i)
#define A_UNIT(i) (i)
#endif

#ifdef B_WHOLE
#define B_FOUR(i) b_texel(i)
#define B_UNIT(i) ((i) >> 2)
#endif

#ifndef B_WHOLE
#define B_FOUR(i) b_four(i)
#define B_UNIT(i) (i)
#endif

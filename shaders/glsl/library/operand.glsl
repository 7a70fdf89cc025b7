// Reads of the operand NAME in the texture of ARRAY: the four elements of a texel, one element, four elements from i on.

uniform highp SAMPLER2D ARRAY_texture;

#define NAME_TYPE SCALAR

VECTOR NAME_texel(int t) {
    ivec2 at = ivec2(t & ((1 << ARRAY_shift) - 1), t >> ARRAY_shift);
    return texelFetch(ARRAY_texture, at, 0);
}

SCALAR NAME_at(int i) {
    VECTOR v = NAME_texel(i >> 2);
    return (i & 2) == 0 ? ((i & 1) == 0 ? v.x : v.y) : ((i & 1) == 0 ? v.z : v.w);
}

// Both texels are fetched at once, even if only one is needed.
VECTOR NAME_four(int i) {
    int t = i >> 2, skip = i & 3;
    VECTOR v = NAME_texel(t), w = NAME_texel(t + 1);
    VECTOR low = skip == 0 ? v : VECTOR(v.yzw, w.x);
    VECTOR high = skip == 2 ? VECTOR(v.zw, w.xy) : VECTOR(v.w, w.xyz);
    return skip < 2 ? low : high;
}

#ifdef QUADS
#define NAME_value NAME_texel
#endif

#ifndef QUADS
#define NAME_value NAME_at
#endif

// Reads of the operand NAME in the layers of ARRAY: the four elements of a texel, one element.

uniform highp SAMPLER2DArray ARRAY_texture;

VECTOR NAME_texel(int layer, int t) {
    ivec2 at = ivec2(t & ((1 << ARRAY_shift) - 1), t >> ARRAY_shift);
    return texelFetch(ARRAY_texture, ivec3(at, layer), 0);
}

SCALAR NAME_at(int layer, int i) {
    VECTOR v = NAME_texel(layer, i >> 2);
    return (i & 2) == 0 ? ((i & 1) == 0 ? v.x : v.y) : ((i & 1) == 0 ? v.z : v.w);
}

// dy, filter -> dx. OUT_QUADS: output channels are read four at a time; QUADS (only with OUT_QUADS):
// a position is four input channels.
V value(int i) {
#ifdef QUADS
    i *= 4;
#endif
    int pixel = i / in_c;
    int ic = i - pixel * in_c;
    ivec4 place = padded_place(pixel);
    int group_in = in_c / groups;
    int group_out = out_c / groups;
    int group = ic / group_in;
    V sum = V(0);
    EACH_OUTPUT(place) {
        int d = output_pixel(place.x, od, oh, ow) * out_c + group * group_out;
        int f = (TAP * group_in + ic - group * group_in) * out_c + group * group_out;
#ifdef OUT_QUADS
        d >>= 2;
        f >>= 2;
        for (int oc = 0; oc < group_out; oc += 4) {
#ifdef QUADS
            int next = out_c >> 2;
            sum += inner_products(dy_texel(d), filter_texel(f), filter_texel(f + next),
                                  filter_texel(f + 2 * next), filter_texel(f + 3 * next));
#else
            sum += inner_product(dy_texel(d), filter_texel(f));
#endif
            d++;
            f++;
        }
#else
        for (int oc = 0; oc < group_out; oc++) sum += dy_at(d++) * filter_at(f++);
#endif
    }
    return sum;
}

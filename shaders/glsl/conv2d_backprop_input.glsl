// dy, filter -> dx. OUT_QUADS: output channels are read four at a time; QUADS (only with OUT_QUADS):
// a position is four input channels.
V value(int i) {
#ifdef QUADS
    i *= 4;
#endif
    int pixel = i / in_c;
    int ic = i - pixel * in_c;
    int line = pixel / in_w;
    int left = pixel - line * in_w + pad_left;
    int batch = line / in_h;
    int top = line - batch * in_h + pad_top;
    int group_in = in_c / groups;
    int group_out = out_c / groups;
    int group = ic / group_in;
    V sum = V(0);
    for (int fh = 0; fh < filter_h; fh++) {
        int y = top - fh * dilation_h;
        int oh = y / stride_h;
        if (y < 0 || oh * stride_h != y || oh >= out_h) continue;
        for (int fw = 0; fw < filter_w; fw++) {
            int x = left - fw * dilation_w;
            int ow = x / stride_w;
            if (x < 0 || ow * stride_w != x || ow >= out_w) continue;
            int d = ((batch * out_h + oh) * out_w + ow) * out_c + group * group_out;
            int f = (fh * filter_w + fw) * group_in + ic - group * group_in;
#ifdef QUADS
            f = (f * out_c + group * group_out) >> 2;
            d >>= 2;
            int next = out_c >> 2;
            for (int oc = 0; oc < group_out; oc += 4) {
                vec4 g = dy_texel(d++);
                sum += vec4(dot(g, filter_texel(f)), dot(g, filter_texel(f + next)),
                            dot(g, filter_texel(f + 2 * next)), dot(g, filter_texel(f + 3 * next)));
                f++;
            }
#else
            f = f * out_c + group * group_out;
#ifdef OUT_QUADS
            d >>= 2;
            f >>= 2;
            for (int oc = 0; oc < group_out; oc += 4) sum += dot(dy_texel(d++), filter_texel(f++));
#else
            for (int oc = 0; oc < group_out; oc++) sum += dy_at(d++) * filter_at(f++);
#endif
#endif
        }
    }
    return sum;
}

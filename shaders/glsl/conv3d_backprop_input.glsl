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
    int plane = line / in_h;
    int top = line - plane * in_h + pad_top;
    int batch = plane / in_d;
    int front = plane - batch * in_d + pad_front;
    V sum = V(0);
    for (int fd = 0; fd < filter_d; fd++) {
        int z = front - fd * dilation_d;
        int od = z / stride_d;
        if (z < 0 || od * stride_d != z || od >= out_d) continue;
        for (int fh = 0; fh < filter_h; fh++) {
            int y = top - fh * dilation_h;
            int oh = y / stride_h;
            if (y < 0 || oh * stride_h != y || oh >= out_h) continue;
            for (int fw = 0; fw < filter_w; fw++) {
                int x = left - fw * dilation_w;
                int ow = x / stride_w;
                if (x < 0 || ow * stride_w != x || ow >= out_w) continue;
                int d = (((batch * out_d + od) * out_h + oh) * out_w + ow) * out_c;
                int f = (((fd * filter_h + fh) * filter_w + fw) * in_c + ic) * out_c;
#ifdef OUT_QUADS
                d >>= 2;
                f >>= 2;
                for (int oc = 0; oc < out_c; oc += 4) {
                    vec4 g = dy_texel(d++);
#ifdef QUADS
                    int next = out_c >> 2;
                    sum += vec4(dot(g, filter_texel(f)), dot(g, filter_texel(f + next)),
                                dot(g, filter_texel(f + 2 * next)), dot(g, filter_texel(f + 3 * next)));
#else
                    sum += dot(g, filter_texel(f));
#endif
                    f++;
                }
#else
                for (int oc = 0; oc < out_c; oc++) sum += dy_at(d++) * filter_at(f++);
#endif
            }
        }
    }
    return sum;
}

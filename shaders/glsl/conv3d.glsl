// NDHWC convolution with a DHWIO filter. QUADS: a position is four output channels (out_c counts
// texels). IN_QUADS: input channels are read four at a time.
V value(int i) {
    int pixel = i / out_c;
    int oc = i - pixel * out_c;
    int line = pixel / out_w;
    int left = (pixel - line * out_w) * stride_w - pad_left;
    int plane = line / out_h;
    int top = (line - plane * out_h) * stride_h - pad_top;
    int batch = plane / out_d;
    int front = (plane - batch * out_d) * stride_d - pad_front;
    V sum = V(0);
    for (int fd = 0; fd < filter_d; fd++) {
        int id = front + fd * dilation_d;
        if (id < 0 || id >= in_d) continue;
        for (int fh = 0; fh < filter_h; fh++) {
            int ih = top + fh * dilation_h;
            if (ih < 0 || ih >= in_h) continue;
            for (int fw = 0; fw < filter_w; fw++) {
                int iw = left + fw * dilation_w;
                if (iw < 0 || iw >= in_w) continue;
                int x_position = (((batch * in_d + id) * in_h + ih) * in_w + iw) * in_c;
                int f = ((fd * filter_h + fh) * filter_w + fw) * in_c * out_c + oc;
#ifdef IN_QUADS
                int t = x_position >> 2;
                for (int ic = 0; ic < in_c; ic += 4) {
                    vec4 x = x_texel(t++);
                    sum += x.x * filter_value(f) + x.y * filter_value(f + out_c) +
                           x.z * filter_value(f + 2 * out_c) + x.w * filter_value(f + 3 * out_c);
                    f += 4 * out_c;
                }
#else
                for (int ic = 0; ic < in_c; ic++) {
                    sum += x_at(x_position + ic) * filter_value(f);
                    f += out_c;
                }
#endif
            }
        }
    }
    return sum;
}

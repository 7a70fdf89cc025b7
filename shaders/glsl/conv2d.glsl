// NHWC convolution with an HWIO filter. QUADS: a position is four output channels (out_c counts
// texels). IN_QUADS: input channels are read four at a time.
V value(int i) {
    int pixel = i / out_c;
    int oc = i - pixel * out_c;
    int line = pixel / out_w;
    int left = (pixel - line * out_w) * stride_w - pad_left;
    int batch = line / out_h;
    int top = (line - batch * out_h) * stride_h - pad_top;
    int group_in = in_c / groups;
    int channel = oc / (out_c / groups) * group_in;
    V sum = V(0);
    for (int fh = 0; fh < filter_h; fh++) {
        int ih = top + fh * dilation_h;
        if (ih < 0 || ih >= in_h) continue;
        for (int fw = 0; fw < filter_w; fw++) {
            int iw = left + fw * dilation_w;
            if (iw < 0 || iw >= in_w) continue;
            int x_position = ((batch * in_h + ih) * in_w + iw) * in_c + channel;
            int f = (fh * filter_w + fw) * group_in * out_c + oc;
#ifdef IN_QUADS
            int t = x_position >> 2;
            for (int ic = 0; ic < group_in; ic += 4) {
                vec4 x = x_texel(t++);
                sum += x.x * filter_value(f) + x.y * filter_value(f + out_c) +
                       x.z * filter_value(f + 2 * out_c) + x.w * filter_value(f + 3 * out_c);
                f += 4 * out_c;
            }
#else
            for (int ic = 0; ic < group_in; ic++) {
                sum += x_at(x_position + ic) * filter_value(f);
                f += out_c;
            }
#endif
        }
    }
    return sum;
}

// Channel c makes output channels c * multiplier + 0, 1, ... QUADS (only with multiplier 1): channels
// count texels.
V value(int i) {
    int out_c = in_c * multiplier;
    int pixel = i / out_c;
    int oc = i - pixel * out_c;
    int c = oc / multiplier;
    int line = pixel / out_w;
    int left = (pixel - line * out_w) * stride_w - pad_left;
    int batch = line / out_h;
    int top = (line - batch * out_h) * stride_h - pad_top;
    V sum = V(0);
    for (int fh = 0; fh < filter_h; fh++) {
        int ih = top + fh * dilation_h;
        if (ih < 0 || ih >= in_h) continue;
        for (int fw = 0; fw < filter_w; fw++) {
            int iw = left + fw * dilation_w;
            if (iw < 0 || iw >= in_w) continue;
            sum += x_value(((batch * in_h + ih) * in_w + iw) * in_c + c) *
                   filter_value((fh * filter_w + fw) * out_c + oc);
        }
    }
    return sum;
}

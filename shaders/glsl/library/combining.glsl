// How kernels of a kind combine elements, and what changes nothing.

#ifdef KIND_SUM
#define IDENTITY 0
#define COMBINE(a, b) (a) + (b)
#endif

#ifdef KIND_PROD
#define IDENTITY 1
#define COMBINE(a, b) (a) * (b)
#endif

#ifdef KIND_MAX
#define IDENTITY T_LOWEST
#define COMBINE(a, b) maximum(a, b)
#endif

#ifdef KIND_ANY
#define IDENTITY 0
#define COMBINE(a, b) a | b
#endif

#ifdef KIND_MIN
#define IDENTITY T_HIGHEST
#define COMBINE(a, b) minimum(a, b)
#endif

#ifdef KIND_ALL
#define IDENTITY 1
#define COMBINE(a, b) a & b
#endif

#ifdef KIND_LOGSUMEXP
#define IDENTITY T_LOWEST
#define COMBINE(a, b) log_add(a, b)
#endif

#ifdef KIND_LAST
#define COMBINE(a, b) b
#endif

T combine(T a, T b) { return COMBINE(a, b); }
T4 combine(T4 a, T4 b) { return COMBINE(a, b); }

/* SPDX-License-Identifier: MIT */
/*
 * The activations gelu and gelu_tanh for CPUs, whose own erf and tanh take ten times as long: PoCL computes them in parts of a
 * vector, with branches. DEFINE_GELU(LANES) defines own_gelu and own_gelu_tanh of a vector, DEFINE_GELU() those of an
 * element. The method, its numbers and errors are those of backends/cpu/curves.h.
 */
#define IS_WIDE_float 0
#define IS_WIDE_double 1

#if PASTE(IS_WIDE_, REAL)
#define BITS ulong
#define SHIFT (0x1.8p52 + 1023)
#define MANTISSA 52
#define EXP2_LIMIT 1023
#define EXP2(r)                                                                                             \
	(1 + r * (0.69314718055994533 + r * (0.24022650695910156 + r * (0.055504108664819922 +              \
	 r * (9.6181291075883363e-3 + r * (1.3333558146789871e-3 + r * (1.5403530462513071e-4 +             \
	 r * (1.5252733490028248e-5 + r * (1.3215433090355224e-6 + r * (1.0178198009603078e-7 +             \
	 r * (7.0741055002376444e-9 + r * 4.4352842754773126e-10)))))))))))
#define HALF_LOG2_E 0.72134752044448170
#define TAIL_END 37.66
#define TAIL_P(a)                                                                                           \
	(0.5 + a * (0.5022874624868288 + a * (0.25448777777025126 + a * (0.077002917304267219 +             \
	 a * (0.014472827539294547 + a * (0.0015903069108276626 + a * 8.0068194748969642e-5))))))
#define TAIL_Q(a)                                                                                           \
	(1 + a * (1.8024594857765335 + a * (1.447130150713853 + a * (0.67338041672121231 +                  \
	 a * (0.19704528277720823 + a * (0.036475597855506109 + a * (0.0039864607746728878 +                \
	 a * 2.0069751517897866e-4)))))))
#else
#define BITS uint
#define SHIFT (0x1.8p23f + 127)
#define MANTISSA 23
#define EXP2_LIMIT 127
#define EXP2(r)                                                                                             \
	(1 + r * (0.693147206f + r * (0.240226469f + r * (0.0555032877f + r * (0.00961848895f +             \
	 r * (0.00133999318f + r * 0.000153458167f))))))
#define HALF_LOG2_E 0.721347520f
#define TAIL_END 13.25f
#define TAIL_P(a) (0.500000009f + a * (0.186101131f + a * 0.0354861702f))
#define TAIL_Q(a) (1 + a * (1.17008837f + a * (0.504547442f + a * (0.0835887657f + a * 0.000365468823f))))
#endif

#define OF(type, lanes) PASTE(type, lanes)
#define DEFINE_GELU(lanes)                                                                                  \
	/* 2^x of x in [-EXP2_LIMIT, EXP2_LIMIT + 1]: 0 and infinity at the ends */                          \
	static inline OF(REAL, lanes) __attribute__((overloadable)) own_exp2(OF(REAL, lanes) x)             \
	{                                                                                                   \
		const OF(REAL, lanes) sum = x + SHIFT, r = x - (sum - SHIFT);                               \
		return EXP2(r) * OF(PASTE(as_, REAL), lanes)(OF(PASTE(as_, BITS), lanes)(sum) << MANTISSA); \
	}                                                                                                   \
	static inline OF(REAL, lanes) __attribute__((overloadable)) own_gelu(OF(REAL, lanes) x)             \
	{                                                                                                   \
		OF(REAL, lanes) a = fabs(x);                                                                \
		a = a > TAIL_END ? (OF(REAL, lanes))TAIL_END : a;                                           \
		const OF(REAL, lanes) tail = own_exp2(a * a * -HALF_LOG2_E) * TAIL_P(a);                    \
		return (x > 0 ? x : (OF(REAL, lanes))0) - a * tail / TAIL_Q(a);                             \
	}                                                                                                   \
	static inline OF(REAL, lanes) __attribute__((overloadable)) own_gelu_tanh(OF(REAL, lanes) x)        \
	{                                                                                                   \
		OF(REAL, lanes) y = x * ((REAL)-2.3022081981443249 + x * x * (REAL)-0.10294323958002349);   \
		y = y > EXP2_LIMIT + 1 ? (OF(REAL, lanes))(EXP2_LIMIT + 1) : y;                             \
		return x / (1 + own_exp2(y < -EXP2_LIMIT ? (OF(REAL, lanes)) - EXP2_LIMIT : y));            \
	}

/* SPDX-License-Identifier: MIT */
#include "suites/shapes.h"

#include <stddef.h>
#include <string.h>

/*
 * Products of a layer's inputs (m rows: tokens or images) with its weights, which frameworks store as k of n:
 * hence NT. Of a model that answers word by word m is 1, of one that answers a few at a time 16.
 */
static const char *const gemm_bert[] = {
	"m=512 n=768 k=768 trans=NT", /* queries, keys, values, output */
	"m=512 n=3072 k=768 trans=NT",        "m=512 n=768 k=3072 trans=NT",
	"batch=12 m=512 n=512 k=64 trans=NT", /* twelve heads: scores, and what they weigh */
	"batch=12 m=512 n=64 k=512",          NULL,
};

/* Recurrent layers for speech, in steps of few samples and over all of them at once; and one's ends. */
static const char *const gemm_deepspeech[] = {
	"m=16,32,64,128,7000 n=1760 k=1760",
	"m=16,32,64,128,7000 n=2048 k=2048",
	"m=16,32,64,128,7000 n=2560 k=2560",
	"m=16,32,64,128 n=7680 k=2560",
	"m=9124 n=5124 k=2560",
	"m=8457 n=35 k=2560",
	NULL,
};

#define TOKENS "m=1,16,512 "
static const char *const gemm_llama[] = {
	TOKENS "n=4096 k=4096 trans=NT",   /* queries, output */
	TOKENS "n=1024 k=4096 trans=NT",   /* keys, values */
	TOKENS "n=14336 k=4096 trans=NT",  /* gate, up */
	TOKENS "n=4096 k=14336 trans=NT",  /* down */
	"m=1,16 n=128256 k=4096 trans=NT", /* words */
	NULL,
};
#undef TOKENS

/* The products that the convolutions of conv2d_resnet50 are by im2col, of one image; and the last layer. */
static const char *const gemm_resnet50[] = {
	"m=64 n=12544 k=147",         "m=64 n=3136 k=64,256,576",
	"m=256 n=3136 k=64",          "m=128 n=3136 k=256",
	"m=128 n=784 k=512,1152",     "m=512 n=784 k=128,256",
	"m=256 n=784 k=512",          "m=256 n=196 k=1024,2304",
	"m=1024 n=196 k=256,512",     "m=512 n=196 k=1024",
	"m=512 n=49 k=2048,4608",     "m=2048 n=49 k=512,1024",
	"m=1 n=1000 k=2048 trans=NT", NULL,
};

/* The first, depthwise and pointwise ones. */
static const char *const conv2d_mobilenet[] = {
	"c=3 h=224 k=32 stride=2",
	"c=32 h=112 k=32 groups=32",
	"c=96 h=112 k=96 groups=96 stride=2",
	"c=144 h=56 k=144 groups=144 stride=1,2",
	"c=192 h=28 k=192 groups=192 stride=1,2",
	"c=384 h=14 k=384 groups=384",
	"c=576 h=14 k=576 groups=576 stride=1,2",
	"c=960 h=7 k=960 groups=960",
	"c=32 h=112 k=16 r=1 pad=0",
	"c=16 h=112 k=96 r=1 pad=0",
	"c=96,144 h=56 k=24 r=1 pad=0",
	"c=24 h=56 k=144 r=1 pad=0",
	"c=144,192 h=28 k=32 r=1 pad=0",
	"c=32 h=28 k=192 r=1 pad=0",
	"c=192,384 h=14 k=64 r=1 pad=0",
	"c=64 h=14 k=384 r=1 pad=0",
	"c=384,576 h=14 k=96 r=1 pad=0",
	"c=96 h=14 k=576 r=1 pad=0",
	"c=576,960 h=7 k=160 r=1 pad=0",
	"c=160 h=7 k=960 r=1 pad=0",
	"c=960 h=7 k=320 r=1 pad=0",
	"c=320 h=7 k=1280 r=1 pad=0",
	NULL,
};

/* The stride is in the 3x3 of a block, as frameworks build it ("v1.5"), and in its shortcut. */
static const char *const conv2d_resnet50[] = {
	"c=3 h=224 k=64 r=7 stride=2 pad=3",
	"c=64 h=56 k=64,256 r=1 pad=0",
	"c=64 h=56 k=64",
	"c=256 h=56 k=64,128 r=1 pad=0",
	"c=128 h=56 k=128 stride=2",
	"c=256 h=56 k=512 r=1 stride=2 pad=0",
	"c=128 h=28 k=512 r=1 pad=0",
	"c=128 h=28 k=128",
	"c=512 h=28 k=128,256 r=1 pad=0",
	"c=256 h=28 k=256 stride=2",
	"c=512 h=28 k=1024 r=1 stride=2 pad=0",
	"c=256 h=14 k=1024 r=1 pad=0",
	"c=256 h=14 k=256",
	"c=1024 h=14 k=256,512 r=1 pad=0",
	"c=512 h=14 k=512 stride=2",
	"c=1024 h=14 k=2048 r=1 stride=2 pad=0",
	"c=512 h=7 k=2048 r=1 pad=0",
	"c=512 h=7 k=512",
	"c=2048 h=7 k=512 r=1 pad=0",
	NULL,
};

static const char *const conv2d_vgg16[] = {
	"c=3,64 h=224 k=64",    "c=64,128 h=112 k=128", "c=128,256 h=56 k=256",
	"c=256,512 h=28 k=512", "c=512 h=14 k=512",     NULL,
};

static const struct bench_shapes lists[] = {
	{"gemm", "bert", "BERT base: Devlin et al., NAACL 2019, section 3; 512 tokens", gemm_bert},
	{"gemm", "deepspeech", "DeepBench: github.com/baidu-research/DeepBench, training", gemm_deepspeech},
	{"gemm", "llama", "Llama 3 8B: Grattafiori et al., arXiv:2407.21783, table 3", gemm_llama},
	{"gemm", "resnet50", "ResNet-50: He et al., CVPR 2016, table 1; one image", gemm_resnet50},
	{"conv2d", "mobilenet", "MobileNetV2: Sandler et al., CVPR 2018, table 2", conv2d_mobilenet},
	{"conv2d", "resnet50", "ResNet-50: He et al., CVPR 2016, table 1", conv2d_resnet50},
	{"conv2d", "vgg16", "VGG-16: Simonyan and Zisserman, ICLR 2015, table 1, D", conv2d_vgg16},
};
#define LISTS (sizeof(lists) / sizeof(lists[0]))

const struct bench_shapes *bench_shapes_next(const char *suite, const struct bench_shapes *last)
{
	for (const struct bench_shapes *list = last ? last + 1 : lists; list < lists + LISTS; list++)
		if (!suite || strcmp(list->suite, suite) == 0)
			return list;
	return NULL;
}

const struct bench_shapes *bench_shapes_find(const char *suite, const char *name)
{
	const struct bench_shapes *list = NULL;
	while ((list = bench_shapes_next(suite, list)) && strcmp(list->name, name) != 0)
		;
	return list;
}

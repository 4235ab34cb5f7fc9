# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# scripts/fetch_mnist, from mirrors in folders of its own: no test here uses a network.

fetch=$BENCH_SOURCE/scripts/fetch_mnist
mnist=$BENCH_SOURCE/../shared/data/mnist
names="train-images-idx3-ubyte.gz train-labels-idx1-ubyte.gz t10k-images-idx3-ubyte.gz t10k-labels-idx1-ubyte.gz"

need_mnist()
{
	[ -d "$mnist" ] || skip "there is no folder $mnist"
	mnist=$(readlink -f "$mnist")
}

# Files of the right names and wrong contents, in folder wrong.
make_wrong_mirror()
{
	local name
	mkdir wrong
	for name in $names; do
		printf 'an error page' >"wrong/$name"
	done
}

nothing_is_left()
{
	local left
	left=$(ls "$1")
	[ -z "$left" ] || fail "there is $left in $1"
}

test_help_and_usage()
{
	expect 0 "$fetch" --help
	has out 'BENCH_MNIST_MIRRORS'
	has out '^https://'
	expect 2 "$fetch" --hlep
	has err '^usage:'
	expect 2 "$fetch" one two
}

test_wrong_files_are_not_kept()
{
	make_wrong_mirror
	BENCH_MNIST_MIRRORS="file://$PWD/wrong" expect 5 "$fetch" to
	has err 'its SHA-256 is another'
	nothing_is_left to
}

test_a_mirror_that_is_not_there_is_an_error()
{
	BENCH_MNIST_MIRRORS="file://$PWD/none" expect 5 "$fetch" to
	has err 'could not be fetched from any mirror'
	nothing_is_left to
}

test_a_folder_that_cannot_be_is_an_error()
{
	touch file
	expect 5 "$fetch" file/to
	has err 'cannot store anything in file/to'
}

test_the_second_mirror_is_taken_where_the_first_is_wrong()
{
	need_mnist
	make_wrong_mirror
	BENCH_MNIST_MIRRORS="file://$PWD/none file://$PWD/wrong file://$mnist" expect 0 "$fetch" to
	diff -r to "$mnist" >&2 || fail "the files are others"
	# Once more, there is nothing to do.
	BENCH_MNIST_MIRRORS="file://$PWD/none" expect 0 "$fetch" to
	has err 'train-images-idx3-ubyte.gz is there'
}

test_a_fetch_goes_on_where_it_stopped()
{
	need_mnist
	local name=train-images-idx3-ubyte.gz
	mkdir to mirror
	cp "$mnist"/* mirror
	head -c 9000000 "$mnist/$name" >"to/$name.part"
	# The mirror has only the end of it right: the beginning must come from what there was.
	chmod u+w "mirror/$name"
	printf 'xxxx' | dd of="mirror/$name" conv=notrunc status=none
	BENCH_MNIST_MIRRORS="file://$PWD/mirror" expect 0 "$fetch" to
	cmp "to/$name" "$mnist/$name" >&2 || fail "the file is another"
	[ ! -e "to/$name.part" ] || fail "there still is $name.part"
}

test_rests_that_are_wrong_whole_or_too_long_do_no_harm()
{
	need_mnist
	mkdir to
	head -c 1000 /dev/zero >to/train-images-idx3-ubyte.gz.part
	cp "$mnist/train-labels-idx1-ubyte.gz" to/train-labels-idx1-ubyte.gz.part
	head -c 2000000 /dev/zero >to/t10k-images-idx3-ubyte.gz.part
	printf 'half a file' >to/t10k-labels-idx1-ubyte.gz
	BENCH_MNIST_MIRRORS="file://$mnist" expect 0 "$fetch" to
	diff -r to "$mnist" >&2 || fail "the files are others"
}

test_the_suite_finds_them_in_the_default_folder()
{
	need_mnist
	export XDG_DATA_HOME=$PWD/data
	unset BENCH_DATA_DIR
	BENCH_MNIST_MIRRORS="file://$mnist" expect 0 "$fetch"
	expect 0 bench run --suite mnist --set data=mnist --set samples=2560 --set epochs=1 --backend openblas -k 1 \
		--budget 0.2s --format json
	[ "$(json out '[r["case"]["data"] for r in j["results"]]')" = "['mnist']" ] || fail "data is not mnist"
	BENCH_DATA_DIR=$PWD/none expect 4 bench run --suite mnist --set data=mnist --backend openblas -k 1 --budget 0.2s
	has out 'scripts/fetch_mnist fetches them'
	# A folder's path stays out of the results.
	expect 0 bench run --suite mnist --set "data=$PWD/data/bench/mnist" --set samples=2560 --set epochs=1 \
		--backend openblas -k 1 --budget 0.2s --format json
	[ "$(json out '[r["case"]["data"] for r in j["results"]]')" = "['mnist']" ] || fail "the path is in the case"
}

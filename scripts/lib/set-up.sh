# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # root and log come from the script that sources this
# The set-up that scripts/bench and scripts/test share. Sourced, with `root` set to the checkout's
# root and `log` to a file in build/, which takes what the tools print. What is said here goes to stderr.

say()
{
	printf 'bench: %s\n' "$*" >&2
}

# Something outside the program is not as it has to be: exit status 5, as in the program.
give_up()
{
	say "$@"
	exit 5
}

# Runs a step quietly; where it fails, shows the end of what it printed.
step()
{
	local what=$1
	shift
	if ! "$@" >"$log" 2>&1 9>&-; then
		tail -n 30 "$log" >&2
		give_up "$what failed; the whole output is in $log"
	fi
}

# hold NAME: makes build/ and takes the lock of that name in it: a second caller waits until the first is
# done. The lock is file descriptor 9, which no child is given; let_go or the end of the script frees it.
hold()
{
	local lock=$root/build/.$1-lock
	{ mkdir -p "$root/build" && : >>"$lock"; } 2>/dev/null ||
		give_up "cannot write to $root/build, where the program is built"
	exec 9>>"$lock"
	flock -n 9 || {
		say "another $1 is at work in $root; waiting for it"
		flock 9
	}
}

let_go()
{
	exec 9>&-
}

# Is it there? By what it gives and not by package name, so that it may come from elsewhere.
is_there()
{
	local file
	case $1 in
	command:*) command -v "${1#*:}" >/dev/null ;;
	pkgconfig:*) pkg-config --exists "${1#*:}" 2>/dev/null ;;
	header:*) printf '#include <%s>\n' "${1#*:}" | gcc -E -o /dev/null - 2>/dev/null ;;
	file:*) compgen -G "${1#*:}" >/dev/null ;;
	python:*) python3 -c "import ${1#*:}" 2>/dev/null ;;
	icd:any)
		for file in /etc/OpenCL/vendors/*.icd; do
			[ -e "$file" ] && return 0
		done
		return 1
		;;
	*) give_up "scripts/lib/packages: nothing is known of '$1'" ;;
	esac
}

# A failure to refresh the lists is not one yet: those that are here may do.
install_packages()
{
	local package optional_here=() apt=("${superuser[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
		-o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
	"${apt[@]}" update || true
	for package in "${optional[@]}"; do
		! apt-cache show "$package" || optional_here+=("$package")
	done
	"${apt[@]}" install --no-install-recommends "$@" "${optional_here[@]}"
}

# Fills `missing` (packages) and `names` (with what they give) for the uses given, and `optional` with missing packages
# that a system need not have.
find_missing()
{
	local use package probe gives
	missing=() names=() optional=()
	while read -r use package probe gives; do
		if [[ " $* " != *" ${use%\?} "* ]] || is_there "$probe"; then
			continue
		elif [[ $use == *\? ]]; then
			optional+=("$package")
		else
			missing+=("$package") names+=("$package ($gives)")
		fi
	done < <(grep -v '^#' "$root/scripts/lib/packages")
}

# Installs what is missing of the packages for the uses given: need build [test] [fuzz]. Calls the
# package manager only where something is missing.
need()
{
	local system missing names optional package superuser=()
	find_missing "$@"
	if [ ${#missing[@]} = 0 ]; then
		# By the lists as they are: where the system has none of them, a second call is not to ask again.
		for package in "${optional[@]}"; do
			! apt-cache show "$package" >/dev/null 2>&1 || missing+=("$package")
		done
		optional=()
	fi
	[ ${#missing[@]} -gt 0 ] || return 0

	# shellcheck source=/dev/null
	system=$(. /etc/os-release 2>/dev/null && echo "${ID-}:${VERSION_ID-}") || system=unknown
	case $system in
	debian:12 | debian:13 | ubuntu:24.04) ;;
	debian:* | ubuntu:*) say "warning: set-up has not been tried on $system, and is tried now" ;;
	*)
		say "missing here, by their Debian names:"
		printf '  %s\n' "${names[@]}" >&2
		give_up "set-up installs packages on Debian and Ubuntu only (this is $system);" \
			"install them and run this again"
		;;
	esac
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null ||
			give_up "packages are missing and there is no sudo; as root: apt-get install ${missing[*]}"
		superuser=(sudo)
	fi

	say "installing: ${missing[*]}"
	step "installing packages" install_packages "${missing[@]}"
	hash -r
	find_missing "$@"
	[ ${#missing[@]} = 0 ] || give_up "installed, and still not found: ${names[*]}"
	[ ${#optional[@]} = 0 ] || say "this system has no ${optional[*]}: what needs it is skipped"
}

# configure PRESET FOLDER: FOLDER is the preset's. A folder that was configured from another place (the
# checkout was moved or copied) or in another way is started anew.
configure()
{
	local cache=$2/CMakeCache.txt fresh=()
	if [ -e "$cache" ] && ! { grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" &&
		grep -qxF "CMAKE_GENERATOR:INTERNAL=Ninja" "$cache"; }; then
		fresh=(--fresh)
	fi
	step "configuring $2" cmake -S "$root" --preset "$1" "${fresh[@]}"
}

/*
 * What a launch and a compilation cost. With STAMP: a kernel that writes this number, so that each number makes
 * another program, which no cache has before the number was used. Without: a kernel that does
 * nothing. They are different programs, since some drivers compile all kernels of one.
 */
#ifdef STAMP
__kernel void stamp(__global ulong *out)
{
	out[0] = STAMP;
}
#else
__kernel void empty(void)
{
}
#endif

/* Replaces libc's _exit when lines are counted (SAN=coverage): a process' counts are written before
 * it ends so. A signal's counts are lost. */
#include <gcov.h>
#include <sys/syscall.h>
#include <unistd.h>

void _exit(int status)
{
	__gcov_dump();
	for (;;)
		syscall(SYS_exit_group, status);
}

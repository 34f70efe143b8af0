/* In the place of libc's _exit where lines are counted (SAN=coverage): what a process has
 * counted is written before it ends so. A signal's counts are lost. */
#include <gcov.h>
#include <sys/syscall.h>
#include <unistd.h>

void _exit(int status)
{
	__gcov_dump();
	for (;;)
		syscall(SYS_exit_group, status);
}

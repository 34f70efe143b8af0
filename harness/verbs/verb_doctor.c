/* doctor: a line per thing that launchgap can use: it is there, or what it would add and how to
 * get it. */
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../backend/table.h"
#include "../machine.h"
#include "../mpi/mpi_load.h"
#include "../report/page.h"
#include "verbs.h"

static void print_finding(bool ok, const char *what, const char *found)
{
	char lead[64];
	snprintf(lead, sizeof lead, "  %-3s %-18.40s ", ok ? "ok" : "--", what);
	page_wrap(stdout, lead, 25, found);
}

static void print_program(const char *name, const char *lacking)
{
	bool ok = machine_has_program(name);
	print_finding(ok, name, ok ? "on the PATH" : lacking);
}

static void examine_backends(void)
{
	for (const struct backend *const *b = backend_table; *b; b++) {
		struct status why = {0};
		char text[1100];
		unsigned ranks = backend_capacity((*b)->name, &why);
		if (!ranks)
			snprintf(text, sizeof text, "%s", why.text);
		else if (ranks == UINT_MAX)
			snprintf(text, sizeof text, "runs on any machine");
		else
			snprintf(text, sizeof text, "%u GPUs", ranks);
		print_finding(ranks > 0, (*b)->name, text);
	}
}

static void examine_mpi(void)
{
	char library[64];
	struct status why = {0};
	bool ok = !mpi_find(library, sizeof library, &why);
	print_finding(ok, "MPI", ok ? library : why.text);
}

static void examine_shared_memory(void)
{
	struct statvfs fs;
	char text[160] = "no /dev/shm; mpirun's files go to /tmp";
	bool ok = !statvfs("/dev/shm", &fs);
	double mib = ok ? (double)fs.f_bavail * (double)fs.f_frsize / (1 << 20) : 0;
	if (ok)
		snprintf(text, sizeof text, "%.0f MiB free%s", mib,
		         mib < 256 ? "; NCCL's host path wants more (docker run --shm-size=1g)"
		                   : "");
	print_finding(ok && mib >= 256, "/dev/shm", text);
}

/* 0 even when something is missing: a machine without GPUs is a machine too. */
int verb_doctor(int argc, char *argv[], const struct home *home, struct status *st)
{
	char text[160];
	(void)argc, (void)argv, (void)home, (void)st;
	printf("launchgap " LAUNCHGAP_COMMIT "\nbackends\n");
	examine_backends();
	printf("programs\n");
	print_program("mpirun", "would add the launcher mpirun: apt-get install openmpi-bin");
	examine_mpi();
	print_program("gnuplot", "would add the pictures: apt-get install gnuplot-nox");
	printf("machine\n");
	snprintf(text, sizeof text, "%u usable (affinity and cgroup quota)%s", machine_cores(),
	         machine_cores() < 2 ? "; with more ranks than cores waiting yields, and no "
	                               "latency is claimed"
	                             : "");
	print_finding(machine_cores() > 1, "cores", text);
	examine_shared_memory();
	return 0;
}

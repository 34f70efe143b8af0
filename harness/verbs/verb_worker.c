/* worker: the job of a trial; only the runner starts it. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <unistd.h>

#include "../../modes/enter.h"
#include "../../modes/mode.h"
#include "../backend/table.h"
#include "../machine.h"
#include "../memory.h"
#include "../record/record.h"
#include "../run/job.h"
#include "../core/watchdog.h"
#include "../core/worker.h"
#include "verbs.h"

/* To see a deadline, and for all to leave after a failure; as a cell may take, if that is less. */
#define GRACE_S 5

/* Shared by the workers of a job; read-only, except for what the first one sets. */
struct order {
	struct trial *trial;
	const struct backend *backend;
	const char *file, *by; /* by: its launcher */
	struct team *team;     /* the watchdog's, of the first process alone */
	struct watchdog *dog;
	int gate; /* from the runner; -1: not open */
};

/* Writes the file as a whole: a process that is killed meanwhile leaves no partial lines. */
static int write_file(const struct order *order, struct team *team, struct status *st)
{
	char file[PATH_MAX], part[PATH_MAX + 8];
	snprintf(file, sizeof file, "%s.lines", order->file);
	snprintf(part, sizeof part, "%s.part", file);
	FILE *out = fopen(part, "we");
	int result = out ? record_write_trial(out, order->trial, team, team_area(team), st) : -1;
	if (!out || fclose(out) || (!result && rename(part, file)))
		result = status_set(st, "cannot write %s: %s", file, strerror(errno));
	return result;
}

/* For the watchdog: the job ends right after. What other hosts measured is lost. */
static void keep_lines(void *arg)
{
	const struct order *order = arg;
	struct status ignored = {0};
	if (team_first(order->team) == 0)
		write_file(order, order->team, &ignored);
}

/* Waits until the runner lets it go on. A job without a runner has no gate. */
static void pass_gate(void *arg)
{
	struct order *order = arg;
	char file[PATH_MAX], go;
	snprintf(file, sizeof file, "%s" LAUNCHER_GATE, order->file);
	if (order->gate < 0 && (order->gate = open(file, O_RDONLY | O_CLOEXEC)) >= 0)
		unlink(file);
	if (order->gate >= 0 && read(order->gate, &go, 1) < 0)
		status_say("cannot read %s: %s", file, strerror(errno));
}

static void give_turn(void *arg, bool measured)
{
	const struct order *order = arg;
	launcher_say(order->file, measured ? LAUNCHER_MEASURED : LAUNCHER_GIVES);
	pass_gate(arg);
}

static void work(struct team *team, unsigned index, void *arg)
{
	struct order *order = arg;
	const unsigned cell_s = order->trial->cell_timeout_s;
	if (index == team_first(team) && cell_s) {
		order->team = team;
		order->dog = watchdog_start(order->trial, team, cell_s < GRACE_S ? cell_s : GRACE_S,
		                            keep_lines, order);
	}
	const struct loop_calls calls = {pass_gate, give_turn, order};
	worker_run(order->trial, order->backend, team, index, &calls);
}

/* Of each of several hosts, by its first worker: the record's machine is the runner's. */
static void add_host(char *facts)
{
	static const char *const keys[] = {"cpu",    "cores", "numa_nodes", "memory",
	                                   "kernel", "os",    "driver",     "networks"};
	json_t *machine = machine_describe();
	for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
		const json_t *value = json_object_get(machine, keys[i]);
		if (json_is_string(value))
			status_add(facts, TEAM_FACTS_BYTES, "host_%s=%s\n", keys[i],
			           json_string_value(value));
		else if (json_is_integer(value))
			status_add(facts, TEAM_FACTS_BYTES, "host_%s=%lld\n", keys[i],
			           (long long)json_integer_value(value));
	}
	json_decref(machine);
}

/* In the first process of each host, when all are done. The first host's has the record: it writes
 * the trial's lines beside its order. They include wrong data, which still fails the trial. */
static int write_lines(struct team *team, void *arg, struct status *st)
{
	const struct order *order = arg;
	watchdog_over(order->dog);
	/* After a failure others may still be in a call. */
	if (team_first(team) == 0 && !team_failure(team))
		launcher_say(order->file, LAUNCHER_MEASURED);
	if (team_hosts_link(team))
		add_host(team_facts(team, team_first(team)));
	/* What a failure leaves is incomplete; it is written without the other hosts. */
	int result = team_failure(team) ? 0 : sample_collect(order->trial, team, st);
	status_add(team_facts(team, 0), TEAM_FACTS_BYTES, "launcher=%s\n", order->by);
	if (!result && team_first(team) == 0)
		result = write_file(order, team, st);
	watchdog_leave(order->dog);
	if (!result && team_failure(team))
		result = status_set(st, "%s", team_failure(team));
	if (result || team_first(team))
		return result;
	return record_check_data(order->trial, team_area(team), st);
}

/* The runner's files are on its own host, which has to have the first process. */
static void say_elsewhere(struct status *why)
{
	char name[MACHINE_HOST_BYTES];
	machine_host(name);
	name[strcspn(name, " ")] = '\0'; /* without the boot */
	why->text[0] = '\0';
	status_set(why,
	           "the first process is on host %s, which does not have the run's files: start "
	           "the run on that host, or name the run's own host first in hosts",
	           name);
}

/* The first process gives it to all others, which may have no such file. The caller frees it. */
static void *take_bytes(const char *file, struct peers *rendezvous, size_t *bytes,
                        struct status *st)
{
	struct {
		size_t bytes;
		struct status why;
	} head = {0};
	void *order = NULL;
	if (rendezvous->me == 0) {
		order = trial_read(file, &head.bytes, &head.why);
		if (!order && rendezvous->size > 1 && errno == ENOENT)
			say_elsewhere(&head.why);
	}
	if (peers_first(rendezvous, &head, sizeof head, st))
		goto fail;
	*bytes = head.bytes;
	if (!head.bytes) {
		status_set(st, "%s", head.why.text);
		goto fail;
	}
	if (!order)
		order = memory_take(1, head.bytes);
	if (!peers_first(rendezvous, order, head.bytes, st))
		return order;
fail:
	free(order);
	return NULL;
}

/* N worlds of one: each process hears that it is alone, and none would know of the others. */
static int check_size(const struct launched *as, const struct peers *rendezvous, struct status *st)
{
	const unsigned size = rendezvous->size;
	if (size == as->processes)
		return 0;
	if (size == 1)
		return status_set(
		    st,
		    "%s started %u processes that are %u worlds of one: the MPI that this program "
		    "has loaded does not know its launcher. Start it with that MPI's own mpirun, "
		    "with srun --mpi=pmix, or without MPI: launcher = exec",
		    as->by->name, as->processes, as->processes);
	return status_set(st, "%s started %u processes, and the layout has %u", as->by->name, size,
	                  as->processes);
}

static int take_order(struct order *order, const struct launched *as, struct peers *rendezvous,
                      struct status *st)
{
	size_t bytes;
	void *read =
	    check_size(as, rendezvous, st) ? NULL : take_bytes(as->order, rendezvous, &bytes, st);
	int result = read ? trial_take(read, bytes, as->order, &order->trial, st) : -1;
	free(read);
	if (result)
		return -1;
	sample_place(order->trial);
	const struct settings *set = &order->trial->settings;
	order->backend = backend_find(set->backend);
	if (!order->backend || !mode_pick(set->mode, set->layout, settings_hosts(set)))
		return status_set(st, "%s: no such backend, or mode '%s' has no such layout",
		                  as->order, set->mode);
	/* A process that will be isolated may not use a device before; the plan has checked it. */
	return settings_isolates(set) ? 0 : order->backend->supports(order->trial, st);
}

static int enter(struct order *order, const struct launched *as, struct peers *rendezvous,
                 struct status *st)
{
	const struct trial *trial = order->trial;
	const struct settings *set = &trial->settings;
	size_t (*store_bytes)(const struct trial *) = order->backend->store_bytes;
	char folder[PATH_MAX];
	snprintf(folder, sizeof folder, "%s", as->order);
	const struct run run = {
	    .as = as,
	    .rendezvous = rendezvous,
	    .layout = set->layout,
	    .hosts = settings_hosts(set),
	    .shape = {.nranks = layout_ranks(set->layout),
	              .nworkers = layout_workers(set->layout),
	              .yield = trial->yield,
	              .area_bytes = sample_area_bytes(trial),
	              .store_bytes = store_bytes ? store_bytes(trial) : 0},
	    .isolates = settings_isolates(set),
	    .isolation = {.what = set->isolate,
	                  .own_gpus = set->visible == VISIBLE_OWN,
	                  .ranks_per_gpu = set->ranks_per_gpu,
	                  .keep = dirname(folder)},
	};
	return enter_run(&run, work, write_lines, order, st);
}

/* worker LAUNCHER ORDER PROCESSES WAIT [RANK] (launcher_command, launcher_become) */
static int read_launched(int argc, char *argv[], const struct home *home, struct launched *out,
                         struct status *st)
{
	char after = 'x';
	const bool right = argc == 6 || argc == 7;
	if (right)
		*out = (struct launched){.by = launcher_find(argv[2]),
		                         .self = home->self,
		                         .order = argv[3],
		                         .yield = !strcmp(argv[5], "yield"),
		                         .rank = argv[6]};
	if (!right || !out->by || sscanf(argv[4], "%5u%c", &out->processes, &after) != 1 ||
	    !out->processes)
		return status_set(st, "only launchers call worker: it takes a launcher's name, a "
		                      "trial's file, the number of processes, and yield or spin");
	return 0;
}

int verb_worker(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct launched as = {0};
	struct order order = {.gate = -1};
	struct peers rendezvous = {0};
	int result = -1;
	job_follow_parent();
	if (read_launched(argc, argv, home, &as, st))
		return -1;
	order.file = as.order;
	order.by = as.by->name;
	if (as.by->find ? as.by->find(&as, &rendezvous, st) : peers_open_mpi(&rendezvous, st)) {
		peers_close(&rendezvous);
		return -1;
	}
	if (!take_order(&order, &as, &rendezvous, st))
		result = enter(&order, &as, &rendezvous, st);
	else if (as.by->leave)
		as.by->leave(&as, &rendezvous, NULL, 0);
	else
		peers_close(&rendezvous);
	if (order.gate >= 0)
		close(order.gate);
	trial_free(order.trial);
	return result;
}

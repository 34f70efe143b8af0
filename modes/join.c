/* join: the agents of `launchgap join`, started by others, start the job's processes (agent.h). */
#include "agent.h"
#include "launcher.h"

static bool join_reigns(void)
{
	return machine_env(AGENT_JOIN);
}

/* Whether each of the first `hosts` has `each` agents. */
static int check_hosts(const struct agents *all, unsigned hosts, unsigned each, struct status *st)
{
	const char *few = "";
	char list[256] = "";
	unsigned has = each;
	for (unsigned h = 0; h < all->nhosts; h++) {
		const char *name = "";
		unsigned agents = 0;
		for (unsigned i = 0; i < all->size; i++)
			if (all->seats[i].nhost == h) {
				name = all->seats[i].host;
				agents++;
			}
		if (h < hosts && agents < has) {
			has = agents;
			few = name;
		}
		status_list(list, sizeof list, name);
	}
	if (all->nhosts < hosts)
		return status_set(st, "hosts = %u asks for more than joined: %u (%s)", hosts,
		                  all->nhosts, list);
	if (has < each)
		return status_set(st,
		                  "%u agent%s joined on %s, and the layout has %u processes on "
		                  "each host: start so many, as by torchrun --nproc-per-node %u",
		                  has, has == 1 ? "" : "s", few, each, each);
	return 0;
}

static int join_supports(const struct settings *set, struct status *st)
{
	struct agents *all = agents_map();
	int result;
	if (!all)
		return status_set(
		    st, "launcher = join starts processes where others have started agents; begin "
		        "the run by `launchgap join` (its --help says how)");
	if (hosts_named(set->hosts))
		result = status_set(st, "launcher = join has the hosts on which agents were "
		                        "started; allowed is hosts = this, or their number");
	else
		result = check_hosts(all, settings_hosts(set), settings_on_host(set).processes, st);
	agents_unmap(all);
	return result;
}

const struct launcher launcher_join = {
    .name = "join",
    .summary = "processes that others started for `launchgap join`, without MPI",
    .queues = true,
    .several = true,
    .supports = join_supports,
    .reigns = join_reigns,
    .find = launcher_meet,
};

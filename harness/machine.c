#include "machine.h"
#include "memory.h"

#include <dirent.h>
#include <glob.h>
#include <hwloc.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

extern char **environ;

struct machine_binding {
	hwloc_topology_t topology;
	hwloc_cpuset_t allowed; /* the thread's cores before anything was bound */
};

const char *machine_env(const char *name)
{
	return getenv(name);
}

/* The entries of a comma-separated list, from `first` on. */
static const char *list_from(const char *list, unsigned first)
{
	for (; list && first; first--) {
		list = strchr(list, ',');
		list = list ? list + 1 : NULL;
	}
	return list;
}

void machine_show_gpus(unsigned first, unsigned count)
{
	const char *shown = list_from(getenv("CUDA_VISIBLE_DEVICES"), first);
	char list[512] = "", one[64];
	for (unsigned i = 0; i < count; i++) {
		const char *entry = list_from(shown, i);
		snprintf(one, sizeof one, "%u", first + i);
		if (entry)
			snprintf(one, sizeof one, "%.*s", (int)strcspn(entry, ","), entry);
		status_add(list, sizeof list, "%s%s", *list ? "," : "", one);
	}
	if (count)
		setenv("CUDA_VISIBLE_DEVICES", list, 1);
	else
		unsetenv("CUDA_VISIBLE_DEVICES");
}

void machine_part_logs(unsigned process)
{
	const char *file = getenv("NCCL_DEBUG_FILE");
	char own[PATH_MAX];
	if (!file || snprintf(own, sizeof own, "%s.%u", file, process) >= (int)sizeof own)
		return;
	setenv("NCCL_DEBUG_FILE", own, 1);
}

bool machine_has_program(const char *name)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];
	while (path && *path) {
		size_t n = strcspn(path, ":");
		snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name);
		if (!access(file, X_OK))
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

/* First line of a file; false if there is none. */
static bool read_line(const char *file, char *text, size_t bytes)
{
	FILE *f = fopen(file, "re");
	bool ok = f && fgets(text, (int)bytes, f);
	if (f)
		fclose(f);
	if (ok)
		text[strcspn(text, "\n")] = '\0';
	return ok;
}

void machine_host(char out[MACHINE_HOST_BYTES])
{
	struct utsname name;
	char boot[40] = "";
	const char *said = getenv(MACHINE_HOST);
	uname(&name);
	read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
	memset(out, 0, MACHINE_HOST_BYTES);             /* all of it is compared */
	if (said && strlen(said) >= MACHINE_HOST_BYTES) /* two that begin the same are two */
		snprintf(out, MACHINE_HOST_BYTES, "%.80s~%016llx", said,
		         (unsigned long long)XXH3_64bits(said, strlen(said)));
	else if (said)
		snprintf(out, MACHINE_HOST_BYTES, "%s", said);
	else
		snprintf(out, MACHINE_HOST_BYTES, "%.64s %s", name.nodename, boot);
}

void machine_host_name(char out[MACHINE_HOST_BYTES])
{
	machine_host(out);
	out[strcspn(out, " ")] = '\0';
}

/* The value of `key` in a file of "key : value" lines. */
static bool read_field(const char *file, const char *key, char *value, size_t bytes)
{
	char line[512];
	bool found = false;
	FILE *f = fopen(file, "re");
	while (f && !found && fgets(line, sizeof line, f)) {
		char *colon = strpbrk(line, ":=");
		if (!colon || strncmp(line, key, strlen(key)))
			continue;
		colon += 1 + strspn(colon + 1, " \t\"");
		colon[strcspn(colon, "\"\n")] = '\0';
		snprintf(value, bytes, "%s", colon);
		found = true;
	}
	if (f)
		fclose(f);
	return found;
}

/* Whole cores of the cgroup's quota (v2, then v1), or 0 for no limit. */
static unsigned quota_cores(void)
{
	char own[512] = "", file[1024], text[128];
	double quota = -1, period = 0;
	if (read_line("/proc/self/cgroup", own, sizeof own) && strncmp(own, "0::", 3) == 0)
		snprintf(file, sizeof file, "/sys/fs/cgroup%s/cpu.max", own + 3);
	else
		snprintf(file, sizeof file, "/sys/fs/cgroup/cpu.max");
	if ((read_line(file, text, sizeof text) ||
	     read_line("/sys/fs/cgroup/cpu.max", text, sizeof text)) &&
	    sscanf(text, "%lf %lf", &quota, &period) == 2 && period > 0)
		return quota < period ? 1 : (unsigned)(quota / period);
	if (read_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", text, sizeof text))
		quota = atof(text);
	if (read_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", text, sizeof text))
		period = atof(text);
	if (quota <= 0 || period <= 0)
		return 0;
	return quota < period ? 1 : (unsigned)(quota / period);
}

unsigned machine_cores(void)
{
	cpu_set_t set;
	unsigned cores = sched_getaffinity(0, sizeof set, &set)
	                     ? (unsigned)sysconf(_SC_NPROCESSORS_ONLN)
	                     : (unsigned)CPU_COUNT(&set),
	         quota = quota_cores();
	if (quota && quota < cores)
		cores = quota;
	return cores ? cores : 1;
}

long long machine_memory_share(unsigned processes)
{
	const char *rollup = "/proc/self/smaps_rollup";
	char all[64], shared[64], files[64];
	if (!read_field(rollup, "Pss", all, sizeof all))
		return -1;
	const long long kib = atoll(all);
	if (!read_field(rollup, "Pss_File", shared, sizeof shared) ||
	    !read_field("/proc/self/status", "RssFile", files, sizeof files))
		return 1024 * kib;
	return 1024 * (kib - atoll(shared) + atoll(files) / processes);
}

/* NVIDIA's driver lists its GPUs in /proc; no library is needed to name them. */
static json_t *describe_gpus(void)
{
	const char *root = "/proc/driver/nvidia/gpus";
	json_t *gpus = json_array();
	struct dirent **entries;
	int n = scandir(root, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char file[PATH_MAX], name[128], uuid[64] = "";
		snprintf(file, sizeof file, "%s/%s/information", root, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.' && read_field(file, "Model", name, sizeof name)) {
			/* "GPU-????…" until something has opened it. */
			if (!read_field(file, "GPU UUID", uuid, sizeof uuid) || strchr(uuid, '?'))
				uuid[0] = '\0';
			json_array_append_new(gpus,
			                      json_pack("{s:s, s:s, s:s}", "name", name, "pci",
			                                entries[i]->d_name, "uuid", uuid));
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return gpus;
}

/* The driver's version is the word of digits and dots in a long line. */
static void read_driver(char *version, size_t bytes)
{
	char line[256] = "", *rest = line, *word;
	if (!read_field("/proc/driver/nvidia/version", "NVRM version", line, sizeof line))
		return;
	while ((word = strsep(&rest, " ")))
		if (strchr(word, '.') && strspn(word, "0123456789.") == strlen(word))
			snprintf(version, bytes, "%s", word);
}

/* Of an interface, Mb/s; 0: it has no device, is down, or does not say. */
static double interface_mbps(const char *dir)
{
	char file[PATH_MAX], text[64];
	snprintf(file, sizeof file, "%s/device", dir);
	if (access(file, F_OK))
		return 0;
	snprintf(file, sizeof file, "%s/speed", dir);
	return read_line(file, text, sizeof text) ? atof(text) : 0;
}

/* Of a port for verbs, whose rate reads "200 Gb/sec (4X HDR)". */
static double port_mbps(const char *dir)
{
	char file[PATH_MAX], text[64];
	snprintf(file, sizeof file, "%s/state", dir);
	if (!read_line(file, text, sizeof text) || !strstr(text, "ACTIVE"))
		return 0;
	snprintf(file, sizeof file, "%s/rate", dir);
	return read_line(file, text, sizeof text) ? 1000 * atof(text) : 0;
}

void machine_networks(const char *class, char *text, size_t bytes)
{
	char pattern[256];
	text[0] = '\0';
	for (int verbs = 0; verbs < 2; verbs++) {
		glob_t found;
		snprintf(pattern, sizeof pattern, "%s/%s", class,
		         verbs ? "infiniband/?*/ports/?*" : "net/?*");
		if (glob(pattern, 0, NULL, &found))
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *dir = found.gl_pathv[i], *port = strstr(dir, "/ports/"),
			           *name = dir + strlen(class) +
			                   (verbs ? strlen("/infiniband/") : strlen("/net/"));
			const double mbps = verbs ? port_mbps(dir) : interface_mbps(dir);
			const int letters = verbs ? (int)(port - name) : (int)strlen(name);
			if (mbps > 0)
				status_add(text, bytes, "%s%s%.*s%s%s %.0f", *text ? ", " : "",
				           verbs ? "IB " : "", letters, name, verbs ? ":" : "",
				           verbs ? port + strlen("/ports/") : "", mbps);
		}
		globfree(&found);
	}
}

static json_t *describe_env(void)
{
	static const char *const kept[] = {"NCCL_", "CUDA_", "OMPI_MCA_", "UCX_", "GLOO_"};
	json_t *env = json_object();
	for (char **e = environ; *e; e++) {
		size_t n = strcspn(*e, "=");
		char name[256];
		for (unsigned k = 0; k < sizeof kept / sizeof *kept; k++) {
			if (strncmp(*e, kept[k], strlen(kept[k])) || n >= sizeof name || !(*e)[n])
				continue;
			snprintf(name, sizeof name, "%.*s", (int)n, *e);
			json_object_set_new(env, name, json_string(*e + n + 1));
		}
	}
	return env;
}

/* How many processes ran or wanted to over the last minute (the load); -1: not known. */
static double machine_load(void)
{
	double load;
	return getloadavg(&load, 1) == 1 ? load : -1;
}

json_t *machine_describe(void)
{
	char cpu[256] = "unknown", os[256] = "unknown", memory[64] = "", driver[256] = "";
	char clock_source[64] = "unknown", boot[64] = "", networks[1024];
	struct utsname name = {0};
	const double load = machine_load();
	hwloc_topology_t topology;
	int numa = 1;
	uname(&name);
	if (!read_field("/proc/cpuinfo", "model name", cpu, sizeof cpu))
		read_field("/proc/cpuinfo", "CPU implementer", cpu, sizeof cpu);
	read_field("/etc/os-release", "PRETTY_NAME", os, sizeof os);
	read_field("/proc/meminfo", "MemTotal", memory, sizeof memory);
	read_driver(driver, sizeof driver);
	read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", clock_source,
	          sizeof clock_source);
	read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
	machine_networks("/sys/class", networks, sizeof networks);
	if (!hwloc_topology_init(&topology)) {
		if (!hwloc_topology_load(topology))
			numa = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
		hwloc_topology_destroy(topology);
	}
	return json_pack(
	    "{s:s, s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:o, s:o}", "host",
	    name.nodename, "boot", boot, "cpu", cpu, "cores", (int)machine_cores(), "online",
	    (int)sysconf(_SC_NPROCESSORS_ONLN), "numa_nodes", numa, "memory", memory, "kernel",
	    name.release, "os", os, "clock", clock_source, "driver", driver, "networks", networks,
	    "load1", load, "gpus", describe_gpus(), "environment", describe_env());
}

static void put_index(json_t *to, const char *key, hwloc_topology_t t, hwloc_obj_type_t type,
                      hwloc_obj_t near)
{
	hwloc_obj_t obj =
	    type == HWLOC_OBJ_NUMANODE
	        ? hwloc_get_numanode_obj_by_os_index(t, (unsigned)hwloc_bitmap_first(near->nodeset))
	        : hwloc_get_ancestor_obj_by_type(t, type, near);
	/* A device that is near to several nodes, or to none, belongs to no node. */
	if (obj && (type != HWLOC_OBJ_NUMANODE || hwloc_bitmap_weight(near->nodeset) == 1))
		json_object_set_new(to, key, json_integer((json_int_t)obj->logical_index));
}

/* Bridges from the root down to a device, with their speed by hwloc. */
static void put_bridges(json_t *gpu, hwloc_obj_t device)
{
	json_t *bridges = json_array();
	for (hwloc_obj_t b = device->parent; b; b = b->parent) {
		const struct hwloc_pcidev_attr_s *up =
		    b->attr ? &b->attr->bridge.upstream.pci : NULL;
		if (b->type != HWLOC_OBJ_BRIDGE ||
		    b->attr->bridge.upstream_type != HWLOC_OBJ_BRIDGE_PCI)
			continue;
		json_array_insert_new(bridges, 0,
		                      json_pack("{s:o, s:f}", "pci",
		                                json_sprintf("%04x:%02x:%02x.%x", up->domain,
		                                             up->bus, up->dev, up->func),
		                                "gbs", (double)up->linkspeed));
	}
	json_object_set_new(gpu, "bridges", bridges);
}

static json_t *core_list(hwloc_topology_t t)
{
	json_t *cores = json_array();
	for (hwloc_obj_t c = NULL; (c = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_CORE, c));) {
		json_t *core = json_pack("{s:i}", "core", (int)c->os_index);
		put_index(core, "numa", t, HWLOC_OBJ_NUMANODE, c);
		put_index(core, "socket", t, HWLOC_OBJ_PACKAGE, c);
		put_index(core, "cache", t, HWLOC_OBJ_L3CACHE, c);
		json_array_append_new(cores, core);
	}
	return cores;
}

json_t *machine_places(json_t *topology)
{
	hwloc_topology_t t;
	size_t i;
	json_t *gpu;
	topology = topology ? topology : json_object();
	if (!topology || hwloc_topology_init(&t))
		return topology;
	/* Without the drivers' data: for that hwloc would start OpenCL, CUDA and others. */
	hwloc_topology_set_type_filter(t, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_type_filter(t, HWLOC_OBJ_BRIDGE, HWLOC_TYPE_FILTER_KEEP_ALL);
	if (hwloc_topology_load(t)) {
		hwloc_topology_destroy(t);
		return topology;
	}
	json_array_foreach(json_object_get(topology, "gpus"), i, gpu)
	{
		hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(
		    t, json_string_value(json_object_get(gpu, "pci")));
		hwloc_obj_t near = device ? hwloc_get_non_io_ancestor_obj(t, device) : NULL;
		if (!near)
			continue;
		put_index(gpu, "numa", t, HWLOC_OBJ_NUMANODE, near);
		put_index(gpu, "socket", t, HWLOC_OBJ_PACKAGE, near);
		put_bridges(gpu, device);
	}
	json_object_set_new(topology, "cores", core_list(t));
	hwloc_topology_destroy(t);
	return topology;
}

static bool is_usable(hwloc_obj_t obj, hwloc_const_cpuset_t allowed, hwloc_const_cpuset_t within)
{
	return hwloc_bitmap_intersects(obj->cpuset, allowed) &&
	       (!within || hwloc_bitmap_intersects(obj->cpuset, within));
}

/* A worker's own object of the allowed ones inside `within` (NULL: anywhere), if each has one. */
static hwloc_obj_t pick(const struct machine_binding *b, hwloc_const_cpuset_t within,
                        hwloc_obj_type_t type, const struct machine_seat *seat)
{
	hwloc_obj_t obj = NULL;
	unsigned n = 0, before = seat->worker;
	while ((obj = hwloc_get_next_obj_by_type(b->topology, type, obj)))
		n += is_usable(obj, b->allowed, within);
	if (n < seat->nworkers)
		return NULL;
	if (seat->bind != BIND_CLOSE)
		before = (unsigned)((size_t)seat->worker * n / seat->nworkers);
	while ((obj = hwloc_get_next_obj_by_type(b->topology, type, obj)))
		if (is_usable(obj, b->allowed, within) && before-- == 0)
			break;
	return obj;
}

static void bind_to(const struct machine_binding *b, hwloc_obj_t obj, const char *what, char *text,
                    size_t bytes)
{
	hwloc_cpuset_t set = hwloc_bitmap_dup(obj->cpuset);
	hwloc_bitmap_and(set, set, b->allowed);
	/* A core's first hardware thread, so that two workers never share one by accident. */
	if (obj->type == HWLOC_OBJ_CORE)
		hwloc_bitmap_singlify(set);
	if (!hwloc_set_cpubind(b->topology, set, HWLOC_CPUBIND_THREAD))
		snprintf(text, bytes, "%s %u", what, obj->os_index);
	else
		snprintf(text, bytes, "none (the system refused %s %u)", what, obj->os_index);
	hwloc_bitmap_free(set);
}

static void bind_in(const struct machine_binding *b, const struct machine_seat *seat, char *text,
                    size_t bytes)
{
	hwloc_topology_t t = b->topology;
	const bool numa = seat->bind == BIND_NUMA,
	           near = seat->bind == BIND_CLOSE || seat->bind == BIND_NEAR_GPU;
	hwloc_obj_t node =
	    seat->numa >= 0 ? hwloc_get_numanode_obj_by_os_index(t, (unsigned)seat->numa) : NULL;
	hwloc_const_cpuset_t within = near && node ? node->cpuset : NULL;
	hwloc_obj_t obj;
	/* The device has no known one: nodes are distributed among workers. */
	const int nodes = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE);
	if (numa && !node && nodes > 0)
		node = hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE,
		                             seat->worker * (unsigned)nodes / seat->nworkers);
	if (node && (numa || (near && seat->opening))) {
		bind_to(b, node, "numa", text, bytes);
		return;
	}
	/* Numbered over the whole team: no two get one core. */
	obj = pick(b, within, HWLOC_OBJ_CORE, seat);
	if (!obj && within)
		obj = pick(b, NULL, HWLOC_OBJ_CORE, seat);
	if (!obj)
		obj = pick(b, NULL, HWLOC_OBJ_PU, seat);
	/* If no node is known to be near, as in many virtual machines: the core's own node. */
	if (obj && seat->opening && near)
		node = hwloc_get_numanode_obj_by_os_index(
		    t, (unsigned)hwloc_bitmap_first(obj->nodeset));
	if (node && seat->opening && near)
		bind_to(b, node, "numa", text, bytes);
	else if (obj)
		bind_to(b, obj, obj->type == HWLOC_OBJ_CORE ? "core" : "pu", text, bytes);
	else
		snprintf(text, bytes, "none (fewer cores than workers)");
}

struct machine_binding *machine_binding_take(void)
{
	struct machine_binding *binding = memory_take(1, sizeof *binding);
	binding->allowed = hwloc_bitmap_alloc();
	if (!binding->allowed || hwloc_topology_init(&binding->topology)) {
		hwloc_bitmap_free(binding->allowed);
		free(binding);
		return NULL;
	}
	hwloc_topology_set_all_types_filter(binding->topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(binding->topology, HWLOC_OBJ_CORE,
	                               HWLOC_TYPE_FILTER_KEEP_ALL);
	/* Without the groups of NUMA nodes, hwloc gives each node all of the machine's cores. */
	hwloc_topology_set_type_filter(binding->topology, HWLOC_OBJ_GROUP,
	                               HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
	if (hwloc_topology_load(binding->topology) ||
	    hwloc_get_cpubind(binding->topology, binding->allowed, HWLOC_CPUBIND_THREAD)) {
		machine_binding_free(binding);
		return NULL;
	}
	return binding;
}

/* Adds the allowed CPU of this index, in the order of the topology. */
static void add_cpu(hwloc_topology_t t, hwloc_const_cpuset_t allowed, unsigned index,
                    hwloc_cpuset_t to)
{
	hwloc_obj_t obj = NULL;
	while ((obj = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, obj)))
		if (hwloc_bitmap_isset(allowed, obj->os_index) && index-- == 0)
			break;
	if (obj)
		hwloc_bitmap_set(to, obj->os_index);
}

int machine_cpus_set(unsigned cpus, unsigned cpus_ranks, unsigned first, unsigned count,
                     unsigned nranks)
{
	struct machine_binding *all = machine_binding_take();
	hwloc_cpuset_t own = hwloc_bitmap_alloc();
	int result = -1;
	if (all && own) {
		size_t n = (size_t)hwloc_bitmap_weight(all->allowed);
		unsigned groups = (nranks + cpus_ranks - 1) / cpus_ranks;
		for (unsigned rank = first; rank < first + count; rank++)
			for (unsigned c = 0; c < cpus; c++)
				add_cpu(all->topology, all->allowed,
				        (unsigned)(rank / cpus_ranks * n / groups) + c, own);
		result = hwloc_set_cpubind(all->topology, own, HWLOC_CPUBIND_THREAD);
	}
	hwloc_bitmap_free(own);
	machine_binding_free(all);
	return result;
}

void machine_cpus_list(const struct machine_binding *binding, char *list, size_t bytes)
{
	list[0] = '\0';
	if (binding)
		hwloc_bitmap_list_snprintf(list, bytes, binding->allowed);
}

void machine_binding_set(struct machine_binding *binding, const struct machine_seat *seat,
                         char *text, size_t bytes)
{
	const bool none = seat->bind == BIND_NONE;
	snprintf(text, bytes, binding || none ? "none" : "none (hwloc failed)");
	if (binding && !none)
		bind_in(binding, seat, text, bytes);
}

void machine_binding_free(struct machine_binding *binding)
{
	if (!binding)
		return;
	hwloc_topology_destroy(binding->topology);
	hwloc_bitmap_free(binding->allowed);
	free(binding);
}

#include "sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/checks.h"
#include "../analysis/sessions.h"
#include "../analysis/words.h"
#include "../coll/counts.h"
#include "../analysis/drawn.h"
#include "gnuplot.h"
#include "sections_pairs.h"
#include "sections_training.h"
#include "tables.h"

#define MOST_WARNINGS 4 /* at a run's end on a terminal */

static long long number_of(const struct model *m, const char *key)
{
	return (long long)json_integer_value(json_object_get(m->run.environment, key));
}

/* The group's word and pace: "alltoall, stream". */
static void group_title(const struct model *m, unsigned group, char *text, size_t bytes)
{
	const struct summary_group *g = &m->summary.groups[group];
	snprintf(text, bytes, "%s, %s", coll_word(&g->cell, g->nranks).text,
	         coll_pace_name(g->cell.pace));
}

static bool has_few_groups(const struct model *m)
{
	return !tables_too_many(m) && m->summary.nblocks;
}

static bool has_regimes(const struct model *m)
{
	return m->regimes.n > 0;
}

static bool has_versions(const struct model *m)
{
	return m->findings.versions.ncolls || m->findings.versions.missing[0];
}

static bool has_waterfall(const struct model *m)
{
	return m->findings.asked.gap.from[0];
}

static bool has_warnings(const struct model *m)
{
	return m->warnings.count > 0;
}

/* --- page 1 --- */

/* The versions of the library that were measured, ascending: "NCCL 2.21.5 and 2.28.3". */
static void libraries(const struct summary *s, char *text, size_t bytes)
{
	const char *all[16];
	unsigned n = 0;
	text[0] = '\0';
	for (unsigned v = 0; v < s->nvariants && n < 16; v++) {
		const char *library = s->variants[v].library;
		unsigned at = 0;
		while (at < n && strcmp(all[at], library))
			at++;
		if (!*library || !s->variants[v].measured || at < n)
			continue;
		for (at = n++; at && versions_order(all[at - 1], library) > 0; at--)
			all[at] = all[at - 1];
		all[at] = library;
	}
	for (unsigned i = 0; i < n; i++) {
		size_t used = strlen(text);
		snprintf(text + used, bytes - used, "%s%s",
		         !i           ? "NCCL "
		         : i + 1 == n ? " and "
		                      : ", ",
		         all[i]);
	}
}

static void write_answer(struct page *p, const struct model *m)
{
	const struct summary *s = &m->summary;
	char machine[256], library[160];
	const char *question = model_text(m, "question"), *created = model_text(m, "created");
	gnuplot_machine(s, machine, sizeof machine);
	libraries(s, library, sizeof library);
	if (p->kind == PAGE_MARKDOWN) {
		page_heading(p, 1, "%s", model_text(m, "title"));
		page_stress(p, "%s", question);
	} else {
		page_heading(p, 1, "%s", *question ? question : model_text(m, "title"));
	}
	for (unsigned i = 0; i < m->answer.n; i++)
		page_say(p, "%s", m->answer.text[i]);
	page_say(p, "Measured on %s; backend %s%s%s; %lld ranks, %u block%s, %.10s.", machine,
	         model_text(m, "backend"), *library ? ", " : "", library, number_of(m, "ranks"),
	         s->nblocks, words_plural(s->nblocks), created);
	if (*model_text(m, "backend_why"))
		page_say(p, "%s.", model_text(m, "backend_why"));
}

static void write_trust(struct page *p, const struct model *m)
{
	char more[160] = "";
	unsigned n = m->warnings.count;
	if (n && p->kind == PAGE_MARKDOWN)
		snprintf(more, sizeof more, " %u warning%s, at the end.", n, words_plural(n));
	const char *last = m->regimes.n ? m->regimes.list[m->regimes.n - 1].why : "";
	page_say(p, "%s%s", m->answer.trust, more);
	for (unsigned i = m->regimes.n; i-- > 0;) {
		const struct regime *g = &m->regimes.list[i];
		bool said = !answer_tells(&m->regimes) && !strcmp(g->why, last);
		if (!g->tells && !said)
			page_say(p, "At %s sizes it cannot tell %s. %s", g->name,
			         answer_hidden(g), g->why);
	}
}

static bool has_claims(const struct model *m)
{
	for (unsigned i = 0; i < m->findings.asked.nclaims; i++)
		if (m->findings.claims[i].outcome != CLAIMS_UNTESTED)
			return true;
	return false;
}

static void write_claims_short(struct page *p, const struct model *m)
{
	unsigned tested = 0, here = 0;
	for (unsigned i = 0; i < m->findings.asked.nclaims; i++) {
		tested += m->findings.claims[i].outcome != CLAIMS_UNTESTED;
		here += !claims_elsewhere(&m->findings.claims[i]);
	}
	char family[1024];
	claims_family_say(m->findings.claims, m->findings.asked.nclaims, family, sizeof family);
	page_table(p, tables_claims_short(m));
	if (tested)
		page_say(p, "A number is the ratio that its claim is about; Claims in full says of "
		            "what, with the interval.");
	if (family[0])
		page_say(p, "%s", family);
	if (tested < here)
		page_say(p,
		         "%u more claim%s cannot be tested here; Claims in full says why.",
		         here - tested, words_plural(here - tested));
}

static bool has_picture(const struct model *m)
{
	return m->drawn.answer >= 0 && m->drawn.npictures;
}

static void write_picture(struct page *p, const struct model *m)
{
	const struct model_picture *picture = &m->drawn.pictures[m->drawn.answer];
	page_picture(p, picture->name, picture->caption);
}

static bool has_advice(const struct model *m)
{
	return m->findings.advice.count && answer_tells(&m->regimes);
}

static void write_advice(struct page *p, const struct model *m)
{
	const struct advice *r = &m->findings.advice;
	for (unsigned i = 0; i < r->count; i++)
		page_item(p, "%s", r->text[i]);
	if (r->more)
		page_item(p, "%u more of the same kinds.", r->more);
	page_end_list(p);
	if (!record_traits(&m->run, NULL)->gpus)
		page_say(p, "None of it is about GPUs, which were not measured.");
}

static bool has_search(const struct model *m)
{
	return m->findings.tuned.searched;
}

static void write_tuned(struct page *p, const struct model *m)
{
	static const char *const files[] = {"nccl.conf", "searched.csv"};
	page_table(p, tables_tuned(m));
	page_table(p, tables_finalists(m));
	page_say(p,
	         "Speed is the time of the default ÷ the set's, over blocks of the "
	         "confirmation alone; "
	         "a gain is confirmed where its 95 %% interval lies beyond %g %% and the A/A "
	         "line of "
	         "its cell, with Holm's correction over all of them.",
	         100 * m->summary.margin);
	page_files(p, "Ready for NCCL_CONF_FILE, and what each value did in the search", files,
	           2);
}

/* From the end of page 1 to what follows. */
static void write_links(struct page *p, const struct model *m)
{
	const char *titles[] = {"Results",  "By size", NULL, "How it was measured",
	                        "Warnings", "Raw data"};
	const char *shown[6];
	unsigned n = 0;
	titles[2] = has_waterfall(m)  ? "Why: what explains the gap"
	            : has_versions(m) ? "Why: by version of NCCL"
	                              : NULL;
	for (unsigned i = 0; i < 6; i++)
		if (titles[i] && (i || has_regimes(m)) && (i != 4 || has_warnings(m)))
			shown[n++] = titles[i];
	page_links(p, shown, n);
}

/* --- results --- */

static void write_regimes(struct page *p, const struct model *m)
{
	for (unsigned i = m->regimes.n; i-- > 0;) {
		const struct regime *g = &m->regimes.list[i];
		struct table *table = tables_regime(m, g);
		if (table_rows(table))
			page_part(p, "%s: against %s", table_title(table),
			          m->summary.variants[m->summary.reference].name);
		page_table(p, table);
	}
	if (p->kind == PAGE_MARKDOWN)
		page_say(
		    p,
		    "Speed: how many times as fast as %s; below 1 is slower. It is a paired "
		    "estimate over the blocks, and no quotient of the medians beside it.",
		    m->summary.variants[m->summary.reference].name);
	else if (m->regimes.n)
		page_say(p,
		         "Speed: times as fast as %s, with its %.4g %% interval; below 1 is "
		         "slower.",
		         m->summary.variants[m->summary.reference].name,
		         100 * m->summary.looks.confidence);
}

static bool has_crossovers(const struct model *m)
{
	return m->findings.crossovers.nfastest > 0;
}

static void write_crossovers(struct page *p, const struct model *m)
{
	const struct crossovers *c = &m->findings.crossovers;
	char text[CROSSOVERS_TEXT_BYTES];
	page_table(p, tables_fastest(m));
	for (unsigned i = 0; i < c->n; i++) {
		crossovers_say(&m->summary, &c->rows[i], text, sizeof text);
		page_item(p, "%s.", text);
	}
	page_end_list(p);
	page_say(p,
	         "Each size is judged by itself, by the interval over the blocks, beyond %g %% and "
	         "what the A/A line shows at that size%s. Isolated: time per call; stream: calls "
	         "back to back.",
	         100 * m->summary.margin,
	         m->summary.nblocks < STATS_MIN_BLOCKS
	             ? "; below 6 blocks there is no interval, and nothing is decided"
	             : "");
}

static void write_sizes(struct page *p, const struct model *m)
{
	const struct summary *s = &m->summary;
	char why[160];
	static const enum tables_what of[2][4] = {
	    [PACE_STREAM] = {TABLES_VALUE, TABLES_RATIO, TABLES_WHATS},
	    [PACE_ISOLATED] = {TABLES_P50, TABLES_P95, TABLES_P99, TABLES_RATIO}};
	for (unsigned g = 0; g < s->ngroups; g++) {
		const enum tables_what *what = of[s->groups[g].cell.pace];
		for (unsigned i = 0; i < 4 && what[i] != TABLES_WHATS; i++) {
			struct table *table = tables_by_size(m, g, what[i]);
			if (table_rows(table))
				page_part(p, "%s", table_title(table));
			page_table(p, table);
		}
	}
	page_say(p,
	         "A value is the median over blocks, with the quartiles; a latency is the "
	         "median over blocks of the trial's quantile, with the 95 %% interval of order "
	         "statistics for p95 and p99%s. Bus bandwidth as nccl-tests defines it; GB = "
	         "10⁹ bytes, KiB = 1024 bytes.",
	         s->nblocks < STATS_MIN_BLOCKS ? ", for which there are too few blocks" : "");
	if (summary_has_pace(s, PACE_ISOLATED)) {
		contrast_few_calls(s, METRIC_P99, why, sizeof why);
		page_say(p, "%s%s%s", why[0] ? "Not shown: " : "", why,
		         why[0] ? ". The key isolated_calls sets it." : "");
	}
	if (s->reference >= 0)
		page_say(
		    p,
		    "Speed against %s: its time divided by the variant's, so that below 1 is "
		    "slower; estimate of Hodges and Lehmann over the blocks with the exact "
		    "%.4g %% signed-rank interval%s. Each stands for itself (pointwise).",
		    s->variants[s->reference].name, 100 * s->looks.confidence,
		    s->nblocks < STATS_MIN_BLOCKS ? ", for which there are too few blocks"
		                                  : "");
}

static bool has_many(const struct model *m)
{
	return tables_too_many(m);
}

static void write_many(struct page *p, const struct model *m)
{
	static const char *const files[] = {"summary.csv", "ranks.csv", "report.json"};
	page_say(p,
	         "The run has %u collectives, by datatype, operation, place and pace: their "
	         "figures are in the files.",
	         m->summary.ngroups);
	page_files(p, "All rows", files, 3);
}

static bool has_data(const struct model *m)
{
	return m->summary.carries_data && has_few_groups(m);
}

static void write_peaks(struct page *p, const struct model *m)
{
	page_table(p, tables_peaks(m));
	page_say(p, "The limit: plain copies of every rank to its neighbour, in the same run.");
}

static bool has_cliffs(const struct model *m)
{
	return m->summary.carries_data && has_few_groups(m) && answer_tells(&m->regimes);
}

static void write_cliffs(struct page *p, const struct model *m)
{
	char text[CHANNELS_SAY_BYTES];
	page_say(p,
	         "Sizes where bandwidth falls, or grows faster than the sizes before lead to, "
	         "beyond the noise.");
	if (!m->ncliffs)
		page_say(p, "%s",
		         m->summary.nblocks < STATS_MIN_BLOCKS
		             ? "Not looked for: too few blocks."
		             : "None.");
	for (unsigned i = 0; i < m->ncliffs; i++) {
		channels_cliff_say(&m->summary, &m->channels, &m->cliffs[i], text, sizeof text);
		page_item(p, "%s", text);
	}
	page_end_list(p);
	page_table(p, tables_cliffs(m));
	if (!m->channels.n)
		return;
	page_part(p, "Channels of a pair of ranks");
	page_say(p,
	         "Where NCCL gives a pair of ranks more channels, by its own rule for sends and "
	         "receives and the figures of its log. Behind the largest call with as many as "
	         "before, bandwidth may grow as the channels do, up to the limit: predicted.");
	page_table(p, tables_channels(m));
}

static void write_versions(struct page *p, const struct model *m)
{
	const struct versions *v = &m->findings.versions;
	char text[VERSIONS_TEXT_BYTES], sentences[VERSIONS_SENTENCES][VERSIONS_SAY_BYTES];
	page_say(p, "%s%s",
	         v->ncolls ? "" : "Threads and processes are not compared by version. ",
	         v->missing);
	for (unsigned i = 0; i < v->ncolls; i++) {
		const struct versions_coll *c = &v->colls[i];
		unsigned n = versions_say(v, i, sentences);
		text[0] = '\0';
		for (unsigned k = 0; k < n; k++)
			words_add(text, sizeof text, "%s%s", k ? " " : "", sentences[k]);
		page_say(p, "%s", text);
		if (!c->nblocks)
			continue;
		page_table(p, tables_version(m, i));
		const struct words sizes = words_range(c->sizes);
		page_say(p,
		         "%s of %s, %s: geometric mean over %u cell%s and %u block%s.",
		         c->regime == REGIME_SMALL ? "Latency (p50 of isolated calls)"
		                                   : "Stream bandwidth",
		         coll_info(c->coll)->name, sizes.text, c->ncells,
		         words_plural(c->ncells), c->nblocks, words_plural(c->nblocks));
	}
	if (v->ncolls)
		page_say(p,
		         "On each version the variants that are the reference but for mode and "
		         "library. Data path: direct is straight into the peer's buffer, "
		         "staged by way of a buffer of NCCL's own.");
}

/* --- why --- */

static bool has_factors(const struct model *m)
{
	return m->findings.asked.nfactors > 0;
}

/* Those without an effect, once for each reason. */
static void say_unmeasured(struct page *p, const struct findings *f)
{
	unsigned n = f->asked.nfactors;
	for (unsigned i = 0; i < n; i++) {
		const char *why = f->factors[i].why;
		char names[2048] = "";
		unsigned first = 0;
		while (strcmp(f->factors[first].why, why))
			first++;
		if (!why[0] || first < i)
			continue;
		for (unsigned k = i; k < n; k++)
			if (!strcmp(f->factors[k].why, why))
				status_list(names, sizeof names, f->factors[k].factor->name);
		page_item(p, "Cannot be tested here, %s: %s.", why, names);
	}
	page_end_list(p);
}

static void write_factors(struct page *p, const struct model *m)
{
	static const char *const files[] = {"factors.csv"};
	const struct findings *f = &m->findings;
	char why[CONTRAST_WHY_BYTES];
	for (unsigned i = 0; i < f->asked.nfactors; i++) {
		const char *alarm = factors_alarm(&f->factors[i]);
		if (alarm)
			page_stress(
			    p,
			    "The placebo %s has an effect on %s, where it should have "
			    "none: trust no factor of this run before the cause is known.",
			    f->factors[i].factor->name, alarm);
	}
	page_say(p,
	         "Each factor is two variants that differ in one setting, the largest effect "
	         "first. Effect on bandwidth: stream bandwidth after ÷ before; on latency: p50 "
	         "of isolated calls before ÷ after. Above 1 is faster in both. Margin %.3g %%.",
	         100 * m->summary.margin);
	double chance = factors_by_chance(f->factors, f->asked.nfactors);
	if (chance > 0 && f->asked.nfactors > 1)
		page_say(p,
		         "The largest of several overstates. Had none an effect, the largest "
		         "would come out near %s %% by chance.",
		         words_percent(chance).text);
	contrast_oversubscribed(&m->summary, METRIC_LATENCY, why, sizeof why);
	if (why[0] && summary_has_pace(&m->summary, PACE_ISOLATED))
		page_say(p, "Latency is not judged, with %s.", why);
	page_table(p, tables_effects(m));
	say_unmeasured(p, f);
	if (p->kind == PAGE_MARKDOWN)
		page_files(p, "All of it", files, 1);
}

static void write_waterfall(struct page *p, const struct model *m)
{
	const struct findings *f = &m->findings;
	const struct waterfall *w = &f->waterfall;
	char verdict[VERDICT_TEXT_BYTES], said[WATERFALL_TEXT_BYTES];
	const char *none = isnan(w->explained.estimate) ? "No shares are given: " : "";
	if (!w->nsteps) {
		page_say(p, "From %s to %s: %s.", f->asked.gap.from, f->asked.gap.to,
		         w->why[0] ? w->why : "the gap was not measured");
		return;
	}
	verdict_text(&w->gap, verdict, sizeof verdict);
	waterfall_say(w, said, sizeof said);
	page_stress(p, "%s%s.", none, said);
	page_say(p, "Bandwidth of %s is %s times that of %s (%s; %u cell%s, %u block%s).",
	         f->asked.gap.to, words_ratio(&w->gap.ratio, true).text, f->asked.gap.from,
	         verdict, w->ncells, words_plural(w->ncells), w->nblocks,
	         words_plural(w->nblocks));
	page_table(p, tables_waterfall(m));
	waterfall_say_orders(w, said, sizeof said);
	if (said[0])
		page_say(p, "%s.", said);
	page_say(p,
	         "GB/s are geometric means over the gap's cells, in the blocks that hold every "
	         "variant on the way. Ratios and shares are estimates of their own, with 95 %% "
	         "intervals. A step explains where its verdict is faster or slower and it is "
	         "no placebo.");
}

static bool has_paths(const struct model *m)
{
	const struct evidence *e = &m->findings.evidence;
	for (unsigned v = 0; v < m->summary.nvariants; v++)
		if (e->paths[v].transport[0] || e->paths[v].data_path[0])
			return true;
	return false;
}

static void write_paths(struct page *p, const struct model *m)
{
	const struct evidence *e = &m->findings.evidence;
	char common[512];
	struct table *table = tables_paths(m);
	table_drop_common(table, common, sizeof common);
	page_table(p, table);
	if (common[0])
		page_say(p, "Of all variants: %s.", common);
	for (unsigned v = 0; v < m->summary.nvariants; v++)
		if (e->paths[v].pairs[0])
			page_item(p, "Mixed transport of %s: %s", m->summary.variants[v].name,
			          e->paths[v].pairs);
	page_end_list(p);
	page_say(p,
	         "Links: ordered pairs of ranks by transport, over all channels. The data path "
	         "is that of large sizes: below NCCL's threshold for the LL protocol "
	         "(NCCL_P2P_LL_THRESHOLD bytes for sends and receives) data is staged "
	         "whatever the path.");
	table = tables_acted(m);
	if (table_failed(table) || table_rows(table))
		page_table(p, table);
	else
		table_free(table);
}

static bool has_containers(const struct model *m)
{
	return m->findings.containers.n > 0;
}

static const char *transport_of(const struct model *m, unsigned variant)
{
	return m->findings.evidence.paths[variant].transport;
}

/* "pod reaches 0.010 of the speed of processes (NET/Socket in place of P2P/CUMEM). pod-shm-id
 * gives it back, …" */
static void say_loss(struct page *p, const struct model *m, const struct containers_row *row)
{
	const struct summary *s = &m->summary;
	const unsigned reference = (unsigned)s->reference;
	const char *old = transport_of(m, reference), *now = transport_of(m, row->variant);
	const char *name = s->variants[row->variant].name;
	char changed[512] = "", remedy[512], what[640];
	if (old[0] && now[0] && strcmp(old, now))
		snprintf(changed, sizeof changed, " (%s in place of %s)", now, old);
	if (row->fails)
		snprintf(what, sizeof what, "%s does not run (%s)", name, row->fails);
	else
		snprintf(what, sizeof what, "%s reaches %s of the bandwidth of %s%s", name,
		         words_ratio(&row->verdict->ratio, true).text,
		         s->variants[reference].name, changed);
	if (row->remedy < 0) {
		page_item(p, "%s. No variant here gives it back while each process keeps what it has.",
		          what);
		return;
	}
	containers_remedy(s->variants[row->variant].settings,
	                  s->variants[row->remedy].settings, remedy, sizeof remedy);
	page_item(p, "%s. %s gives it back (%s): %s.", what, s->variants[row->remedy].name, remedy,
	          words_ratio(&m->findings.containers.regime->contrasts[row->remedy].verdict.ratio,
	                      true)
	              .text);
}

static void write_containers(struct page *p, const struct model *m)
{
	const struct containers *c = &m->findings.containers;
	page_table(p, tables_containers(m));
	for (unsigned i = 0; i < c->n; i++)
		if (c->rows[i].loses)
			say_loss(p, m, &c->rows[i]);
	if (containers_names_host(&m->summary, c))
		page_item(p, "NCCL_HOSTID says which processes are on one machine: one text for "
		             "all containers of a machine, another on each machine, such as the "
		             "machine's own name.");
	if (containers_shares(&m->summary, c, ISOLATE_SHM))
		page_item(p, "Containers share a /dev/shm with docker run --ipc=host or "
		             "--ipc=container:NAME, in Kubernetes with hostIPC: true or by "
		             "mounting the machine's own.");
	if (containers_shares(&m->summary, c, ISOLATE_DEVICES))
		page_item(p, "Processes share GPU files with Slurm's --gpu-bind=none and a "
		             "CUDA_VISIBLE_DEVICES for each task, with NVIDIA_VISIBLE_DEVICES=all "
		             "in containers, or in one pod for all GPUs of a machine.");
	page_end_list(p);
	page_say(p,
	         "Speed is bus bandwidth at %s against %s. All variants share one network "
	         "namespace.",
	         words_range(c->regime->sizes).text,
	         m->summary.variants[m->summary.reference].name);
}

static bool has_counters(const struct model *m)
{
	return m->findings.evidence.nrows > 0;
}

static void write_counters(struct page *p, const struct model *m)
{
	static const char *const files[] = {"evidence.csv"};
	const struct evidence *e = &m->findings.evidence;
	bool links = false, copies = false;
	for (unsigned i = 0; i < e->nrows; i++) {
		links |= isfinite(e->rows[i].dram_per_nvlink);
		copies |= isfinite(e->rows[i].copies);
	}
	page_table(p, tables_counters(m));
	page_say(p, "Per rank over a steady stretch in a pass of its own, median over blocks.");
	if (links)
		page_say(p,
		         "The model, in DRAM bytes per byte sent over NVLink: staged 4 (read, "
		         "slot written, slot read, written), direct 2; alltoall's own part "
		         "adds 2 ÷ (ranks − 1). NVLink bytes are payload, without the links' "
		         "headers. What stays below the model was presumably read from the "
		         "L2 cache.");
	if (copies)
		page_say(p,
		         "The model, in copies for each byte that came from another rank: fifo "
		         "2, direct and shared 1; alltoall's own part adds 1 ÷ (ranks − 1).");
	if (e->missing[0])
		page_say(p, "Missing counters: %s.", e->missing);
	if (p->kind == PAGE_MARKDOWN)
		page_files(p, "By rank", files, 1);
}

static bool has_scatter(const struct model *m)
{
	const struct components *c = &m->findings.components;
	for (unsigned i = 0; i < c->n; i++)
		if (components_speak(&m->summary, &c->list[i]))
			return true;
	return false;
}

static void write_scatter(struct page *p, const struct model *m)
{
	const struct components *c = &m->findings.components;
	char text[2048];
	for (unsigned i = c->n; i-- > 0;) {
		if (!components_speak(&m->summary, &c->list[i]))
			continue;
		struct table *table = tables_components(m, &c->list[i]);
		page_part(p, "Scatter: %s", table_title(table));
		states_say(&m->summary, c->list[i].states, text, sizeof text);
		page_stress(p, "%s", text);
		components_say(&m->summary, &c->list[i], text, sizeof text);
		page_say(p, "%s", text);
		page_table(p, table);
	}
	page_say(p, "Between jobs: by how much jobs of one variant differ, as the standard "
	            "deviation of the log of their time; then connections within a job, and so "
	            "on down to calls (or stretches of them) within a cell. fast, slow: two "
	            "speeds, where there are two. Interval ±: half of the interval against the "
	            "reference, then about what twice the time would make of it, spent on "
	            "blocks, on connections within each job, or on calls.");
}

/* --- appendix --- */

static bool has_any_claim(const struct model *m)
{
	return m->findings.asked.nclaims > 0;
}

static void write_claims(struct page *p, const struct model *m)
{
	page_say(
	    p,
	    "Each rests on one number per block: the geometric mean of left ÷ right over "
	    "its cells. It holds when the whole %.4g %% interval is beyond what it says, and "
	    "does not hold when all of it is short of that; 'less, by under 2 %%' lies "
	    "between the two. Else it is undecided. Staged "
	    "and direct: the data path of large sizes, where the evidence has it.",
	    100 * m->summary.looks.confidence);
	page_table(p, tables_claims(m));
}

static bool has_reference(const struct model *m)
{
	return m->summary.reference >= 0 && !m->summary.uncompared[0] && has_few_groups(m);
}

static void write_gaps(struct page *p, const struct model *m)
{
	page_say(
	    p,
	    "One number per block: the geometric mean over all sizes, small and large alike. "
	    "The A/A line is the reference against itself: its distance from 1 is noise. "
	    "Margin %.3g %%.",
	    100 * m->summary.margin);
	page_table(p, tables_gaps(m));
}

static void write_launch(struct page *p, const struct model *m)
{
	page_say(p,
	         "Launch cost: the longest time from leaving the barrier to issue's return on "
	         "any rank, per call. Skew: how far apart the ranks left the barrier. "
	         "Resolution: the last poll round, by which an end may be seen too late.");
	for (unsigned g = 0; g < m->summary.ngroups; g++) {
		char title[160];
		if (m->summary.groups[g].limit)
			continue;
		group_title(m, g, title, sizeof title);
		page_part(p, "Launch: %s", title);
		page_table(p, tables_launch(m, g));
	}
}

static void write_ranks(struct page *p, const struct model *m)
{
	static const char *const files[] = {"ranks.csv"};
	page_say(p, "At the smallest, a middle and the largest size. The straggler is the rank "
	            "that is seen idle last most often: how often, and by how much after the "
	            "ranks' mean it is then. One worker that drives several ranks launches and "
	            "polls them in turn, which alone makes one of them the last.");
	for (unsigned g = 0; g < m->summary.ngroups; g++) {
		if (m->summary.groups[g].limit || m->summary.groups[g].nranks < 2)
			continue;
		struct table *table = tables_stragglers(m, g);
		page_part(p, "Ranks: %s", table_title(table));
		page_table(p, table);
	}
	if (p->kind == PAGE_MARKDOWN)
		page_files(p, "All of them", files, 1);
}

static bool has_memory(const struct model *m)
{
	struct table *table = tables_memory(m);
	bool any = table_rows(table);
	table_free(table);
	return any;
}

static void write_memory(struct page *p, const struct model *m)
{
	page_table(p, tables_memory(m));
	page_say(p,
	         "MiB, medians over the workers of all trials. %s Process: the most CPU memory "
	         "that it held at once, shared pages included.",
	         record_traits(&m->run, NULL)->gpus
	             ? "A GPU's free memory fell by so much while buffers were allocated, "
	               "communicators made, buffers registered, and from then to the trial's "
	               "end; what other programs took meanwhile is in it."
	             : "Of a worker's first rank: its buffers; its flags, rings and slots.");
}

static void write_checks(struct page *p, const struct model *m)
{
	const struct summary *s = &m->summary;
	struct checks_cost cost;
	struct status st = {""};
	char text[256];
	checks_say(s, text, sizeof text);
	unsigned fresh = checks_count(s, -1, -1).fresh_cells;
	page_say(p, "%s.%s", text,
	         s->trouble[0] ? "" : " All variants' outputs are the same, by digest.");
	if (fresh)
		page_say(p,
		         "Of %u of them only one more, fresh call was checked: in place, the "
		         "timed ones reduce what the calls before them left.",
		         fresh);
	if (!checks_cost(s, &cost, &st) && cost.longest)
		page_say(
		    p,
		    "At %s a cell's timed calls took %s ms, and checking what they left %s "
		    "ms; the longest in %s, %s and %s ms.",
		    words_size(cost.asked_bytes).text, words_number(cost.calls_ms).text,
		    words_number(cost.check_ms).text, cost.longest,
		    words_number(cost.longest_calls_ms).text,
		    words_number(cost.longest_check_ms).text);
	if (checks_dtypes(s) > 1)
		page_table(p, tables_checks(m));
}

static bool carries_data(const struct model *m)
{
	return m->summary.carries_data;
}

static void write_system(struct page *p, const struct model *m)
{
	page_table(p, tables_machine(m));
}

/* A word of a command line, as a shell would take it again. */
static void add_word(char *text, size_t bytes, const char *word)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
	size_t used = strlen(text);
	bool quote = !*word || strspn(word, plain) != strlen(word);
	snprintf(text + used, bytes - used, "%s%s", used ? " " : "", quote ? "'" : "");
	for (; *word; word++) {
		used = strlen(text);
		if (*word == '\'')
			snprintf(text + used, bytes - used, "'\\''");
		else
			snprintf(text + used, bytes - used, "%c",
			         (unsigned char)*word < ' ' ? ' ' : *word);
	}
	used = strlen(text);
	snprintf(text + used, bytes - used, "%s", quote ? "'" : "");
}

static void say_command(struct page *p, const json_t *command)
{
	char text[4096] = "";
	for (size_t i = 0; i < json_array_size(command); i++) {
		const char *word = json_string_value(json_array_get(command, i));
		add_word(text, sizeof text, word ? word : "");
	}
	if (text[0])
		page_code(p, text);
}

/* `why`: it began, behind a comma, or "". */
static void say_session(struct page *p, const char *blocks, const char *why,
                        const char *created, const char *commit, const json_t *counters,
                        const json_t *command)
{
	page_say(p, "%s%s, %s, launchgap %s%s:", blocks, why, created, commit,
	         !json_is_boolean(counters) ? ""
	         : json_is_true(counters)   ? ", with counters"
	                                    : ", without counters");
	say_command(p, command);
}

static void say_sessions(struct page *p, const struct model *m)
{
	const struct record_run *run = &m->run;
	const json_t *env = run->environment;
	char blocks[160];
	if (run->nresumes)
		page_say(p, "In %u sessions.", run->nresumes + 1);
	session_say(run, 0, blocks, sizeof blocks);
	say_session(p, blocks, "", model_text(m, "created"), model_text(m, "launchgap"),
	            json_object_get(env, "counters"), json_object_get(env, "command"));
	for (unsigned i = 0; i < run->nresumes; i++) {
		const struct record_resume *r = &run->resumes[i];
		session_say(run, i + 1, blocks, sizeof blocks);
		if (r->json) {
			say_session(p, blocks, looks_adds(run, i) ? ", added" : ", as planned",
			            r->created, r->launchgap,
			            json_object_get(r->json, "counters"), r->command);
			continue;
		}
		page_say(p, "%s: the record does not say by which command.", blocks);
	}
}

/* What alltoallv was called with, where it was measured. */
static void say_counts(struct page *p, const struct model *m)
{
	const json_t *counts = json_object_get(m->run.environment, "counts");
	struct value_weights weights;
	struct status st = {""};
	char text[COUNTS_TEXT_BYTES];
	bool measured = false;
	for (unsigned g = 0; g < m->summary.ngroups; g++)
		measured |= m->summary.groups[g].cell.coll == COLL_ALLTOALLV;
	if (!measured || counts_from_json(counts, &weights, &st))
		return;
	counts_text(&weights, (unsigned)number_of(m, "ranks"), text);
	page_say(p, "alltoallv sends counts = %s%s.", text,
	         weights.rows > 1 ? ", a row for each rank that sends (all of it in the record)"
	         : weights.rows > 0 ? ", by distance, to oneself first"
	                            : "");
}

static bool ends_in_point(const char *text)
{
	size_t n = strlen(text);
	return n && text[n - 1] == '.';
}

static void write_method(struct page *p, const struct model *m)
{
	const struct summary *s = &m->summary;
	const json_t *notes = json_object_get(m->run.environment, "notes");
	long long asked = record_blocks_asked(&m->run), warmup = number_of(m, "warmup"),
	          cycles = number_of(m, "cycles"), calls = number_of(m, "calls"),
	          stretches = number_of(m, "stretches"),
	          isolated = number_of(m, "isolated_calls"),
	          connections = number_of(m, "connections"),
	          allocations = number_of(m, "allocations");
	bool none = !summary_has_pace(s, PACE_STREAM) && !summary_has_pace(s, PACE_ISOLATED);
	char of[48] = "";
	say_sessions(p, m);
	for (size_t i = 0; i < json_array_size(notes); i++)
		page_item(p, "%s", json_string_value(json_array_get(notes, i)));
	page_end_list(p);
	if (s->nblocks < asked && !m->run.end.reason[0])
		snprintf(of, sizeof of, " of %lld", asked);
	page_say(
	    p,
	    "%u%s block%s were measured, seed %s. A block is one fresh job of every variant, "
	    "in shuffled order, all with the same shuffled order of cells. Each cell: %lld "
	    "call%s to warm up, then",
	    s->nblocks, of, words_plural(s->nblocks), model_text(m, "seed"), warmup,
	    words_plural((unsigned long long)warmup));
	if (none || summary_has_pace(s, PACE_STREAM))
		page_item(
		    p,
		    "stream (bandwidth): %lld stretch%s of %lld call%s back to back; time per "
		    "call = (latest end − earliest start over all ranks) ÷ calls; the "
		    "trial's number is the median of its stretches",
		    stretches, stretches == 1 ? "" : "es", calls,
		    words_plural((unsigned long long)calls));
	if (none || summary_has_pace(s, PACE_ISOLATED))
		page_item(
		    p,
		    "isolated (latency): %lld call%s, the team meeting before each; p50%s "
		    "over calls",
		    isolated, words_plural((unsigned long long)isolated),
		    isolated < METRIC_P99_CALLS ? " and p95" : ", p95 and p99");
	page_end_list(p);
	if (cycles > 1)
		page_say(
		    p,
		    "A soak: every trial goes through all of its cells %lld times; its number "
		    "of a cell is the mean over them.",
		    cycles);
	if (connections * allocations > 1)
		page_say(
		    p,
		    "Every job makes its communicators %lld time%s, and allocates buffers %lld "
		    "time%s with each; its number of a cell is the geometric mean over them.",
		    connections, words_plural((unsigned long long)connections), allocations,
		    words_plural((unsigned long long)allocations));
	say_counts(p, m);
	unsigned verdicts, intervals;
	findings_count(&m->findings, s, &m->regimes, &verdicts, &intervals);
	if (intervals)
		page_say(p,
		         "This report has %u verdict%s and %u interval%s in all, each at %.4g %% "
		         "by itself: %.3g %% of them miss the true value by chance. Only claims "
		         "are corrected for their number.",
		         verdicts, words_plural(verdicts), intervals, words_plural(intervals),
		         100 * s->looks.confidence, 100 * (1 - s->looks.confidence));
	if (m->run.end.reason[0])
		page_say(p, "Why it ended: %s%s", m->run.end.text,
		         ends_in_point(m->run.end.text) ? "" : ".");
}

static void write_variants(struct page *p, const struct model *m)
{
	char common[1200], left[2048] = "";
	struct table *table = tables_variants(m);
	table_drop_common(table, common, sizeof common);
	page_table(p, table);
	for (unsigned v = 0; v < m->summary.nvariants; v++)
		if (m->summary.variants[v].skip[0])
			status_list(left, sizeof left, m->summary.variants[v].name);
	if (left[0])
		page_say(p, "Left out, for the reasons among the warnings: %s.", left);
	if (common[0])
		page_say(p, "All variants: %s.", common);
	page_say(p, "Layout: processes × threads × ranks per thread. Settings: what a variant "
	            "sets beyond the defaults. again: the reference a second time in every "
	            "block, the A/A line. limit: plain copies without a handshake.");
}

static bool has_pictures(const struct model *m)
{
	return m->drawn.npictures > 0;
}

static void write_warnings(struct page *p, const struct model *m)
{
	unsigned most = p->kind == PAGE_TERMINAL && !p->whole ? MOST_WARNINGS : VALIDITY_MAX;
	for (unsigned i = 0; i < m->warnings.count && i < most; i++)
		page_item(p, "%s", m->warnings.text[i]);
	if (m->warnings.count > most)
		page_item(p, "%u more in the report.", m->warnings.count - most);
	page_end_list(p);
}

static void write_pictures(struct page *p, const struct model *m)
{
	unsigned colls = gnuplot_collectives(&m->summary);
	if (colls > GNUPLOT_EACH)
		page_say(
		    p,
		    "The run has %u collectives: more than %u have no pictures of their own.",
		    colls, GNUPLOT_EACH);
	else if (colls > GNUPLOT_DETAIL)
		page_say(p,
		         "The run has %u collectives: of more than %u, launch cost, ranks, "
		         "single calls and timelines are not drawn.",
		         colls, GNUPLOT_DETAIL);
	if (drawn_left_out(&m->summary))
		page_say(p,
		         "Curves are of %u variants, for more cannot be told apart: the "
		         "reference and its twin, the ends of the gap, and the first of each "
		         "mode. The tables have all.",
		         drawn_count(&m->summary));
	for (unsigned i = 0; i < m->drawn.npictures; i++)
		page_picture(p, m->drawn.pictures[i].name, m->drawn.pictures[i].caption);
}

static void write_raw(struct page *p, const struct model *m)
{
	const char *files[16] = {"trials.jsonl", "report.json"};
	unsigned n = 2;
	for (unsigned i = 0; tables_file(i); i++)
		if (!tables_file(i)->when || tables_file(i)->when(m))
			files[n++] = tables_file(i)->file;
	page_files(p, "The record, and all of this as data", files, n);
}

enum { SHORT = SECTION_SHORT, PAGE = SECTION_PAGE_1, MORE = SECTION_APPENDIX };

// clang-format off
static const struct section sections[] = {
    {"answer",    "",                                 SHORT | PAGE, NULL,           write_answer},
    {"trust",     "Can it be believed?",              SHORT | PAGE, NULL,           write_trust},
    {"tuned",     "Tuning: what is confirmed",        SHORT | PAGE, has_search,     write_tuned},
    {"claims",    "Claims",                           SHORT | PAGE, has_claims,     write_claims_short},
    {"picture",   "",                                 PAGE,         has_picture,    write_picture},
    {"advice",    "Do this",                          SHORT | PAGE, has_advice,     write_advice},
    {"links",     "",                                 PAGE,         NULL,           write_links},
    {"training",  "Training step",                    SHORT,        sections_has_training, sections_write_training},
    {"crossovers", "Which backend from which size",   SHORT,        has_crossovers, write_crossovers},
    {"pairs",     "Pairs of ranks",                   SHORT,        sections_has_pairs, sections_write_pairs},
    {"pingpong",  "Ping-pong",                        SHORT,        sections_has_pingpong, sections_write_pingpong},
    {"access",    "Access patterns",                  SHORT,        sections_has_access, sections_write_access},
    {"ranges",    "What the sizes show",              SHORT,        sections_has_ranges, sections_write_ranges},
    {"results",   "Results",                          SHORT,        has_regimes,    write_regimes},
    {"sizes",     "By size",                          0,            has_few_groups, write_sizes},
    {"many",      "By size",                          0,            has_many,       write_many},
    {"peaks",     "Peaks",                            0,            has_data,       write_peaks},
    {"cliffs",    "Cliffs",                           0,            has_cliffs,     write_cliffs},
    {"versions",  "Why: by version of NCCL",          0,            has_versions,   write_versions},
    {"gap",       "Why: what explains the gap",       0,            has_waterfall,  write_waterfall},
    {"factors",   "Why: factors",                     0,            has_factors,    write_factors},
    {"paths",     "Why: the path, by NCCL's own log", 0,            has_paths,      write_paths},
    {"containers", "Why: processes in containers",    0,            has_containers, write_containers},
    {"counters",  "Why: counters",                    0,            has_counters,   write_counters},
    {"scatter",   "Where the scatter comes from",     0,            has_scatter,    write_scatter},
    {"tests",     "Claims in full",                   MORE,         has_any_claim,  write_claims},
    {"all_sizes", "Over all sizes",                   MORE,         has_reference,  write_gaps},
    {"launch",    "Launch",                           MORE,         has_few_groups, write_launch},
    {"ranks",     "Ranks",                            MORE,         has_few_groups, write_ranks},
    {"memory",    "Memory",                           MORE,         has_memory,     write_memory},
    {"checks",    "Correctness",                      MORE,         carries_data,   write_checks},
    {"method",    "How it was measured",              MORE,         NULL,           write_method},
    {"variants",  "Variants",                         MORE,         NULL,           write_variants},
    {"topology",  "Topology",                         MORE,         sections_has_links, sections_write_links},
    {"system",    "System",                           MORE,         NULL,           write_system},
    {"warnings",  "Warnings",                         MORE | SHORT, has_warnings,   write_warnings},
    {"pictures",  "Pictures",                         MORE,         has_pictures,   write_pictures},
    {"raw",       "Raw data",                         MORE,         NULL,           write_raw},
};
// clang-format on

const struct section *section_at(unsigned i)
{
	return i < sizeof sections / sizeof *sections ? &sections[i] : NULL;
}

void sections_write(struct page *p, const struct model *m)
{
	bool appendix = false;
	const struct section *s;
	for (unsigned i = 0; (s = section_at(i)); i++) {
		bool terminal = p->kind == PAGE_TERMINAL;
		if ((terminal && !p->whole && !(s->is & SHORT)) || (s->when && !s->when(m)))
			continue;
		if (s->is & MORE && !appendix && !terminal)
			page_heading(p, 2, "Appendix");
		appendix = appendix || s->is & MORE;
		if (s->title[0])
			page_heading(p, appendix && !terminal ? 3 : 2, "%s", s->title);
		if (p->sections) {
			p->sentences = json_array();
			json_array_append_new(p->sections,
			                      json_pack("{s:s, s:s, s:o}", "id", s->id, "title",
			                                s->title, "sentences", p->sentences));
		}
		s->write(p, m);
	}
}

#include "sections_training.h"

#include <math.h>
#include <string.h>

#include "tables.h"

static bool tells_ctas(const struct model *m)
{
	for (unsigned i = 0; i < m->findings.training.n; i++)
		if (!isnan(m->findings.training.rows[i].ctas))
			return true;
	return false;
}

static bool shares_models(const struct model *m)
{
	for (unsigned i = 0; i < m->findings.training.n; i++)
		if (m->summary.settings[m->findings.training.rows[i].variant].tensor)
			return true;
	return false;
}

bool sections_has_training(const struct model *m)
{
	return m->findings.training.n > 0;
}

static void say_model(struct page *page, const struct model *m)
{
	const json_t *model = json_object_get(m->run.environment, "model");
	double parameters = (double)json_integer_value(json_object_get(model, "parameters"));
	double flops = (double)json_integer_value(json_object_get(model, "flops"));
	if (m->findings.training.model[0])
		page_say(page,
		         "Model: %s, %.4g million parameters, %.4g GFLOP in a sample's "
		         "backward pass.",
		         m->findings.training.model, parameters / 1e6, flops / 1e9);
}

static bool measures(const struct model *m, enum coll_kind coll)
{
	for (unsigned i = 0; i < m->findings.training.n; i++)
		if (m->summary.groups[m->findings.training.rows[i].group].cell.coll == coll)
			return true;
	return false;
}

void sections_write_training(struct page *page, const struct model *m)
{
	static const char *const files[] = {"training.csv"};
	char common[256] = "";
	struct table *table = tables_training(m);
	table_drop_common(table, common, sizeof common);
	page_table(page, table);
	if (measures(m, COLL_DDP_STEP))
		page_say(
		    page,
		    "Size: at which a bucket is full. Step: the backward pass, and its "
		    "gradients "
		    "reduced in buckets as they become ready. Compute, communication: each "
		    "alone, in the same trials. Exposed: what a step takes beyond its "
		    "compute, block by block. Overlap: the share of the communication that "
		    "compute hides, 1 − exposed ÷ communication; it is below 0 where the two "
		    "slow each other down by more than they hide.");
	if (measures(m, COLL_MOE_STEP))
		page_say(
		    page,
		    "Of a mixture of experts, size: what each rank sends. Step: tokens to the "
		    "ranks of their experts, are worked on there, and go back. Exposed: what a "
		    "step "
		    "takes "
		    "beyond the work. Imbalance: what the busiest rank gets ÷ the mean, in "
		    "bytes "
		    "as in tokens; work is as uneven. zipf1.2_of16: of 16 experts the e-th is "
		    "wanted in proportion to 1 ÷ e^1.2.");
	if (shares_models(m))
		page_say(page, "With tensor = yes communication holds the activations' reductions "
		               "too. The work behind each waits for it: these are exposed "
		               "whatever the buckets do.");
	if (tells_ctas(m))
		page_say(page,
		         "NCCL's CTAs: thread blocks of the step's largest communication "
		         "kernel, by CUPTI. Each occupies an SM while it runs: so many per "
		         "cent of all SMs then work for the communication.");
	if (common[0]) /* its one column of text: "what ddp_step_avg" */
		page_say(page, "All rows are of %s.", common + strlen("what "));
	say_model(page, m);
	if (page->kind == PAGE_MARKDOWN)
		page_files(page, "As a file", files, 1);
}

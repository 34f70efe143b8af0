#include "sections_training.h"

#include "tables.h"

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
		page_say(page, "Model: %s, %.4g million parameters, %.4g GFLOP in a sample's backward pass.",
		         m->findings.training.model, parameters / 1e6, flops / 1e9);
}

void sections_write_training(struct page *page, const struct model *m)
{
	static const char *const files[] = {"training.csv"};
	char common[256] = "";
	struct table *table = tables_training(m);
	table_drop_common(table, common, sizeof common);
	page_table(page, table);
	page_say(page, "Step: the backward pass, and its gradients reduced in buckets as they become "
	               "ready. Compute, communication: each alone, in the same trials. Exposed: what a "
	               "step takes beyond its compute, block by block. Overlap: the share of the "
	               "communication that compute hides, 1 − exposed ÷ communication; it is "
	               "below 0 where the two slow each other down by more than they hide.");
	if (common[0])
		page_say(page, "All rows: %s.", common);
	say_model(page, m);
	if (page->kind == PAGE_MARKDOWN)
		page_files(page, "As a file", files, 1);
}

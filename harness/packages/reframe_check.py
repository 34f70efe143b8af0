import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as typ


@rfm.simple_test
class launchgap_check(rfm.RunOnlyRegressionTest):
    """An experiment of launchgap: it ends, its data is right, and no variant of `keeps_up` is slower than the reference.
    Performance is the peak bus bandwidth of each variant; a site's references go into `reference`."""

    experiment = variable(str, value="smoke")
    keys = variable(typ.List[str], value=[])  # key=value of `launchgap run`
    keeps_up = variable(typ.List[str], value=[])
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sourcesdir = None
    executable = "launchgap"

    @run_before("run")
    def ask(self):
        self.executable_opts = ["run", self.experiment, *self.keys]

    @deferrable
    def report(self):
        with open(os.path.join(self.stagedir, "results", self.experiment, "latest", "report.json"), encoding="utf-8") as file:
            return json.load(file)

    def rows(self, name):
        """(table, row by key) of the tables of that name, or whose name begins so."""
        for table in self.report().evaluate()["tables"]:
            if table["name"].startswith(name):
                keys = [column["key"] for column in table["columns"]]
                yield from ((table["name"], dict(zip(keys, row))) for row in table["rows"])

    @deferrable
    def slower(self):
        return [(table, row["variant"]) for table, row in self.rows("verdicts_")
                if row["variant"] in self.keeps_up and (row["verdict"] or "").startswith("slower")]

    @deferrable
    def judged(self):
        return {row["variant"] for _, row in self.rows("verdicts_")}

    @sanity_function
    def holds(self):
        return sn.all([sn.assert_eq(self.job.exitcode, 0), sn.assert_true(self.report()["answer"]),
                       sn.assert_eq(self.slower(), []),
                       sn.all(sn.assert_in(v, self.judged(), "{0} is no variant of the run") for v in self.keeps_up)])

    @run_before("performance")
    def bandwidths(self):
        for _, row in self.rows("peaks"):
            self.perf_variables[f"{row['collective']}_{row['variant']}"] = sn.make_performance_function(
                sn.defer(row["peak_gbs"]), "GB/s")

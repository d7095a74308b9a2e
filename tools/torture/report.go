package torture

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"holdfast/tools/torture/cluster"
	"holdfast/tools/torture/history"
	"holdfast/tools/torture/workload"
)

// mostViolations is how many a report lists.
const mostViolations = 20

// Report is what a run did and what came of it. Its text is one page.
type Report struct {
	Seed             uint64
	Mode             Mode
	Servers, Clients int
	// Asked is how long the load was to last, Lasted how long it did.
	Asked, Lasted time.Duration
	// Operations counts requests by their kind.
	Operations map[string]Count
	// Answers counts answers that aren't 2xx by status and code, and those that didn't come under "no answer".
	Answers map[string]int
	// Faults counts how often each fault struck, CommitsCut the connections that were cut around a COMMIT.
	Faults     map[string]int
	CommitsCut int
	// Unknown is what became of requests whose clients knew no end when the load was over, Open what is left without
	// one.
	Unknown workload.Unknown
	Open    cluster.Open
	// Settled is how long it took until nothing was unknown any more.
	Settled time.Duration
	// Violations are the promises that were broken. CaughtAfter is the run's time at which the first one was noticed
	// under load; zero: afterwards, or none.
	Violations  []Violation
	CaughtAfter time.Duration
	// Dir holds the history if there are violations.
	Dir string
}

// Count is how many requests there were of one kind, by what their clients knew of them when they returned.
type Count struct{ Done, Replayed, Refused, Unknown int }

func (r *Report) count(ops []history.Operation) {
	r.Operations, r.Answers = map[string]Count{}, map[string]int{}
	for i := range ops {
		op := &ops[i]
		n := r.Operations[op.Kind]
		switch op.Outcome {
		case history.Done:
			n.Done++
			if op.Replayed {
				n.Replayed++
			}
		case history.Refused:
			n.Refused++
		case history.Unknown:
			n.Unknown++
		}
		r.Operations[op.Kind] = n
		switch {
		case op.Status == 0:
			r.Answers["no answer"]++
		case op.Outcome != history.Done || op.Status == 202:
			r.Answers[strings.TrimSpace(fmt.Sprintf("%d %s", op.Status, op.Code))]++
		}
	}
}

// Repeat is the command that runs the same again.
func (r *Report) Repeat() string {
	return fmt.Sprintf("make torture SEED=%d DURATION=%s MODE=%s", r.Seed, r.Asked, r.Mode)
}

// String is the report as a page of text.
func (r *Report) String() string {
	var page strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&page, format+"\n", args...) }
	line("Torture, seed %d: %s of load, %s, %d servers, %d clients", r.Seed, r.Lasted.Round(time.Second/10), r.Mode,
		r.Servers, r.Clients)
	line("")
	w := tabwriter.NewWriter(&page, 0, 0, 2, ' ', 0)
	row := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	row("OPERATION\tDONE\tOF THESE REPLAYED\tREFUSED\tUNKNOWN")
	var sum Count
	for _, kind := range slices.Sorted(maps.Keys(r.Operations)) {
		n := r.Operations[kind]
		row("%s\t%d\t%d\t%d\t%d", kind, n.Done, n.Replayed, n.Refused, n.Unknown)
		sum.Done, sum.Replayed, sum.Refused, sum.Unknown = sum.Done+n.Done, sum.Replayed+n.Replayed,
			sum.Refused+n.Refused, sum.Unknown+
				n.Unknown
	}
	row("all\t%d\t%d\t%d\t%d", sum.Done, sum.Replayed, sum.Refused, sum.Unknown)
	_ = w.Flush()
	line("\nAnswers that aren't done: %s", list(r.Answers))
	line("\nFaults: %s", list(r.Faults))
	line("Connections cut around COMMIT: %d", r.CommitsCut)
	u := r.Unknown
	line("\nUnknown when the load was over: %d requests. Repeated: %d turned out to be done, %d refused, %d still unknown. Never asked "+
		"about again: %d.",
		u.Done+u.Refused+u.Still+u.Left, u.Done, u.Refused, u.Still, u.Left)
	line("Settled after %s; without an end: %s.", r.Settled.Round(time.Second/10), r.Open)
	line("\nViolations: %d", len(r.Violations))
	for i, v := range r.Violations {
		if i == mostViolations {
			line("  … and %d more", len(r.Violations)-i)
			break
		}
		line("  %s: %s", v.Rule, v.Detail)
		if len(v.Operations) > 0 {
			line("    operations %v", v.Operations)
		}
	}
	if len(r.Violations) > 0 {
		if r.CaughtAfter > 0 {
			line("The first was noticed after %s.", r.CaughtAfter.Round(time.Second/10))
		}
		line("History, logs and this report: %s", r.Dir)
	}
	line("\nAgain: %s", r.Repeat())
	return page.String()
}

// list is counts in one line, the most frequent first.
func list(counts map[string]int) string {
	if len(counts) == 0 {
		return "none"
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}

package httpapi_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app/apptest"
	"holdfast/internal/db"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/testtime"
)

// few is how many bookings a tenant has that has just begun.
const few = 100

// crowdSize is how many tenants and bookings a tenant the plans are checked with.
func crowdSize(t *testing.T) crowd {
	t.Helper()
	text := os.Getenv("HOLDFAST_TEST_CROWD")
	if text == "" {
		return crowd{tenants: 50, bookings: 600}
	}
	var c crowd
	_, err := fmt.Sscanf(text, "%dx%d", &c.tenants, &c.bookings)
	require.NoError(t, err, "HOLDFAST_TEST_CROWD is tenants x bookings, such as 1000x10000")
	return c
}

// pages is how many blocks a table must have for reading it from end to end to be a mistake.
const pages = 8

// costs are what a request cost, once for each tenant that sent it.
type costs struct {
	blocks  []int
	planner []float64
	plans   []explained
}

// median is of the blocks and of the planner's cost.
func (c costs) median() (blocks int, planner float64) {
	slices.Sort(c.blocks)
	slices.Sort(c.planner)
	return c.blocks[len(c.blocks)/2], c.planner[len(c.planner)/2]
}

// crowdSamples is how many tenants send each request.
const crowdSamples = 3

// costsIn sends every request to a server on a database with a crowd. large are the tables of more than a few blocks.
func costsIn(t *testing.T, of crowd) (all map[string]costs, large map[string]bool) {
	t.Helper()
	database := loaded(t, of)
	e := explain(t, database)
	start := func() *apiServer {
		traced := func(c *db.Config) { c.Tracer = e }
		return serveAPI(t, apptest.Options{Database: database, Connect: traced}, admission.Limits{})
	}
	s := start()
	var tenants []crowdTenant
	for i := range crowdSamples {
		n := 1 + (i*2+1)*of.tenants/(2*crowdSamples)
		c := crowdTenant{client: client{apiServer: s, tenant: planID(aTenant, 0, n)}, n: n, bookings: of.bookings,
			plans: e}
		c.key = c.admin().post(t, "/admin/v1/tenants/"+c.tenant.String()+"/api-keys", nil).text(t, "api_key")
		c.cursor = c.list(t, "/v1/bookings?limit=20").NextCursor
		tenants = append(tenants, c)
	}
	all, large = make(map[string]costs), make(map[string]bool)
	rows, err := s.sql.Query(t.Context(), "SELECT relname FROM pg_class WHERE relkind = 'r' AND relpages > $1", pages)
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, name := range names {
		large[name] = true
	}
	for _, r := range plannedRequests() {
		var found costs
		for _, c := range tenants {
			if r.cold {
				c.apiServer = start()
			} else {
				r.send(t, c)
			}
			e.take(t)
			a := r.send(t, c)
			plans := e.take(t)
			require.True(t, a.status < http.StatusBadRequest || a.status == conflict, "%s: %s", r.name, a.body)
			require.NotEmpty(t, plans, r.name)
			blocks, planner := 0, 0.0
			for _, p := range plans {
				blocks += p.Plan.Hit + p.Plan.Read
				planner += p.Plan.Cost
			}
			found.blocks, found.planner, found.plans = append(found.blocks, blocks), append(found.planner, planner),
				plans
		}
		all[r.name] = found
	}
	return all, large
}

// TestPlans_CostTheSameHoweverManyBookingsThereAre counts the blocks that PostgreSQL touches for each request of a
// tenant that has just begun and of one that has been there for long. The planner's cost is told and not judged: it
// can't know how many rows a generic plan's LIMIT leaves.
func TestPlans_CostTheSameHoweverManyBookingsThereAre(t *testing.T) {
	t.Parallel()
	if testtime.Quick() {
		t.Skip("a crowd takes long")
	}
	const (
		most = 1.5
		// So many blocks more are no growth: indexes that are a level higher, and deleted rows to which an index leads
		// until no transaction can see them any more. What grows with the bookings touches a hundred more.
		higher = 10
	)
	size := crowdSize(t)
	small, _ := costsIn(t, crowd{size.tenants, few})
	big, large := costsIn(t, size)
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "request\tstatements\tblocks at %d\tat %d\tratio\tplanner's cost at %d\tat %d\n", few,
		size.bookings, few,
		size.bookings)
	for _, r := range plannedRequests() {
		before, cost := small[r.name].median()
		after, costs := big[r.name].median()
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.2f\t%.0f\t%.0f\n", r.name, len(big[r.name].plans), before, after,
			float64(after)/float64(before), cost, costs)
		if r.reads == "" && float64(after) > most*float64(before) && after > before+higher {
			t.Errorf("%s touches %d blocks with %d bookings and %d with %d, of %v and %v:%s", r.name, before, few,
				after, size.bookings,
				small[r.name].blocks, big[r.name].blocks, big[r.name])
		}
		for _, p := range big[r.name].plans {
			for _, scanned := range p.Plan.scanned() {
				if large[scanned] {
					t.Errorf("%s reads all of %s: %s", r.name, scanned, p.Query)
				}
			}
		}
	}
	require.NoError(t, w.Flush())
	t.Logf("%d tenants\n%s", size.tenants, &table)
}

// String lists the statements by their blocks.
func (c costs) String() string {
	var b strings.Builder
	for _, p := range c.plans {
		_, _ = fmt.Fprintf(&b, "\n%d blocks: %s: %.150s…", p.Plan.Hit+p.Plan.Read, p.Plan,
			strings.Join(strings.Fields(p.Query), " "))
	}
	return b.String()
}

func TestPlans_KnowEveryOperation(t *testing.T) {
	t.Parallel()
	requests := plannedRequests()
	for _, op := range newServer(t).operations(t) {
		planned := slices.ContainsFunc(requests, func(r planned) bool { return r.op == op.id })
		require.Equal(t, notPlanned[op.id] == "", planned, "%s: add a request to those whose plans are checked", op.id)
	}
}

package httpapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
)

// explainer hears the plan of each statement that a store's connections run, as it was run: those of functions,
// constraints and foreign keys included. PostgreSQL's auto_explain tells them to the client.
type explainer struct {
	mu    sync.Mutex
	plans []explained
	err   error
}

var (
	_ pgx.QueryTracer   = (*explainer)(nil)
	_ pgx.ConnectTracer = (*explainer)(nil)
)

// explained is a statement with its plan.
type explained struct {
	Query string `json:"Query Text"`
	Plan  node   `json:"Plan"`
}

// node is a step of a plan. Its blocks are those of the steps under it as well.
type node struct {
	Type  string  `json:"Node Type"`
	Table string  `json:"Relation Name"`
	Index string  `json:"Index Name"`
	Cost  float64 `json:"Total Cost"`
	Hit   int     `json:"Shared Hit Blocks"`
	Read  int     `json:"Shared Read Blocks"`
	Plans []node  `json:"Plans"`
}

// String tells the steps in one line, such as Limit (Index Scan bookings_by_date).
func (n node) String() string {
	text := strings.Join(strings.Fields(n.Type+" "+n.Table+" "+n.Index), " ")
	var steps []string
	for _, step := range n.Plans {
		steps = append(steps, step.String())
	}
	if len(steps) == 0 {
		return text
	}
	return text + " (" + strings.Join(steps, ", ") + ")"
}

// scanned lists the tables that a plan reads from end to end.
func (n node) scanned() []string {
	var tables []string
	if n.Type == "Seq Scan" {
		tables = append(tables, n.Table)
	}
	for _, step := range n.Plans {
		tables = append(tables, step.scanned()...)
	}
	return tables
}

// explain makes every later session of the database tell its plans.
func explain(t *testing.T, database string) *explainer {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	name := pgx.Identifier{conn.Config().Database}.Sanitize()
	for setting, value := range map[string]string{
		"session_preload_libraries": "auto_explain", "auto_explain.log_min_duration": "0",
		"auto_explain.log_analyze": "on",
		"auto_explain.log_buffers": "on", "auto_explain.log_timing": "off", "auto_explain.log_nested_statements": "on",
		"auto_explain.log_format": "json", "auto_explain.log_level": "info", // which client_min_messages never hides
	} {
		_, err := conn.Exec(t.Context(), "LOAD 'auto_explain'; ALTER DATABASE "+name+" SET "+setting+" = '"+value+"'")
		require.NoError(t, err, "auto_explain is one of PostgreSQL's contrib modules")
	}
	return new(explainer)
}

// TraceConnectStart listens to a connection before it is made.
func (e *explainer) TraceConnectStart(ctx context.Context, start pgx.TraceConnectStartData) context.Context {
	start.ConnConfig.OnNotice = func(_ *pgconn.PgConn, notice *pgconn.Notice) {
		_, plan, found := strings.Cut(notice.Message, "plan:\n")
		if !found {
			return
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		var p explained
		if err := json.Unmarshal([]byte(plan), &p); err != nil {
			e.err = err
		}
		e.plans = append(e.plans, p)
	}
	return ctx
}

// TraceConnectEnd does nothing.
func (e *explainer) TraceConnectEnd(context.Context, pgx.TraceConnectEndData) {}

// TraceQueryStart does nothing.
func (e *explainer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd does nothing.
func (e *explainer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// take returns the plans that were heard since it was last called.
func (e *explainer) take(t testingT) []explained {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	require.NoError(t, e.err)
	plans := e.plans
	e.plans = nil
	return plans
}

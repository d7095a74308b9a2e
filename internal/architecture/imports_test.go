// Package architecture_test holds the tests of what no single package can promise: which package may import which,
// where SQL and locks may stand, and what every table and statement must have.
//
// It reads the sources itself and starts no Go command, so that go test notices when a cached result is old.
package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	root   = "../.."
	module = "holdfast"
)

// permitted is what a package may import.
type permitted struct {
	imports    []string // of Holdfast's packages
	everything bool     // may import all of them
	stdlibOnly bool
	plain      bool // has rules over plain values: it takes no context, and so reads no database and calls nobody
	testsOnly  bool // may be imported by tests and by packages that are for tests themselves
}

// permittedImports is the whole table. docs/packages.md is made of what the packages do import.
var permittedImports = map[string]permitted{
	"clients/go":               {},
	"clients/go/examples/book": {imports: []string{"clients/go"}},
	"cmd/holdfast":             {everything: true},
	"deploy/prometheus":        {stdlibOnly: true},
	"docs":                     {stdlibOnly: true},
	"internal/amount":          {},
	"internal/app": {imports: []string{
		"internal/booking", "internal/catalog", "internal/cell", "internal/change", "internal/console",
		"internal/console/operator",
		"internal/customer", "internal/email", "internal/event", "internal/httpapi", "internal/httpapi/admission",
		"internal/httpapi/answers", "internal/httpapi/edge", "internal/httpapi/eventstream", "internal/httpapi/schema",
		"internal/idempotency", "internal/lockview", "internal/message", "internal/pages", "internal/payment",
		"internal/person",
		"internal/settings", "internal/db/preflight", "internal/db", "internal/tenant", "internal/usecase",
		"internal/user", "internal/wallet", "internal/webhook",
	}},
	"internal/app/apptest":  {everything: true, testsOnly: true},
	"internal/architecture": {testsOnly: true},
	"internal/booking": {
		imports: []string{
			"internal/operation", "internal/bounds", "internal/catalog", "internal/claim", "internal/claim/occupancy",
			"internal/customer", "internal/datetime", "internal/db", "internal/email", "internal/etag",
			"internal/event",
			"internal/idempotency", "internal/lock", "internal/mergepatch", "internal/problem", "internal/settings",
			"internal/tenant", "internal/timetable", "internal/timezone",
		},
	},
	"internal/booking/plaincalendar": {imports: []string{"internal/booking", "internal/timetable"}, testsOnly: true},
	"internal/operation":             {stdlibOnly: true},
	"internal/bounds":                {imports: []string{"internal/problem"}},
	"internal/catalog": {
		imports: []string{
			"internal/operation", "internal/amount", "internal/bounds", "internal/claim", "internal/claim/occupancy",
			"internal/datetime", "internal/db", "internal/etag", "internal/event", "internal/idempotency",
			"internal/lock", "internal/mergepatch", "internal/problem", "internal/settings", "internal/tenant",
			"internal/timetable",
		},
	},
	"internal/cell": {imports: []string{
		"internal/db", "internal/db/move", "internal/event", "internal/httpapi/edge",
		"internal/problem", "internal/tenant",
	}},
	"internal/cell/tables":     {stdlibOnly: true},
	"internal/change":          {imports: []string{"internal/operation", "internal/db", "internal/problem"}},
	"internal/claim":           {},
	"internal/claim/occupancy": {imports: []string{"internal/claim", "internal/db", "internal/problem"}},
	"internal/customer": {
		imports: []string{
			"internal/operation", "internal/bounds", "internal/datetime", "internal/db", "internal/email",
			"internal/etag", "internal/event", "internal/idempotency", "internal/mergepatch", "internal/problem",
			"internal/tenant", "internal/timezone",
		},
	},
	"internal/datetime": {imports: []string{"internal/problem", "internal/timezone"}},
	"internal/email":    {imports: []string{"internal/amount", "internal/datetime", "internal/problem"}},
	"internal/etag":     {imports: []string{"internal/problem"}},
	"internal/event": {imports: []string{
		"internal/operation", "internal/db", "internal/etag", "internal/idempotency", "internal/problem",
		"internal/tenant", "internal/timezone", "internal/tracing",
	}},
	"internal/expiring":    {},
	"internal/failover":    {everything: true, testsOnly: true},
	"internal/groupcommit": {stdlibOnly: true},
	"internal/mergepatch":  {imports: []string{"internal/problem"}},
	"internal/hostile":     {everything: true, testsOnly: true},
	"internal/httpapi": {
		imports: []string{
			"internal/booking", "internal/catalog", "internal/change", "internal/customer", "internal/datetime",
			"internal/etag", "internal/event", "internal/httpapi/admission", "internal/httpapi/document",
			"internal/httpapi/edge", "internal/httpapi/eventstream", "internal/httpapi/guides",
			"internal/httpapi/paging", "internal/httpapi/schema", "internal/idempotency", "internal/lockview",
			"internal/mergepatch", "internal/message", "internal/operation", "internal/payment",
			"internal/payment/receiptpdf", "internal/person", "internal/problem", "internal/settings",
			"internal/tenant", "internal/timetable", "internal/usecase", "internal/user", "internal/wallet",
			"internal/webhook",
		},
	},
	"internal/httpapi/admission": {imports: []string{
		"internal/expiring", "internal/httpapi/edge", "internal/problem", "internal/tenant", "internal/tracing",
	}},
	"internal/httpapi/answers":  {imports: []string{"internal/etag", "internal/db"}},
	"internal/httpapi/document": {imports: []string{"internal/problem"}},
	"internal/httpapi/edge":     {imports: []string{"internal/problem", "internal/tracing"}},
	"internal/httpapi/eventstream": {imports: []string{
		"internal/change", "internal/httpapi/edge", "internal/operation", "internal/problem", "internal/tenant",
	}},
	"internal/httpapi/guides": {imports: []string{"docs", "internal/httpapi/edge"}},
	"internal/httpapi/paging": {imports: []string{"internal/httpapi/schema", "internal/problem"}},
	"internal/httpapi/schema": {imports: []string{
		"internal/booking", "internal/bounds", "internal/catalog", "internal/change", "internal/customer",
		"internal/datetime", "internal/email", "internal/event", "internal/httpapi/edge", "internal/lockview",
		"internal/mergepatch", "internal/message", "internal/operation", "internal/payment", "internal/person",
		"internal/problem", "internal/settings", "internal/tenant", "internal/timetable", "internal/user",
		"internal/wallet", "internal/webhook",
	}},
	"internal/idempotency": {imports: []string{
		"internal/problem", "internal/db", "internal/waitqueue", "internal/tracing",
	}},
	"internal/lock": {stdlibOnly: true},
	"internal/lockview": {imports: []string{
		"internal/operation", "docs", "internal/db", "internal/expiring", "internal/lock", "internal/tenant",
	}},
	"internal/message": {imports: []string{
		"internal/bounds", "internal/booking", "internal/change", "internal/customer",
		"internal/db", "internal/email", "internal/event", "internal/payment", "internal/problem",
		"internal/settings", "internal/timetable", "internal/timezone", "internal/tracing",
	}},
	"internal/payment": {imports: []string{
		"internal/operation", "internal/bounds", "internal/amount", "internal/booking", "internal/datetime",
		"internal/db", "internal/etag", "internal/event", "internal/idempotency", "internal/lock",
		"internal/mergepatch", "internal/problem", "internal/tenant", "internal/timezone", "internal/wallet",
		"internal/tracing",
	}},
	"internal/pages": {imports: []string{
		"internal/amount", "internal/booking", "internal/catalog", "internal/customer", "internal/datetime",
		"internal/email", "internal/etag", "internal/expiring", "internal/httpapi/admission",
		"internal/httpapi/edge", "internal/idempotency",
		"internal/payment", "internal/problem", "internal/settings", "internal/db", "internal/tenant",
		"internal/timetable", "internal/usecase", "internal/web", "internal/web/asset", "internal/web/refused",
	}},
	"internal/pages/pagetest": {imports: []string{"internal/testtime"}, testsOnly: true},
	"internal/console": {imports: []string{
		"internal/console/bookings", "internal/console/catalog", "internal/console/customers",
		"internal/console/developers", "internal/console/frame", "internal/console/money",
		"internal/console/settings", "internal/httpapi/admission", "internal/httpapi/edge",
		"internal/idempotency", "internal/mergepatch", "internal/problem", "internal/usecase", "internal/user",
		"internal/web",
	}},
	"internal/console/bookings": {imports: []string{
		"internal/booking", "internal/catalog", "internal/console/form", "internal/console/frame",
		"internal/customer", "internal/datetime", "internal/etag", "internal/event", "internal/idempotency",
		"internal/message", "internal/operation", "internal/payment", "internal/problem", "internal/timetable",
		"internal/web", "internal/web/asset",
	}},
	"internal/console/catalog": {imports: []string{
		"internal/booking", "internal/catalog", "internal/console/form", "internal/console/frame",
		"internal/datetime", "internal/etag", "internal/idempotency", "internal/operation", "internal/problem",
		"internal/settings", "internal/tenant", "internal/timetable", "internal/web",
	}},
	"internal/console/customers": {imports: []string{
		"internal/booking", "internal/console/form", "internal/console/frame", "internal/customer",
		"internal/event", "internal/idempotency", "internal/message", "internal/operation", "internal/problem",
		"internal/tenant", "internal/wallet", "internal/web",
	}},
	"internal/console/developers": {imports: []string{
		"internal/console/form", "internal/console/frame", "internal/event", "internal/idempotency",
		"internal/operation", "internal/problem", "internal/tenant", "internal/web", "internal/webhook",
	}},
	"internal/console/form": {imports: []string{
		"internal/bounds", "internal/datetime", "internal/mergepatch", "internal/problem", "internal/tenant",
		"internal/web",
	}},
	"internal/console/form/formtest": {imports: []string{"internal/console/form"}, testsOnly: true},
	"internal/console/frame": {imports: []string{
		"internal/booking", "internal/bounds", "internal/catalog", "internal/change", "internal/console/form",
		"internal/customer", "internal/datetime", "internal/etag", "internal/event", "internal/httpapi/admission",
		"internal/httpapi/edge", "internal/idempotency", "internal/mergepatch", "internal/message",
		"internal/operation", "internal/payment", "internal/problem", "internal/tenant", "internal/usecase",
		"internal/user", "internal/web", "internal/webhook",
	}},
	"internal/console/money": {imports: []string{
		"internal/booking", "internal/bounds", "internal/console/form", "internal/console/frame", "internal/customer",
		"internal/datetime", "internal/idempotency", "internal/operation", "internal/payment", "internal/problem",
		"internal/wallet", "internal/web",
	}},
	"internal/console/settings": {imports: []string{
		"internal/catalog", "internal/console/form", "internal/console/frame", "internal/message",
		"internal/problem", "internal/settings", "internal/tenant", "internal/web",
	}},
	"internal/console/operator": {imports: []string{
		"internal/operation", "deploy/prometheus", "internal/datetime", "internal/httpapi/admission",
		"internal/httpapi/edge",
		"internal/idempotency", "internal/lockview", "internal/mergepatch",
		"internal/payment", "internal/problem", "internal/tenant", "internal/usecase",
		"internal/user", "internal/web", "internal/web/asset",
	}},
	"internal/payment/paymenttest": {imports: []string{"internal/payment", "internal/testtime"}, testsOnly: true},
	"internal/payment/receiptpdf":  {imports: []string{"internal/amount", "internal/payment"}},
	"internal/payment/sandbox":     {imports: []string{"internal/amount", "internal/payment", "internal/tracing"}},
	"internal/payment/stripe":      {imports: []string{"internal/payment", "internal/tracing"}},
	"internal/person": {
		imports: []string{
			"internal/booking", "internal/change", "internal/customer", "internal/db", "internal/etag",
			"internal/event", "internal/idempotency", "internal/problem", "internal/tenant",
		},
	},
	"internal/postgres":            {},
	"internal/postgres/pgtest":     {imports: []string{"internal/postgres", "internal/testtime"}, testsOnly: true},
	"internal/problem/problemtest": {imports: []string{"internal/problem"}, testsOnly: true},
	"internal/problem":             {stdlibOnly: true},
	"internal/settings": {imports: []string{
		"internal/operation", "internal/bounds", "internal/db", "internal/email", "internal/etag", "internal/event",
		"internal/mergepatch", "internal/problem", "internal/tenant", "internal/timetable",
	}},
	"internal/servertest":       {stdlibOnly: true, testsOnly: true},
	"internal/servertest/clock": {imports: []string{"internal/servertest"}, testsOnly: true},
	"internal/db": {imports: []string{
		"internal/db/internal/core", "internal/groupcommit", "internal/lock", "internal/tracing",
	}},
	"internal/db/move": {imports: []string{
		"internal/cell/tables", "internal/db", "internal/db/internal/core", "internal/db/internal/dbsqlc",
		"internal/db/preflight", "internal/problem",
	}},
	"internal/db/preflight": {imports: []string{
		"internal/db", "internal/db/internal/core", "internal/db/internal/dbsqlc", "internal/problem", "migrations",
	}},
	"internal/db/internal/core": {imports: []string{"internal/lock", "internal/problem", "internal/db/internal/dbsqlc",
		"internal/waitqueue", "internal/tracing"}},
	"internal/db/internal/dbsqlc": {},
	"internal/db/dbtest": {
		imports: []string{
			"internal/db/preflight", "internal/db", "internal/httpapi/answers", "internal/postgres/pgtest",
		},
		testsOnly: true,
	},
	"internal/tenant": {imports: []string{
		"internal/operation", "internal/bounds", "internal/db", "internal/etag", "internal/expiring",
		"internal/idempotency", "internal/mergepatch", "internal/problem", "internal/timezone",
	}},
	"internal/tenant/tenanttest": {imports: []string{"internal/db"}, testsOnly: true},
	"internal/testtime":          {testsOnly: true},
	"internal/timezone":          {stdlibOnly: true},
	"internal/tracing":           {imports: []string{"internal/problem"}},
	"internal/tracing/otlp":      {imports: []string{"internal/tracing"}},
	"internal/timetable": {
		imports: []string{
			"internal/amount", "internal/claim", "internal/datetime", "internal/lock", "internal/problem",
			"internal/timezone",
		},
		plain: true,
	},
	"internal/usecase": {imports: []string{
		"internal/booking", "internal/catalog", "internal/change", "internal/customer", "internal/event",
		"internal/idempotency",
		"internal/lockview", "internal/message", "internal/payment", "internal/person", "internal/settings",
		"internal/tenant",
		"internal/user", "internal/wallet", "internal/webhook",
	}},
	"internal/user": {imports: []string{
		"internal/operation", "internal/bounds", "internal/db", "internal/email", "internal/etag", "internal/event",
		"internal/expiring", "internal/idempotency", "internal/mergepatch", "internal/problem", "internal/settings",
		"internal/tenant", "internal/timezone",
	}},
	"internal/waitqueue": {},
	"internal/wallet": {imports: []string{
		"internal/operation", "internal/bounds", "internal/customer", "internal/db", "internal/etag",
		"internal/event", "internal/expiring", "internal/idempotency", "internal/lock", "internal/problem",
		"internal/tenant",
	}},
	"internal/web": {imports: []string{
		"internal/amount", "internal/httpapi/edge", "internal/idempotency", "internal/problem", "internal/web/asset",
		"internal/web/refused",
	}},
	"internal/web/asset":   {imports: []string{"internal/httpapi/edge"}},
	"internal/web/refused": {imports: []string{"internal/problem"}},
	"internal/webhook": {imports: []string{
		"internal/operation", "internal/bounds", "internal/change", "internal/db", "internal/etag", "internal/event",
		"internal/groupcommit", "internal/idempotency", "internal/problem", "internal/tenant", "internal/waitqueue",
		"internal/tracing",
	}},
	"migrations": {stdlibOnly: true},

	// The modules under tools/. The product can't import them, because its go.mod doesn't require them.
	"tools/bench":            {everything: true, testsOnly: true},
	"tools/bench/strategies": {everything: true, testsOnly: true},
	"tools/lockslint":        {stdlibOnly: true},
	"tools/oidc-provider":    {testsOnly: true},
	"tools/packages":         {},
	"tools/torture": {
		imports: []string{
			"internal/payment/sandbox", "tools/torture/check", "tools/torture/cluster", "tools/torture/history",
			"tools/torture/nemesis", "tools/torture/workload",
		},
		testsOnly: true,
	},
	"tools/torture/check": {imports: []string{
		"internal/payment", "internal/timezone", "tools/torture/history",
	}, testsOnly: true},
	"tools/torture/cluster": {
		imports: []string{
			"internal/payment/sandbox", "internal/postgres", "internal/postgres/pgtest", "internal/servertest",
			"internal/db/dbtest",
		},
		testsOnly: true,
	},
	"tools/torture/history":  {testsOnly: true},
	"tools/torture/nemesis":  {imports: []string{"internal/payment/sandbox", "tools/torture/cluster"}, testsOnly: true},
	"tools/torture/workload": {imports: []string{"internal/timezone", "tools/torture/history"}, testsOnly: true},
}

// restrictedImports says which packages may import a library, tests aside.
var restrictedImports = map[string]struct {
	packages []string
	why      string
}{
	"database/sql": {
		packages: []string{"internal/db/preflight"},
		why:      "SQL runs in internal/db and below it; goose asks for a database/sql connection",
	},
	"github.com/jackc/pgx": {
		// internal/postgres asks its server whether it is ready; the test packages make databases, and the benchmark
		// books with other strategies than Holdfast's. internal/claim/occupancy reads ranges of units.
		packages: []string{
			"internal/claim/occupancy", "internal/postgres", "internal/postgres/pgtest", "internal/db",
			"internal/db/move", "internal/db/preflight",
			"internal/db/internal/core",
			"internal/db/internal/dbsqlc", "internal/db/dbtest", "internal/app/apptest",
			"tools/bench", "tools/bench/strategies", "tools/torture/check",
			"tools/torture/cluster",
		},
		why: "SQL runs in internal/db and in the packages below it, and in what is generated",
	},
	"github.com/pressly/goose": {
		packages: []string{"internal/db/preflight"},
		why:      "migrations run in internal/db/preflight",
	},
	"github.com/Shopify/toxiproxy": {
		packages: []string{"tools/torture/cluster"},
		why:      "it breaks networks, for tests",
	},
	"github.com/stripe/stripe-go": {
		packages: []string{"internal/payment/stripe"},
		why:      "a payment provider is behind its port",
	},
	"go.opentelemetry.io/otel/sdk": {
		packages: []string{"internal/tracing/otlp"},
		why:      "spans begin by the API; one package decides which of them are sent, and where to",
	},
	"go.opentelemetry.io/otel/exporters": {
		packages: []string{"internal/tracing/otlp"},
		why:      "spans begin by the API; one package decides which of them are sent, and where to",
	},
	"github.com/prometheus/prometheus": {
		packages: []string{"internal/console/operator"},
		why:      "it evaluates the alerts for the page of metrics; what counts and measures uses the client library",
	},
	"github.com/wneessen/go-mail": {
		packages: []string{"internal/email"},
		why:      "emails are made and sent in one place, which keeps headers safe",
	},
	"github.com/arran4/golang-ical": {
		packages: []string{"internal/email"},
		why:      "calendar entries are made in one place, which keeps their lines safe",
	},
	"github.com/cbroglie/mustache": {
		packages: []string{"internal/email"},
		why:      "internal/email refuses what its templates must not do, such as reading files",
	},
	"codeberg.org/go-pdf/fpdf": {
		packages: []string{"internal/payment/receiptpdf"},
		why:      "only receipts are printed",
	},
	"github.com/gin-gonic/gin": {
		packages: []string{"internal/console", "internal/console/frame", "internal/console/operator",
			"internal/httpapi", "internal/httpapi/admission",
			"internal/httpapi/edge", "internal/httpapi/eventstream", "internal/httpapi/guides",
			"internal/httpapi/schema", "internal/pages", "internal/web", "internal/web/asset"},
		why: "only internal/httpapi, internal/web, and the pages that are made with it, know HTTP",
	},
	"github.com/danielgtaylor/huma": {
		packages: []string{"internal/httpapi", "internal/httpapi/admission", "internal/httpapi/document",
			"internal/httpapi/schema"},
		why: "only internal/httpapi knows HTTP",
	},
}

func TestPackages_AreAllOnTheMap(t *testing.T) {
	t.Parallel()
	for name := range packages(t) {
		if generated.MatchString(name) {
			continue // the compiler says who imports it: its subject
		}
		require.Contains(t, permittedImports, name,
			"a new package needs a line in this file that says what it may import")
	}
}

func TestPackages_ImportOnlyWhatTheMapAllows(t *testing.T) {
	t.Parallel()
	for name, files := range packages(t) {
		for _, f := range files {
			for _, imported := range f.imports {
				target, ours := strings.CutPrefix(imported, module+"/")
				if f.test || !ours || permittedImports[name].everything || generated.MatchString(target) {
					continue
				}
				require.Contains(t, permittedImports[name].imports, target, "%s must not import %s", f.path, imported)
			}
		}
	}
}

func TestConsole_Sections_DoNotKnowEachOther(t *testing.T) {
	t.Parallel()
	const console = "internal/console/"
	found := 0
	for name, files := range packages(t) {
		section, ok := strings.CutPrefix(name, console)
		if !ok || slices.Contains([]string{"frame", "form", "form/formtest", "operator"}, section) {
			continue
		}
		found++
		for _, f := range files {
			for _, imported := range f.imports {
				below, ours := strings.CutPrefix(imported, module+"/"+console)
				require.True(t, !ours || slices.Contains([]string{"frame", "form", "form/formtest"}, below),
					"%s imports %s: sections share internal/console/frame, and lead to each other by paths", f.path,
					imported)
			}
		}
	}
	require.NotZero(t, found)
}

func TestImports_LeafPackages_UseOnlyTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for name, files := range packages(t) {
		for _, f := range files {
			if f.test || !permittedImports[name].stdlibOnly {
				continue
			}
			for _, imported := range f.imports {
				first, _, _ := strings.Cut(imported, "/")
				require.False(t, strings.Contains(first, ".") || first == module, "%s must not import %s", f.path,
					imported)
			}
		}
	}
}

func TestImports_PlainPackages_TakeNoContext(t *testing.T) {
	t.Parallel()
	for name, files := range packages(t) {
		for _, f := range files {
			if !f.test && permittedImports[name].plain {
				require.NotContains(t, f.imports, "context", f.path)
			}
		}
	}
}

func TestTestPackages_AreImportedByTestsOnly(t *testing.T) {
	t.Parallel()
	for name, files := range packages(t) {
		for _, f := range files {
			for _, imported := range f.imports {
				target, ours := strings.CutPrefix(imported, module+"/")
				if ours && permittedImports[target].testsOnly {
					require.True(t, f.test || permittedImports[name].testsOnly, "%s imports %s, which is for tests",
						f.path, imported)
				}
			}
		}
	}
}

func TestImports_RestrictedLibrary_OnlyInListedPackages(t *testing.T) {
	t.Parallel()
	for name, files := range packages(t) {
		for _, f := range files {
			for library, restricted := range restrictedImports {
				for _, imported := range f.imports {
					if !f.test && !generated.MatchString(name) &&
						(imported == library || strings.HasPrefix(imported, library+"/")) {
						require.Contains(t, restricted.packages, name, "%s imports %s, but %s", f.path, imported,
							restricted.why)
					}
				}
			}
		}
	}
}

func TestPackages_AreNamedForWhatTheyDo(t *testing.T) {
	t.Parallel()
	refused := []string{"base", "common", "helper", "helpers", "misc", "model", "models", "shared", "type", "types",
		"util", "utils"}
	for name, files := range packages(t) {
		require.NotContains(t, refused, path.Base(name))
		for _, f := range files {
			require.NotContains(t, refused, strings.TrimSuffix(f.pkg, "_test"), f.path)
		}
	}
}

type source struct {
	path    string
	pkg     string
	imports []string
	test    bool
}

// packages returns the Go files of the product and of the modules under tools/ by directory, whatever system they are
// for.
func packages(t *testing.T) map[string][]source {
	t.Helper()
	found := map[string][]source{}
	for _, name := range walk(t, ".go") {
		text := read(t, name)
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		require.NoError(t, err)
		dir := path.Dir(name)
		found[dir] = append(found[dir], source{
			path: name, pkg: parsed.Name.Name, imports: importsOf(t, parsed), test: strings.HasSuffix(name, "_test.go"),
		})
	}
	require.Subset(t, slices.Collect(maps.Keys(found)), []string{"internal/lock", "internal/db", "migrations"})
	return found
}

func importsOf(t *testing.T, file *ast.File) []string {
	t.Helper()
	paths := make([]string, len(file.Imports))
	for i, spec := range file.Imports {
		unquoted, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		paths[i] = unquoted
	}
	return paths
}

// walk lists the files with an extension, as slash-separated paths from the product's root.
func walk(t *testing.T, extension string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		local, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		base := filepath.Base(local)
		switch {
		case entry.IsDir() && local != "." &&
			(strings.HasPrefix(base, ".") ||
				slices.Contains([]string{"bin", "dist", "node_modules", "testdata"}, base)):
			return fs.SkipDir
		case !entry.IsDir() && filepath.Ext(base) == extension:
			names = append(names, filepath.ToSlash(local))
		}
		return nil
	})
	require.NoError(t, err)
	return names
}

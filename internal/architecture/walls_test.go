package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// generated finds the packages of statements that sqlc generates: below a subject, one for each lock.
var generated = regexp.MustCompile(`^internal/(\w+)/internal/(\w+)sql$`)

// queriesOf returns the directory of the statements that a generated package has.
func queriesOf(pkg string) string {
	found := generated.FindStringSubmatch(pkg)
	return path.Join("sql/queries", found[1], found[2])
}

func TestStatements_OfASubject_AreRunInItsSQLFiles(t *testing.T) {
	t.Parallel()
	found := false
	for _, files := range packages(t) {
		for _, f := range files {
			for _, imported := range f.imports {
				if target := strings.TrimPrefix(imported, module+"/"); generated.MatchString(target) && !f.test {
					require.True(t, strings.HasPrefix(path.Base(f.path), "sql"),
						"%s imports %s: statements are run in sql.go", f.path, target)
					found = true
				}
			}
		}
	}
	require.True(t, found)
}

func TestStatements_AreOpenedAsGenerated(t *testing.T) {
	t.Parallel()
	opened := map[string]bool{}
	for _, name := range walk(t, ".go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.SkipObjectResolution)
		require.NoError(t, err)
		imports := importsOf(t, file)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			under, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !isName(under.X, "db") || !strings.HasPrefix(under.Sel.Name, "Under") || len(call.Args) != 1 {
				return true
			}
			of, ok := call.Args[0].(*ast.SelectorExpr)
			require.True(t, ok && of.Sel.Name == "New", "%s: db.%s is given the New of a generated package", name,
				under.Sel.Name)
			for _, imported := range imports {
				if id, named := of.X.(*ast.Ident); named && path.Base(imported) == id.Name {
					opened[strings.TrimPrefix(imported, module+"/")] = true
				}
			}
			return true
		})
	}
	for name := range packages(t) {
		if !generated.MatchString(name) {
			continue
		}
		require.True(t, opened[name], "nothing opens the statements of %s", name)
		delete(opened, name)
		_, err := os.Stat(filepath.Join(root, queriesOf(name)))
		require.NoError(t, err, "%s has no statements any more", name)
	}
	delete(opened, "internal/db/internal/dbsqlc")
	require.Empty(t, opened, "only generated packages have statements")
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// A statement gets its tenant from its transaction, and so from the lock.
func TestStatements_OfASubject_TakeTheTenantOfTheTransaction(t *testing.T) {
	t.Parallel()
	const tenant = "tx.Tenant()"
	calls := 0
	for name, files := range packages(t) {
		if !strings.HasPrefix(name, "internal/") {
			continue
		}
		for _, f := range files {
			if f.test || !strings.HasPrefix(path.Base(f.path), "sql") {
				continue
			}
			text := read(t, f.path)
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, f.path, text, parser.SkipObjectResolution)
			require.NoError(t, err)
			source := func(n ast.Node) string { return text[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset] }
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CompositeLit:
					if params, ok := n.Type.(*ast.SelectorExpr); !ok || !strings.HasSuffix(params.Sel.Name, "Params") {
						return true
					}
					for _, element := range n.Elts {
						if field, ok := element.(*ast.KeyValueExpr); ok && isName(field.Key, "TenantID") {
							require.Equal(t, tenant, source(field.Value), "%s: the tenant of a statement",
								fset.Position(n.Pos()))
						}
					}
				case *ast.AssignStmt:
					for i, left := range n.Lhs {
						if field, ok := left.(*ast.SelectorExpr); ok && field.Sel.Name == "TenantID" {
							require.Equal(t, tenant, source(n.Rhs[i]), "%s: the tenant of a statement",
								fset.Position(n.Pos()))
						}
					}
				case *ast.CallExpr:
					method, ok := n.Fun.(*ast.SelectorExpr)
					if !ok || !isName(method.X, "q") || len(n.Args) < 2 {
						return true
					}
					calls++
					require.Equal(t, "tx.Context()", source(n.Args[0]), "%s: the context of a statement",
						fset.Position(n.Pos()))
					if given, ok := n.Args[1].(*ast.Ident); ok {
						require.NotContains(t, strings.ToLower(given.Name), "tenant",
							"%s: the tenant of a statement is %s",
							fset.Position(n.Pos()), tenant)
					}
				}
				return true
			})
		}
	}
	require.NotZero(t, calls)
}

// leavesItsTenant are the packages whose transactions may see rows of several tenants, each with its reason.
var leavesItsTenant = map[string]string{
	"internal/cell":     "the operator's directory says in which cell each tenant is",
	"internal/change":   "the operator's endpoints follow the feed of all tenants",
	"internal/event":    "workers claim what is due of any tenant, and the operator looks at all of it",
	"internal/lockview": "the operator sees the locks of all tenants under their names",
	"internal/payment":  "the operator compares payments with a provider's journal, and a webhook names an account",
	"internal/tenant":   "the operator finds tenants; a worker records when keys of any tenant were used",
	"internal/webhook":  "the operator's endpoints get the events of all tenants",
}

func TestTransactions_OfATenant_StayWithIt(t *testing.T) {
	t.Parallel()
	leaves := regexp.MustCompile(
		`\.((ReadAcross|ReadAsLogin|ReadAsWorker|AsWorker|WriteAsOperator|Record)\(ctx|BecomeWorker\()`)
	needed := map[string]string{}
	for name, files := range packages(t) {
		for _, f := range files {
			if f.test || !strings.HasPrefix(name, "internal/") || strings.HasPrefix(name, "internal/db") {
				continue
			}
			if found := leaves.FindString(read(t, f.path)); found != "" {
				reason, allowed := leavesItsTenant[name]
				require.True(t, allowed, "%s has %s: it sees rows of other tenants", f.path, found)
				needed[name] = reason
			}
		}
	}
	require.Equal(t, leavesItsTenant, needed, "a package that doesn't leave its tenant is taken off the list")
}

// guarded are the tables that are written under a lock, with that lock.
var guarded = map[string]string{
	"wallets": "wallet", "wallet_entries": "wallet", "wallet_postings": "wallet", "wallet_snapshots": "wallet",
	"payments": "balance", "provider_events": "balance",
	"claims": "dates", "blocks": "dates", "closures": "dates", "bookings": "dates",
}

// unguarded are the statements that write such a table without its lock, with what keeps that right.
var unguarded = map[string]string{
	"BookingRaiseVersion":         "the version only, of the booking whose row is locked",
	"EraseBookings":               "who booked, and texts, which no decision reads, of bookings whose rows are locked",
	"EraseContacts":               "who booked, which no decision reads, of bookings whose rows are locked",
	"MergeBookings":               "who booked, which no decision reads, of bookings whose rows are locked",
	"TenantDeleteBlocks":          "the tenant is closed, and all of it goes",
	"TenantDeleteBookings":        "the tenant is closed, and all of it goes",
	"TenantDeleteClaims":          "the tenant is closed, and all of it goes",
	"TenantDeleteClaimsFirst":     "the tenant is closed, and all of it goes",
	"TenantDeleteClosures":        "the tenant is closed, and all of it goes",
	"ErasePayers":                 "who paid, which no decision reads",
	"ErasePayments":               "texts and addresses of pages only, which no decision reads",
	"ErasePaymentMetadata":        "texts only, which no decision reads",
	"PaymentLease":                "a resolver's lease: whoever holds the lock compares the fence before it writes",
	"PaymentRenew":                "the end of a lease, by whoever has its fence",
	"PaymentSetPayer":             "who paid, under the locks of the booking's dates; no decision reads it",
	"TenantDeletePayments":        "the tenant is closed, and all of it goes",
	"TenantDeleteProviderEvents":  "the tenant is closed, and all of it goes",
	"EraseWalletEntries":          "texts of entries only, which no decision reads",
	"MergeWallets":                "the owner only: see the registry's row of the lock",
	"TenantDeleteWallets":         "the tenant is closed, and all of it goes",
	"TenantDeleteWalletEntries":   "the tenant is closed, and all of it goes",
	"TenantDeleteWalletPostings":  "the tenant is closed, and all of it goes",
	"TenantDeleteWalletSnapshots": "the tenant is closed, and all of it goes",
}

func TestStatements_ThatWriteWhatALockGuards_StandUnderIt(t *testing.T) {
	t.Parallel()
	written := regexp.MustCompile(`(?i)\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+(?:ONLY\s+)?([a-z_]+)`)
	needed := map[string]string{}
	under := map[string]bool{}
	for _, s := range statements(t) {
		for _, match := range written.FindAllStringSubmatch(s.sql, -1) {
			lock, ok := guarded[match[1]]
			switch {
			case !ok:
			case path.Base(path.Dir(s.file)) == lock:
				under[match[1]] = true
			default:
				reason, allowed := unguarded[s.name]
				require.True(t, allowed, "%s in %s writes %s: it belongs to the directory %s", s.name, s.file, match[1],
					lock)
				needed[s.name] = reason
			}
		}
	}
	require.Equal(t, unguarded, needed, "an exception that nothing needs is taken off the list")
	require.Len(t, under, len(guarded))
}

// The order is data of the tests that watch every transaction.
func TestStatements_ThatKeepRows_HaveAPlaceInTheOrder(t *testing.T) {
	t.Parallel()
	order := read(t, "internal/db/dbtest/roworder.go")
	keeps := regexp.MustCompile(`\bFOR (NO KEY |KEY )?(UPDATE|SHARE)\b`)
	found := 0
	for _, s := range statements(t) {
		if keeps.MatchString(s.sql) && !strings.Contains(s.sql, "SKIP LOCKED") {
			require.Contains(t, order, `"`+s.name+`"`, "%s in %s needs a place in RowOrder", s.name, s.file)
			found++
		}
	}
	listed := strings.Count(order, `", "`) + strings.Count(order, `"}`)
	require.Equal(t, listed, found, "a statement that is gone is taken off RowOrder")
}

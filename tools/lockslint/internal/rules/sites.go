package rules

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/cfg"

	"holdfast/tools/lockslint/internal/locksql"
	"holdfast/tools/lockslint/internal/registry"
)

// site is a call that takes a lock or lets go of one.
type site struct {
	effect
	call   *ast.CallExpr
	at     origin
	direct bool // runs the statement itself, or through a function of another package
	text   string
}

// findSites finds the calls that take locks. It repeats until what functions do has reached their callers.
func (r *packageCheck) findSites() {
	for changed := true; changed; {
		changed = false
		for _, fn := range r.funcs {
			before := len(fn.locks.Effects)
			begins, closes := fn.locks.Begins, fn.locks.Closes
			r.findSitesOf(fn)
			changed = changed || len(fn.locks.Effects) != before || fn.locks.Begins != begins || fn.locks.Closes != closes
		}
	}
	for _, fn := range r.funcs {
		if len(fn.locks.Effects) > 0 || fn.locks.Begins || fn.locks.Closes {
			r.facts.Locking[fn.ref.Name] = fn.locks
		}
	}
}

// talkers are packages whose functions are given text to show and not to run.
var talkers = []string{"errors", "fmt", "log", "log/slog", "regexp", "strings", "testing"}

func (r *packageCheck) findSitesOf(fn *function) {
	fn.sites = nil
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if f, ok := r.TypesInfo.Uses[id].(*types.Func); ok && r.byObject[f.Origin()] != nil {
				fn.calls[f.Origin()] = true
			}
		}
		if call, ok := n.(*ast.CallExpr); ok {
			r.findSite(fn, call)
		}
		return true
	})
	fn.locks = locking{Begins: fn.locks.Begins, Closes: r.closes(fn)}
	for _, s := range fn.sites {
		if e, ok := r.passedOn(fn, s); ok && !slices.Contains(fn.locks.Effects, e) {
			fn.locks.Effects = append(fn.locks.Effects, e)
		}
	}
}

func (r *packageCheck) findSite(fn *function, call *ast.CallExpr) {
	f := r.callee(call)
	if f == nil || f.Pkg() == nil || !slices.Contains(talkers, f.Pkg().Path()) {
		for _, a := range call.Args {
			if !isText(r.TypesInfo.TypeOf(a)) {
				continue
			}
			text := r.sql(a)
			if locksql.Begins(text) {
				fn.locks.Begins = true
			}
			for _, c := range locksql.Calls(text) {
				e := effect{Release: locksql.Kind(c.Function) == "release"}
				if !e.Release {
					e.Kind = registry.Kind{
						Transaction: locksql.Kind(c.Function) == "transaction", Session: locksql.Kind(c.Function) == "session", Try: locksql.Try(c.Function),
						Wait: !locksql.Try(c.Function),
					}
				}
				fn.sites = append(fn.sites, &site{effect: e, call: call, at: r.connection(fn, call), direct: true, text: text})
			}
		}
	}
	locks, ours := r.locksOf(f)
	for _, e := range locks.Effects {
		s := &site{effect: e, call: call, direct: !ours, at: origin{param: noParam}}
		switch method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); {
		case e.Param == receiver && ok:
			s.at = r.origin(fn, method.X, 0)
		case e.Param >= 0 && e.Param < len(call.Args):
			s.at = r.origin(fn, call.Args[e.Param], 0)
		}
		fn.sites = append(fn.sites, s)
	}
}

// locksOf returns what a function does to locks, and whether it is one of this package.
func (r *packageCheck) locksOf(f *types.Func) (locking, bool) {
	if f == nil || f.Pkg() == nil {
		return locking{}, false
	}
	if fn := r.byObject[f]; fn != nil {
		return fn.locks, true
	}
	return r.of(f.Pkg()).Locking[nameOf(f)], false
}

// passedOn returns what a caller of fn has to know of a site on one of fn's parameters.
func (r *packageCheck) passedOn(fn *function, s *site) (effect, bool) {
	if s.at.param == noParam {
		return effect{}, false
	}
	e := effect{Kind: s.Kind, Release: s.Release, Param: s.at.param}
	e.NeedTx = s.Kind.Transaction && r.needsTx(fn, s)
	e.NeedRelease = s.Kind.Session && !r.released(fn, s)
	if !e.Release && s.Kind.Transaction && !e.NeedTx && s.at.class != tx {
		return effect{}, false // its own transaction, on a connection that it was lent
	}
	return e, true
}

// checkSites checks every call that takes a lock.
func (r *packageCheck) checkSites() {
	for _, fn := range r.funcs {
		for i, s := range fn.sites {
			if s.Release {
				continue
			}
			r.checkKeys(s)
			if s.Kind.Transaction {
				r.checkTransaction(fn, s)
				r.checkSecond(fn, s, fn.sites[:i])
			}
			if s.Kind.Session {
				r.checkSession(fn, s)
			}
		}
	}
}

// checkKeys refuses numbers that are given as keys and have no row.
func (r *packageCheck) checkKeys(s *site) {
	for _, a := range s.call.Args {
		tv := r.TypesInfo.Types[a]
		if tv.Value == nil || tv.Value.Kind() != constant.Int || !s.direct {
			continue
		}
		if id, exact := constant.Int64Val(tv.Value); exact && !listedNumber(r.reg, id) {
			r.say(a.Pos(), "no row", "the number %d is no lock of %s: declare it as a constant and add its row", id, r.registryName())
		}
	}
	for _, a := range s.call.Args {
		if id, ok := ast.Unparen(a).(*ast.Ident); ok && r.values[r.TypesInfo.ObjectOf(id)] != nil {
			a = r.values[r.TypesInfo.ObjectOf(id)]
		}
		ast.Inspect(a, func(n ast.Node) bool {
			if _, isLiteral := n.(*ast.FuncLit); isLiteral || !s.direct {
				return false
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if _, hashes := r.hasher(r.callee(call)); hashes {
				r.say(call.Pos(), "no row", "the key is hashed here: write a constructor for it, and add its row to %s", r.registryName())
			}
			return true
		})
	}
}

// needsTx reports whether a transaction lock is taken with no transaction in sight.
func (r *packageCheck) needsTx(fn *function, s *site) bool {
	switch {
	case s.direct || s.NeedTx:
	default:
		return false // the callee has seen to it
	}
	if s.at.class == tx || locksql.Begins(s.text) {
		return false
	}
	return !r.begun(fn, s.call.Pos())
}

// begun reports whether a BEGIN stands before pos in the function.
func (r *packageCheck) begun(fn *function, pos token.Pos) bool {
	found := false
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found || call.Pos() >= pos {
			return !found
		}
		if locks, _ := r.locksOf(r.callee(call)); locks.Begins {
			found = true
		}
		for _, a := range call.Args {
			found = found || isText(r.TypesInfo.TypeOf(a)) && locksql.Begins(r.sql(a))
		}
		return !found
	})
	return found
}

func (r *packageCheck) checkTransaction(fn *function, s *site) {
	switch {
	case !s.direct && !s.NeedTx:
	case s.at.class == pool && !locksql.Begins(s.text):
		r.say(s.call.Pos(), "no transaction", "a transaction lock on a pool is let go of at once: begin a transaction, and take the lock on it")
	case s.at.param == noParam && r.needsTx(fn, s):
		r.say(s.call.Pos(), "no transaction", "a transaction lock outside of a transaction is let go of at once: begin a transaction first")
	}
}

// checkSecond refuses a second set of locks in one transaction. One call in a loop is one set.
func (r *packageCheck) checkSecond(fn *function, s *site, earlier []*site) {
	for _, o := range earlier {
		if o.Release || !o.Kind.Transaction || o.at.root != s.at.root || o.call == s.call || r.endsBetween(fn, o.call.Pos(), s.call.Pos(), s.at.root) {
			continue
		}
		if r.follows(fn, o.call, s.call) {
			r.say(s.call.Pos(), "second lock", "the transaction already took locks on line %d; two transactions that take theirs in another order deadlock: "+
				"take all locks in one call, sorted by key", r.Fset.Position(o.call.Pos()).Line)
			return
		}
	}
}

// endsBetween reports whether the transaction of root ends, or root becomes another one, between two places.
func (r *packageCheck) endsBetween(fn *function, from, to token.Pos, root types.Object) bool {
	found := false
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		if n == nil || found || n.Pos() <= from || n.Pos() >= to {
			return !found
		}
		switch n := n.(type) {
		case *ast.DeferStmt:
			return false
		case *ast.AssignStmt:
			for _, name := range n.Lhs {
				if id, ok := name.(*ast.Ident); ok && root != nil && r.TypesInfo.ObjectOf(id) == root {
					found = true
				}
			}
		case *ast.CallExpr:
			if method, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && (method.Sel.Name == "Commit" || method.Sel.Name == "Rollback") {
				found = found || root != nil && r.origin(fn, method.X, 0).root == root
			}
			for _, a := range n.Args {
				if isText(r.TypesInfo.TypeOf(a)) {
					text := r.sql(a)
					found = found || locksql.Ends(text) || locksql.Begins(text)
				}
			}
		}
		return !found
	})
	return found
}

// follows reports whether one run of the function can reach second after first.
func (r *packageCheck) follows(fn *function, first, second ast.Node) bool {
	flows := r.ResultOf[ctrlflow.Analyzer].(*ctrlflow.CFGs)
	graph := flows.FuncDecl(fn.decl)
	for n := r.parents[second]; n != nil; n = r.parents[n] {
		if lit, ok := n.(*ast.FuncLit); ok && lit.Pos() <= first.Pos() && first.End() <= lit.End() {
			graph = flows.FuncLit(lit)
			break
		}
	}
	from, to := blockOf(graph, first), blockOf(graph, second)
	if from == nil || to == nil || from == to {
		return true
	}
	seen := map[*cfg.Block]bool{}
	var reach func(b *cfg.Block) bool
	reach = func(b *cfg.Block) bool {
		if b == to {
			return true
		}
		if seen[b] {
			return false
		}
		seen[b] = true
		return slices.ContainsFunc(b.Succs, reach)
	}
	return reach(from)
}

// blockOf returns the block of a function's flow that a node stands in.
func blockOf(graph *cfg.CFG, n ast.Node) *cfg.Block {
	var found *cfg.Block
	for _, b := range graph.Blocks {
		for _, part := range b.Nodes {
			if part.Pos() <= n.Pos() && n.End() <= part.End() {
				found = b
			}
		}
	}
	return found
}

package rules

import (
	"go/ast"
	"go/types"
)

// checkSession checks where a session lock is taken, and that it is let go of however the function ends.
func (r *packageCheck) checkSession(fn *function, s *site) {
	switch {
	case !s.direct && !s.NeedRelease:
		return
	case s.at.class == pool:
		r.say(s.call.Pos(), "pooled", "a session lock on a pool stays on a connection that nobody knows: take it on a connection of its own")
		return
	case s.at.class == pooledConn:
		r.say(s.call.Pos(), "pooled", "a session lock on a pooled connection goes back to the pool with it: take it on a connection of its own")
		return
	case s.at.class == tx:
		r.say(s.call.Pos(), "pooled", "a session lock in a transaction outlives it: take it on a connection of its own, outside of the transaction")
		return
	}
	if s.at.param == noParam && !r.released(fn, s) {
		r.say(s.call.Pos(), "no release", "the session lock is not let go of when the function ends early: defer its unlock, or the Close of its connection, right after")
	}
}

// released reports whether the function defers what lets go of a site's lock: its unlock, the function that the
// locking call returned, or the end of the connection.
func (r *packageCheck) released(fn *function, s *site) bool {
	if !s.direct && !s.NeedRelease {
		return true
	}
	found := r.lent(s)
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		d, ok := n.(*ast.DeferStmt)
		if !ok {
			return !found
		}
		if id, ok := ast.Unparen(d.Call.Fun).(*ast.Ident); ok && r.values[r.TypesInfo.ObjectOf(id)] == ast.Expr(s.call) {
			found = true
		}
		ast.Inspect(d, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return !found
			}
			for _, o := range fn.sites {
				found = found || o.call == call && o.Release && sameConnection(o.at, s.at)
			}
			method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
			if ok && method.Sel.Name == "Close" {
				at := r.origin(fn, method.X, 0)
				found = found || at.class == pinned && at.root != nil && at.root == s.at.root && !isSQLConn(r.TypesInfo.TypeOf(method.X))
			}
			return !found
		})
		return !found
	})
	return found
}

// closes reports whether a function, or one of the package that it calls, defers the end of connections.
func (r *packageCheck) closes(fn *function) bool {
	for f := range fn.calls {
		if r.byObject[f].locks.Closes {
			return true
		}
	}
	found := false
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		d, ok := n.(*ast.DeferStmt)
		if !ok {
			return !found
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
				found = found || ok && method.Sel.Name == "Close" && classOf(r.TypesInfo.TypeOf(method.X)) == pinned && !isSQLConn(r.TypesInfo.TypeOf(method.X))
			}
			return !found
		})
		return !found
	})
	return found
}

// lent reports whether a site's connection is a parameter of a closure that was handed to a function that ends
// connections: it lends them for as long as the closure runs.
func (r *packageCheck) lent(s *site) bool {
	if s.at.root == nil || s.at.class != pinned || !r.isParameter(s.at.root) {
		return false
	}
	for n := r.parents[ast.Node(s.call)]; n != nil; n = r.parents[n] {
		lit, ok := n.(*ast.FuncLit)
		if !ok || s.at.root.Pos() < lit.Pos() || s.at.root.Pos() >= lit.Body.Pos() {
			continue
		}
		if call, ok := r.parents[lit].(*ast.CallExpr); ok {
			locks, _ := r.locksOf(r.callee(call))
			return locks.Closes
		}
	}
	return false
}

// sameConnection reports whether two connections can be one.
func sameConnection(a, b origin) bool { return a.root == nil || b.root == nil || a.root == b.root }

// isSQLConn reports whether t is database/sql's Conn, whose Close gives the connection back and doesn't end it.
func isSQLConn(t types.Type) bool {
	named := namedOf(t)
	return named != nil && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "database/sql"
}

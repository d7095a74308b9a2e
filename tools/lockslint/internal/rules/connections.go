package rules

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
)

// class is what is known of a connection.
type class int

const (
	unknown    class = iota
	tx               // a transaction
	pinned           // a connection of one's own
	pooledConn       // a connection that goes back to a pool
	pool             // a pool: each call may go to another connection
)

// origin is where a connection comes from.
type origin struct {
	class class
	// root is the variable that the connection is, or is a field of. Statements with one root share a connection.
	root types.Object
	// param is the parameter of the function that root is, receiver for its receiver, noParam for neither.
	param int
}

const (
	receiver = -1
	noParam  = -2
)

var libraries = []struct {
	pkg   *regexp.Regexp
	types map[string]class
}{
	{regexp.MustCompile(`^database/sql$`), map[string]class{"Tx": tx, "Conn": pinned, "DB": pool}},
	{regexp.MustCompile(`^github\.com/jackc/pgx(/v\d+)?$`), map[string]class{"Tx": tx, "Conn": pinned}},
	{regexp.MustCompile(`^github\.com/jackc/pgx(/v\d+)?/pgxpool$`), map[string]class{"Tx": tx, "Conn": pooledConn, "Pool": pool}},
	{regexp.MustCompile(`^github\.com/jackc/(pgx/v\d+/)?pgconn$`), map[string]class{"PgConn": pinned}},
	{regexp.MustCompile(`^github\.com/jmoiron/sqlx$`), map[string]class{"Tx": tx, "Conn": pinned, "DB": pool}},
}

func classOf(t types.Type) class {
	if t == nil {
		return unknown
	}
	if results, ok := t.(*types.Tuple); ok { // a connection and an error
		if results.Len() == 0 {
			return unknown
		}
		t = results.At(0).Type()
	}
	named := namedOf(t)
	if named == nil || named.Obj().Pkg() == nil {
		return unknown
	}
	for _, l := range libraries {
		if l.pkg.MatchString(named.Obj().Pkg().Path()) {
			return l.types[named.Obj().Name()]
		}
	}
	return unknown
}

// origin follows an expression to the connection behind it: a variable, a field, what a value was made of.
func (r *packageCheck) origin(fn *function, e ast.Expr, depth int) origin {
	at := origin{class: classOf(r.TypesInfo.TypeOf(e)), param: noParam}
	if depth > maxDepth {
		return at
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return r.origin(fn, e.X, depth+1)
	case *ast.StarExpr:
		return r.origin(fn, e.X, depth+1)
	case *ast.Ident:
		return r.originOfVariable(fn, e, at, depth)
	case *ast.SelectorExpr:
		if _, ok := r.TypesInfo.Uses[e.Sel].(*types.Var); ok {
			inner := r.origin(fn, e.X, depth+1)
			at.root, at.param = inner.root, inner.param
			if at.class == unknown {
				at.class = inner.class
			}
		}
	case *ast.CallExpr:
		return r.originOfCall(fn, e, at, depth)
	case *ast.CompositeLit:
		for _, element := range e.Elts {
			if kv, ok := element.(*ast.KeyValueExpr); ok {
				element = kv.Value
			}
			if inner := r.origin(fn, element, depth+1); inner.class != unknown || inner.param != noParam {
				return inner
			}
		}
	}
	return at
}

func (r *packageCheck) originOfVariable(fn *function, id *ast.Ident, at origin, depth int) origin {
	o := r.TypesInfo.ObjectOf(id)
	if _, ok := o.(*types.Var); !ok {
		return at
	}
	at.root = o
	at.param = paramOf(fn, o)
	value := r.values[o]
	if value == nil || at.param != noParam {
		if at.class == unknown && at.param == noParam && r.isParameter(o) {
			at.root = nil // of a closure: nothing tells two such parameters apart
		}
		return at
	}
	inner := r.origin(fn, value, depth+1)
	switch {
	case at.class == unknown && inner.root != nil && (inner.class != unknown || inner.param != noParam):
		return inner // it is made of the connection, as sqlc's Queries are
	case at.class == pinned && inner.class != unknown:
		at.class = inner.class // a pooled connection's own is still the pool's
	}
	return at
}

// originOfCall looks at what a call is given: its receiver and its arguments.
func (r *packageCheck) originOfCall(fn *function, call *ast.CallExpr, at origin, depth int) origin {
	f := r.callee(call)
	method, isMethod := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if f != nil && isMethod && f.Signature().Recv() != nil {
		inner := r.origin(fn, method.X, depth+1)
		switch {
		case at.class == unknown && inner.class != unknown:
			return inner
		case at.class == pinned && f.Name() != "Hijack" && inner.class != unknown && classOf(r.TypesInfo.TypeOf(method.X)) != pool:
			return inner // pgxpool.Conn.Conn is still the pool's
		}
	}
	if at.class != unknown {
		return at
	}
	var candidates []origin
	for _, a := range call.Args {
		if inner := r.origin(fn, a, depth+1); inner.class != unknown || inner.param != noParam && !isContext(r.TypesInfo.TypeOf(a)) {
			candidates = append(candidates, inner)
		}
	}
	if i := slices.IndexFunc(candidates, func(o origin) bool { return o.class != unknown }); i >= 0 {
		return candidates[i]
	}
	if len(candidates) > 0 {
		return candidates[0]
	}
	return at
}

// connection returns the connection that a call runs its statement on: its receiver, or else the first argument that
// is one.
func (r *packageCheck) connection(fn *function, call *ast.CallExpr) origin {
	if method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if f := r.callee(call); f == nil || f.Signature().Recv() != nil {
			at := r.origin(fn, method.X, 0)
			if batch := namedOf(r.TypesInfo.TypeOf(method.X)); batch != nil && batch.Obj().Name() == "Batch" {
				return r.sender(fn, at)
			}
			return at
		}
	}
	for _, a := range call.Args {
		if at := r.origin(fn, a, 0); at.class != unknown {
			return at
		}
	}
	for _, a := range call.Args {
		if at := r.origin(fn, a, 0); at.param != noParam && !isContext(r.TypesInfo.TypeOf(a)) {
			if _, ok := r.TypesInfo.TypeOf(a).Underlying().(*types.Interface); ok {
				return at
			}
		}
	}
	return origin{param: noParam}
}

// sender returns the connection that a batch is sent on.
func (r *packageCheck) sender(fn *function, batch origin) origin {
	at := batch
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || method.Sel.Name != "SendBatch" {
			return true
		}
		for _, a := range call.Args {
			if batch.root != nil && r.origin(fn, a, 0).root == batch.root {
				at = r.origin(fn, method.X, 0)
			}
		}
		return true
	})
	return at
}

func isContext(t types.Type) bool {
	named := namedOf(t)
	return named != nil && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context"
}

// paramOf returns which parameter of a function a variable is.
func paramOf(fn *function, o types.Object) int {
	if fn == nil || o == nil {
		return noParam
	}
	s := fn.object.Signature()
	if s.Recv() == o {
		return receiver
	}
	for i := range s.Params().Len() {
		if s.Params().At(i) == o {
			return i
		}
	}
	return noParam
}

// isParameter reports whether a variable is a parameter of a closure: it is declared and never set.
func (r *packageCheck) isParameter(o types.Object) bool {
	_, set := r.values[o]
	return !set
}

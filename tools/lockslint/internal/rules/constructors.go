package rules

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strconv"
	"strings"

	"holdfast/tools/lockslint/internal/registry"
)

var hashes = map[string]string{
	"hash/fnv.New32": "fnv1_32", "hash/fnv.New32a": "fnv1a32", "hash/fnv.New64": "fnv1_64", "hash/fnv.New64a": "fnv1a64",
	"hash/crc32.ChecksumIEEE": "crc32", "hash/crc32.NewIEEE": "crc32", "hash/maphash.String": "maphash",
	"crypto/sha256.Sum256": "sha256", "crypto/sha1.Sum": "sha1", "crypto/md5.Sum": "md5",
	"github.com/cespare/xxhash/v2.Sum64String": "xxhash64", "github.com/cespare/xxhash/v2.Sum64": "xxhash64",
}

// named is a name that a function hashes: the pieces that it is made of.
type named struct {
	at     ast.Node
	hash   string
	pieces []piece
}

// findHashers finds the functions that hash a parameter, and marks them.
func (r *packageCheck) findHashers() {
	for _, fn := range r.funcs {
		if hash := r.ownFNV(fn); hash != "" {
			params := fn.object.Signature().Params()
			for i := range params.Len() {
				if isText(params.At(i).Type()) {
					r.facts.Hashing[fn.ref.Name] = hashing{Hash: hash, Param: i}
				}
			}
		}
	}
	for round, changed := 0, true; changed && round < 3; round++ { // a hasher may call another one
		changed = false
		for _, fn := range r.funcs {
			if _, known := r.hasher(fn.object); known {
				continue
			}
			for _, n := range r.namesIn(fn) {
				if i := r.wholeParam(fn, n.pieces); i >= 0 {
					r.facts.Hashing[fn.ref.Name] = hashing{Hash: n.hash, Param: i}
					changed = true
				}
			}
		}
	}
}

var primes = map[string]string{"1099511628211": "64", "16777619": "32"}

// ownFNV returns which FNV hash a function computes by itself, "" if none: it multiplies by the hash's prime, after (1a)
// or before (1) it mixes a byte in.
func (r *packageCheck) ownFNV(fn *function) string {
	found := ""
	mixed := false
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		var factor ast.Expr
		switch n := n.(type) {
		case *ast.BinaryExpr:
			mixed = mixed || n.Op == token.XOR && found == ""
			if n.Op == token.MUL {
				factor = n.Y
				ast.Inspect(n.X, func(n ast.Node) bool {
					x, ok := n.(*ast.BinaryExpr)
					mixed = mixed || ok && x.Op == token.XOR
					return true
				})
			}
		case *ast.AssignStmt:
			mixed = mixed || n.Tok == token.XOR_ASSIGN && found == ""
			if n.Tok == token.MUL_ASSIGN {
				factor = n.Rhs[0]
			}
		}
		if factor == nil {
			return true
		}
		if v := r.TypesInfo.Types[factor].Value; v != nil && primes[v.ExactString()] != "" {
			if found = "fnv1_" + primes[v.ExactString()]; mixed {
				found = "fnv1a" + primes[v.ExactString()]
			}
		}
		return true
	})
	return found
}

// wholeParam returns the index of the parameter that is the whole text, -1 if the text is something else.
func (r *packageCheck) wholeParam(fn *function, pieces []piece) int {
	params := fn.object.Signature().Params()
	for i := range params.Len() {
		if len(pieces) == 1 && pieces[0].param == params.At(i) && isText(params.At(i).Type()) {
			return i
		}
	}
	return -1
}

// namesIn returns the names that a function hashes.
func (r *packageCheck) namesIn(fn *function) []named {
	var found []named
	direct := "" // the hash that the function itself starts
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f := r.callee(call)
		if f == nil || f.Pkg() == nil {
			return true
		}
		full := f.Pkg().Path() + "." + nameOf(f)
		if h, ok := r.hasher(f); ok && h.Param < len(call.Args) {
			found = append(found, named{call, h.Hash, r.text(call.Args[h.Param], nil, 0)})
			return true
		}
		if hash, ok := hashes[full]; ok {
			direct = hash
			if len(call.Args) > 0 && isText(r.TypesInfo.TypeOf(call.Args[len(call.Args)-1])) {
				found = append(found, named{call, hash, r.text(call.Args[len(call.Args)-1], nil, 0)})
			}
			return true
		}
		switch {
		case direct == "":
		case f.Name() == "Write" && f.Signature().Recv() != nil && len(call.Args) == 1:
			found = append(found, named{call, direct, r.text(call.Args[0], nil, 0)})
		case full == "io.WriteString":
			found = append(found, named{call, direct, r.text(call.Args[1], nil, 0)})
		case full == "fmt.Fprintf":
			if format, ok := r.constant(call.Args[1]); ok {
				found = append(found, named{call, direct, r.format(format, call.Args[2:], nil, 0)})
			}
		}
		return true
	})
	return found
}

// checkConstructors compares the registry's constructors in this package with what the package declares.
func (r *packageCheck) checkConstructors() {
	rows := map[string]*registry.Lock{}
	for i := range r.reg.Locks {
		l := &r.reg.Locks[i]
		if l.Constructor == nil || !r.here(*l.Constructor) {
			continue
		}
		if !r.checkRef(*l.Constructor, "constructor") {
			continue
		}
		if other := rows[l.Constructor.Name]; other != nil {
			r.sayRow(l.Line, "reference", "%s is also the constructor of line %d: a constructor makes one lock's keys", l.Constructor, other.Line)
		}
		rows[l.Constructor.Name] = l
	}
	if len(rows) == 0 && !r.namesLocks() {
		return
	}
	for _, fn := range r.funcs {
		r.checkConstructor(fn, rows[fn.ref.Name])
	}
	r.checkConstants(rows)
}

// namesLocks reports whether a constructor of the registry is, or was, in this directory.
func (r *packageCheck) namesLocks() bool {
	for _, l := range r.reg.Locks {
		if l.Constructor != nil && r.here(*l.Constructor) {
			return true
		}
	}
	return false
}

// checkRef reports whether what a reference names is in its file, and complains if it isn't.
func (r *packageCheck) checkRef(ref registry.Ref, what string) bool {
	file, found := r.declaredIn(ref.Name)
	switch {
	case !found:
		r.sayRow(ref.Line, "stale", "there is no %s in %s: correct the %s, or take the row out if the lock is gone", ref.Name, path.Dir(ref.File), what)
		return false
	case file != ref.File:
		r.sayRow(ref.Line, "reference", "%s is in %s and not in %s: run lockslint with -fix", ref.Name, file, ref.File)
	}
	return true
}

// declaredIn returns the file in which the package declares a function, method, constant or variable.
func (r *packageCheck) declaredIn(name string) (string, bool) {
	for _, fn := range r.funcs {
		if fn.ref.Name == name {
			return fn.ref.File, true
		}
	}
	if o := r.Pkg.Scope().Lookup(name); o != nil && !isFunc(o) {
		return r.file(o.Pos()), true
	}
	return "", false
}

func (r *packageCheck) checkConstructor(fn *function, row *registry.Lock) {
	if _, hashes := r.hasher(fn.object); hashes {
		if fn.object.Exported() {
			r.say(fn.decl.Name.Pos(), "constructor", "%s makes a key of any text, so that names can be made elsewhere: keep it unexported, "+
				"and write a constructor with typed arguments for each name", fn.ref.Name)
		}
		return
	}
	names := r.namesIn(fn)
	switch {
	case row == nil && len(names) > 0 && r.makesKey(fn, names):
		r.say(fn.decl.Name.Pos(), "no row", "%s makes a key and has no row in %s: add one with `%s` as its constructor",
			fn.ref.Name, r.registryName(), fn.ref)
	case row == nil:
	case len(names) == 0:
		if _, hashed := row.Hash(); hashed {
			r.sayRow(row.Line, "stale", "%s makes no key: correct the constructor, or take the row out if the lock is gone", row.Constructor)
		} else {
			r.sayRow(row.Line, "pattern", "%s is a function and the key %s is none of its own: name the constant", row.Constructor, row.Key)
		}
	default:
		for _, n := range names {
			r.checkName(row, n)
		}
	}
}

// makesKey reports whether a function makes keys of what it hashes. A hash that stays unsigned isn't a key yet: it is
// part of a search, for instance.
func (r *packageCheck) makesKey(fn *function, names []named) bool {
	for _, n := range names {
		if call, ok := n.at.(*ast.CallExpr); ok {
			if h, known := r.hasher(r.callee(call)); known && h.Hash != "" && !isUnsigned(r.TypesInfo.TypeOf(call)) {
				return true
			}
		}
	}
	found := false
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 && r.TypesInfo.Types[call.Fun].IsType() {
			basic, ok := r.TypesInfo.TypeOf(call).Underlying().(*types.Basic)
			found = found || ok && basic.Info()&types.IsInteger != 0 && !isUnsigned(basic) && isUnsigned(r.TypesInfo.TypeOf(call.Args[0]))
		}
		return !found
	})
	return found
}

func isUnsigned(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsUnsigned != 0
}

// checkName compares what a constructor hashes with its row.
func (r *packageCheck) checkName(row *registry.Lock, n named) {
	hash, hashed := row.Hash()
	switch {
	case !hashed:
		r.sayRow(row.Line, "pattern", "%s hashes a name, so its key is not %s: write %s(name)", row.Constructor, row.Key, n.hash)
		return
	case hash != n.hash:
		r.sayRow(row.Line, "pattern", "%s hashes by %s and the row says %s: correct the row, since changing the hash changes every key",
			row.Constructor, n.hash, hash)
	}
	var re, shown strings.Builder
	for _, p := range n.pieces {
		switch {
		case p.shape == "":
			re.WriteString(regexp.QuoteMeta(p.literal))
			shown.WriteString(p.literal)
		default:
			re.WriteString("(?:" + p.shape + ")")
			if p.param != nil {
				shown.WriteString("{" + p.param.Name() + "}")
			} else {
				shown.WriteString("{…}")
			}
			if p.shape == anyText {
				r.checkAnyText(row, n, p)
			}
		}
	}
	if made, beyond := registry.Beyond(re.String(), r.reg.Names(row)); beyond {
		r.sayRow(row.Line, "pattern", "%s makes names such as %q, which %s doesn't describe; its code reads %s: correct the pattern, or the code",
			row.Constructor, made, row.Name, shown.String())
	}
}

// checkAnyText complains about a part that may be any text and isn't the last one: it may contain the separator.
func (r *packageCheck) checkAnyText(row *registry.Lock, n named, p piece) {
	last := n.pieces[len(n.pieces)-1]
	for last.shape == "" && last.literal == "" && len(n.pieces) > 1 {
		n.pieces = n.pieces[:len(n.pieces)-1]
		last = n.pieces[len(n.pieces)-1]
	}
	if last == p {
		return
	}
	what := "a part"
	if p.param != nil {
		what = strconv.Quote(p.param.Name())
	}
	r.say(n.at.Pos(), "ambiguous", "%s may be any text, also one with the separator in it, so different things can have one name (%s): "+
		"take a type with a fixed form, such as a UUID or an integer, or put it last", what, row.Name)
}

// checkConstants compares the constants that can be lock ids with their rows: 64-bit integers by declaration, such as
// int64 or a type of the package.
func (r *packageCheck) checkConstants(rows map[string]*registry.Lock) {
	for _, name := range r.Pkg.Scope().Names() {
		c, ok := r.Pkg.Scope().Lookup(name).(*types.Const)
		if !ok || !isNumber64(c.Type(), r.Pkg) || strings.HasSuffix(r.Fset.File(c.Pos()).Name(), "_test.go") {
			continue
		}
		row := rows[name]
		if row == nil {
			r.say(c.Pos(), "no row", "%s is a lock's number and has no row in %s: add one with `%s:%s` as its constructor",
				name, r.registryName(), r.file(c.Pos()), name)
			continue
		}
		if id, exact := constant.Int64Val(c.Val()); !exact || row.Key != strconv.FormatInt(id, 10) {
			r.sayRow(row.Line, "pattern", "%s is %s and the row says %s: correct the row, since changing the number changes the lock",
				row.Constructor, c.Val(), row.Key)
		}
	}
	for name, row := range rows {
		if _, ok := r.Pkg.Scope().Lookup(name).(*types.Var); ok {
			r.sayRow(row.Line, "reference", "%s is a variable: make it a constant or a function", row.Constructor)
		}
	}
}

func isNumber64(t types.Type, pkg *types.Package) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != pkg {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Kind() == types.Int64
}

func (r *packageCheck) registryName() string { return relative(r.root, r.reg.File) }

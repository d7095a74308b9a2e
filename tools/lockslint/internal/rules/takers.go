package rules

import (
	"go/ast"
	"go/types"
	"path"
	"slices"

	"holdfast/tools/lockslint/internal/registry"
)

// checkTakers compares who takes locks in this package with who the registry says does.
func (r *packageCheck) checkTakers() {
	r.spread()
	kinds := map[*function]registry.Kind{} // by taker, what its rows say
	rows := map[*function][]*registry.Lock{}
	for i := range r.reg.Locks {
		l := &r.reg.Locks[i]
		for _, ref := range l.Takers {
			if !r.here(ref) || !r.checkRef(ref, "taker") {
				continue
			}
			fn := r.named(ref.Name)
			if fn == nil || r.thirdParty(l) {
				continue
			}
			kinds[fn] = kinds[fn].Or(l.Kind)
			rows[fn] = append(rows[fn], l)
			r.checkTaker(fn, l, ref)
		}
	}
	for _, fn := range r.funcs {
		if said, listed := kinds[fn]; listed && !fn.reaches.Empty() && !said.Allows(fn.reaches) {
			r.sayRow(rows[fn][0].Line, "kind", "%s takes locks of the kind %q and the row says %q: correct the row", fn.ref, fn.reaches, said)
		}
		if !fn.generated() {
			r.checkListed(fn)
			r.checkHandled(fn)
		}
	}
}

func (r *packageCheck) named(name string) *function {
	for _, fn := range r.funcs {
		if fn.ref.Name == name {
			return fn
		}
	}
	return nil
}

// thirdParty reports whether a lock is taken by somebody else's module.
func (r *packageCheck) thirdParty(l *registry.Lock) bool {
	return slices.ContainsFunc(r.reg.ThirdParties, func(t registry.ThirdParty) bool { return t.Lock == l.Name })
}

// spread gives each function what it takes through the functions of the package that it names.
func (r *packageCheck) spread() {
	for _, fn := range r.funcs {
		for _, s := range fn.sites {
			fn.reaches = fn.reaches.Or(s.Kind)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, fn := range r.funcs {
			for f := range fn.calls {
				if all := fn.reaches.Or(r.byObject[f].reaches); all != fn.reaches {
					fn.reaches, changed = all, true
				}
			}
		}
	}
}

// checkTaker checks that a listed taker takes the lock of its row.
func (r *packageCheck) checkTaker(fn *function, l *registry.Lock, ref registry.Ref) {
	if fn.reaches.Empty() {
		r.sayRow(l.Line, "stale", "%s takes no lock: name who does, or write reserved", ref)
		return
	}
	if l.Constructor == nil {
		return
	}
	if _, hashed := l.Hash(); !hashed || r.constructorUnseen(l) {
		return
	}
	if !slices.ContainsFunc(r.callees(fn), func(f *function) bool { return r.handles(f, l) }) {
		r.sayRow(l.Line, "reference", "%s takes locks but none of %s: name who takes this one", ref, l.Constructor.Name)
	}
}

// checkListed demands that who takes a lock, or somebody in the package who calls it, is in the registry.
func (r *packageCheck) checkListed(fn *function) {
	i := slices.IndexFunc(fn.sites, func(s *site) bool { return s.direct && !s.Release })
	if i < 0 {
		return
	}
	if !slices.ContainsFunc(r.callers(fn), r.listed) {
		r.say(fn.sites[i].call.Pos(), "no row", "%s takes a lock, and neither it nor who calls it in this package is in %s: name the caller under \"taken by\"",
			fn.ref.Name, r.registryName())
	}
}

// listed reports whether a row names a function as the taker of a lock of ours. Who calls another module, which takes its
// own lock, may not take others for that.
func (r *packageCheck) listed(fn *function) bool {
	return slices.ContainsFunc(r.reg.Locks, func(l registry.Lock) bool {
		return !r.thirdParty(&l) && slices.ContainsFunc(l.Takers, fn.ref.Same)
	})
}

// checkHandled demands that who is given a constructor's keys, or makes them, and takes locks is listed in that
// constructor's row.
func (r *packageCheck) checkHandled(fn *function) {
	if fn.reaches.Empty() {
		return
	}
	for i := range r.reg.Locks {
		l := &r.reg.Locks[i]
		if l.Constructor == nil || r.thirdParty(l) || !r.handles(fn, l) {
			continue
		}
		if !slices.ContainsFunc(r.callers(fn), func(f *function) bool { return slices.ContainsFunc(l.Takers, f.ref.Same) }) {
			r.sayRow(l.Line, "reference", "%s takes locks with the keys of %s: name it under \"taken by\"", fn.ref, l.Constructor.Name)
		}
	}
}

// handles reports whether a function names a constructor, or has a parameter of the type that it makes.
func (r *packageCheck) handles(fn *function, l *registry.Lock) bool {
	keys := r.keysOf(l)
	params := fn.object.Signature().Params()
	for i := range params.Len() {
		if named := namedOf(params.At(i).Type()); keys != nil && named != nil && named.Obj() == keys {
			return true
		}
	}
	found := false
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			found = found || r.isConstructor(r.TypesInfo.Uses[id], l)
		}
		return !found
	})
	return found
}

func (r *packageCheck) isConstructor(o types.Object, l *registry.Lock) bool {
	if o == nil || o.Pkg() == nil || o.Name() != l.Constructor.Name || o.Parent() != o.Pkg().Scope() {
		return false
	}
	return o.Pkg().Path() == r.pathOf(path.Dir(l.Constructor.File))
}

func (r *packageCheck) pathOf(dir string) string { return path.Join(r.module, dir) }

// keysOf returns the named type that a constructor makes, nil for plain numbers and constants.
func (r *packageCheck) keysOf(l *registry.Lock) *types.TypeName {
	pkg := r.packageOf(l)
	if pkg == nil {
		return nil
	}
	f, ok := pkg.Scope().Lookup(l.Constructor.Name).(*types.Func)
	if !ok || f.Signature().Results().Len() == 0 {
		return nil
	}
	if named := namedOf(f.Signature().Results().At(0).Type()); named != nil && named.Obj().Pkg() == pkg {
		return named.Obj()
	}
	return nil
}

// constructorUnseen reports whether a taker may have got its key as a plain number, from elsewhere.
func (r *packageCheck) constructorUnseen(l *registry.Lock) bool { return r.keysOf(l) == nil }

func (r *packageCheck) packageOf(l *registry.Lock) *types.Package {
	at := r.pathOf(path.Dir(l.Constructor.File))
	if r.Pkg.Path() == at {
		return r.Pkg
	}
	for _, p := range r.Pkg.Imports() {
		if p.Path() == at {
			return p
		}
	}
	return nil
}

// callers returns a function and all of the package that call it, directly or not.
func (r *packageCheck) callers(fn *function) []*function {
	all := []*function{fn}
	for i := 0; i < len(all); i++ {
		for _, f := range r.funcs {
			if f.calls[all[i].object] && !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all
}

// callees returns a function and all of the package that it calls, directly or not.
func (r *packageCheck) callees(fn *function) []*function {
	all := []*function{fn}
	for i := 0; i < len(all); i++ {
		for f := range all[i].calls {
			if callee := r.byObject[f]; !slices.Contains(all, callee) {
				all = append(all, callee)
			}
		}
	}
	return all
}

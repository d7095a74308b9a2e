// Package rules holds what a lock registry demands of a module's code.
//
// The analyzer looks at one package at a time and carries what a function locks to its callers as facts. Module looks at
// what no package shows: the registry itself, SQL files, the modules that are built in.
package rules

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"

	"holdfast/tools/lockslint/internal/registry"
)

// DefaultRegistry is where a module keeps its registry unless told otherwise.
const DefaultRegistry = "docs/locks-registry.md"

// NewAnalyzer makes the analyzer that checks one package against the registry of its module; the flag -registry names
// another one than DefaultRegistry. A module without a registry is not looked at, so that the analyzer can run over
// dependencies. What it learns of a package's code it keeps, for the next run over the same package with another registry.
func NewAnalyzer() *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name:       "lockslint",
		Doc:        "check advisory locks against the module's lock registry\n\nThe registry lists every lock by name, key, kind, constructor and taker.",
		Requires:   []*analysis.Analyzer{ctrlflow.Analyzer},
		FactTypes:  []analysis.Fact{new(facts)},
		ResultType: reflect.TypeFor[*Declared](),
	}
	registryPath := a.Flags.String("registry", DefaultRegistry, "the registry's `path` from the module's root")
	var learned sync.Map // *packageCheck by *types.Package
	a.Run = func(pass *analysis.Pass) (any, error) { return run(pass, *registryPath, &learned) }
	return a
}

// Declared lists what a package declares, as references for the registry.
type Declared struct {
	// Dir is the package's directory from the module's root, "" if the module has no registry.
	Dir string
	// Refs are its functions, methods, constants and variables.
	Refs []registry.Ref
}

// packageCheck checks one package.
type packageCheck struct {
	*analysis.Pass
	root     string // the module's
	dir      string // from the root, with slashes
	module   string // the module's path
	reg      *registry.Registry
	facts    *facts
	regFile  *token.File // the registry in the file set, once something was found in it
	files    []*ast.File // without tests
	funcs    []*function
	byObject map[*types.Func]*function
	parents  map[ast.Node]ast.Node
	values   map[types.Object]ast.Expr // what a variable is set to, nil if that happens more than once

	statements []statement
}

// function is a function or method with a body.
type function struct {
	decl   *ast.FuncDecl
	object *types.Func
	ref    registry.Ref
	file   *ast.File

	sites   []*site
	calls   map[*types.Func]bool // of this package, also in closures
	locks   locking
	reaches registry.Kind // all that it locks, also through functions of the package
}

func run(pass *analysis.Pass, registryPath string, learned *sync.Map) (any, error) {
	declared := &Declared{}
	r := &packageCheck{byObject: map[*types.Func]*function{}, parents: map[ast.Node]ast.Node{}, values: map[types.Object]ast.Expr{},
		facts: &facts{Locking: map[string]locking{}, Hashing: map[string]hashing{}, SQL: map[string]string{}}}
	former, again := learned.Load(pass.Pkg)
	if again {
		*r = *former.(*packageCheck)
	}
	r.Pass, r.files, r.regFile = pass, nil, nil
	for _, f := range pass.Files {
		if name := pass.Fset.File(f.FileStart).Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			r.files = append(r.files, f)
		}
	}
	if len(r.files) == 0 {
		return declared, nil
	}
	first := pass.Fset.File(r.files[0].FileStart).Name()
	root, module, err := ModuleRoot(filepath.Dir(first))
	switch {
	case errors.Is(err, errNoModule):
		return declared, nil // generated elsewhere
	case err != nil:
		return nil, err
	}
	reg, err := registry.Read(filepath.Join(root, filepath.FromSlash(registryPath)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return declared, nil // a dependency; the command itself insists on a registry
	case err != nil:
		return nil, err
	}
	r.root, r.module, r.reg = root, module, reg
	r.dir = path.Dir(r.file(r.files[0].FileStart))
	if !again {
		r.index()
		r.findHashers()
		r.findStatements()
		r.findSites()
		learned.Store(pass.Pkg, r)
	}
	r.checkConstructors()
	r.checkStatements()
	r.checkSites()
	r.checkTakers()

	pass.ExportPackageFact(r.facts)

	declared.Dir = r.dir
	for _, f := range r.funcs {
		declared.Refs = append(declared.Refs, f.ref)
	}
	for _, name := range pass.Pkg.Scope().Names() {
		if o := pass.Pkg.Scope().Lookup(name); !isFunc(o) && o.Pos().IsValid() {
			declared.Refs = append(declared.Refs, registry.Ref{File: r.file(o.Pos()), Name: name})
		}
	}
	return declared, nil
}

func isFunc(o types.Object) bool {
	_, ok := o.(*types.Func)
	return ok
}

// index notes the package's functions, the parent of each node, and what each variable is set to.
func (r *packageCheck) index() {
	for _, f := range r.files {
		var stack []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if len(stack) > 0 {
				r.parents[n] = stack[len(stack)-1]
			}
			stack = append(stack, n)
			r.noteValues(n)
			return true
		})
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			object, ok := r.TypesInfo.Defs[decl.Name].(*types.Func)
			if !ok {
				continue
			}
			fn := &function{decl: decl, object: object, file: f, calls: map[*types.Func]bool{},
				ref: registry.Ref{File: r.file(decl.Pos()), Name: nameOf(object)}}
			r.funcs = append(r.funcs, fn)
			r.byObject[object] = fn
		}
	}
}

// noteValues notes what a statement sets variables to.
func (r *packageCheck) noteValues(n ast.Node) {
	set := func(name ast.Expr, value ast.Expr) {
		id, ok := ast.Unparen(name).(*ast.Ident)
		if !ok {
			return
		}
		o := r.TypesInfo.ObjectOf(id)
		if _, again := r.values[o]; again {
			value = nil
		}
		if o != nil {
			r.values[o] = value
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, name := range n.Lhs {
			switch {
			case n.Tok != token.ASSIGN && n.Tok != token.DEFINE:
				set(name, nil)
			case len(n.Lhs) == len(n.Rhs):
				set(name, n.Rhs[i])
			default:
				set(name, n.Rhs[0])
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			switch {
			case len(n.Values) == len(n.Names):
				set(name, n.Values[i])
			case len(n.Values) == 1:
				set(name, n.Values[0])
			}
		}
	case *ast.RangeStmt:
		for _, name := range []ast.Expr{n.Key, n.Value} {
			if name != nil {
				set(name, nil)
			}
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND { // may be set through the pointer; composite literals are no variables
			set(n.X, nil)
		}
	}
}

// nameOf names a function as the registry does: methods as Type.Method.
func nameOf(f *types.Func) string {
	if recv := f.Signature().Recv(); recv != nil {
		if named := namedOf(recv.Type()); named != nil {
			return named.Obj().Name() + "." + f.Name()
		}
	}
	return f.Name()
}

// namedOf returns the named type behind a type or a pointer to it, nil if there is none.
func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// enclosing returns the declared function that a node stands in, nil outside of functions.
func (r *packageCheck) enclosing(n ast.Node) *function {
	for ; n != nil; n = r.parents[n] {
		if decl, ok := n.(*ast.FuncDecl); ok {
			if object, ok := r.TypesInfo.Defs[decl.Name].(*types.Func); ok {
				return r.byObject[object]
			}
		}
	}
	return nil
}

// callee returns the function or method that a call names, nil for a function value.
func (r *packageCheck) callee(call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) { // of a generic function
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	f, _ := r.TypesInfo.Uses[id].(*types.Func)
	if f != nil {
		f = f.Origin()
	}
	return f
}

// file returns the path of the file that pos is in, from the module's root and with slashes.
func (r *packageCheck) file(pos token.Pos) string { return relative(r.root, r.Fset.File(pos).Name()) }

func relative(root, file string) string {
	if rel, err := filepath.Rel(root, file); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(file)
}

func (r *packageCheck) say(pos token.Pos, rule, format string, args ...any) {
	r.Report(analysis.Diagnostic{Pos: pos, Category: rule, Message: fmt.Sprintf(format, args...)})
}

// sayRow reports something at a line of the registry.
func (r *packageCheck) sayRow(line int, rule, format string, args ...any) {
	if r.regFile == nil {
		r.regFile = r.Fset.AddFile(r.reg.File, -1, len(r.reg.Text))
		r.regFile.SetLinesForContent(r.reg.Text)
	}
	r.say(r.regFile.LineStart(min(line, r.regFile.LineCount())), rule, format, args...)
}

// here reports whether a reference leads to this package's directory.
func (r *packageCheck) here(ref registry.Ref) bool { return path.Dir(ref.File) == r.dir }

var errNoModule = errors.New("no go.mod here or above: run it inside of a Go module")

// ModuleRoot returns the directory of the go.mod that dir belongs to, and the module's path.
func ModuleRoot(dir string) (root, module string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			for line := range bytes.Lines(text) {
				if name, ok := bytes.CutPrefix(line, []byte("module ")); ok {
					return dir, string(bytes.Trim(name, "\" \t\r\n")), nil
				}
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", "", errNoModule
		}
		dir = parent
	}
}

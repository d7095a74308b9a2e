package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Where the module has its locks, and what makes their keys. A change of these names is a change here too: the
// registry's constructors and takers aren't found otherwise.
const (
	lockDir    = "internal/lock" // has a constructor for each lock
	keyMaker   = "keyOf"         // hashes a name
	keyType    = "Key"           // what it makes
	setType    = "Set"           // keys of any kind
	numberType = "Global"        // the type of the fixed numbers

	dbDir     = "internal/db" // alone takes locks, with the packages below it
	dbType    = "DB"          // the methods of other types run under a lock, or need none
	groupType = "Group"       // the same of requests that share transactions

	generatedDir = "internal/db/internal/dbsqlc" // make verify/sums compares it with the queries
)

// place is where something is declared or done: in which function or query, on which line.
type place struct {
	ref
	line int
}

// code is what the module's Go and SQL files do with locks.
type code struct {
	module   string
	declared map[ref]bool
	returns  map[string]string // of lockDir: from a function to the type of its first result
	makers   []place           // functions of lockDir that make keys
	numbers  []number          // constants of lockDir
	uses     []use             // of lockDir, by what may take locks
	calls    []call            // of anything's methods
	mentions []mention         // of lock functions
}

// number is a constant that is a lock's key.
type number struct {
	place
	value   int64
	literal bool // the value is known
}

// use is a name of lockDir that a function in dbDir or below it uses.
type use struct {
	place
	name  string
	given bool // it is the type of a parameter, of an exported function
}

// call is a method that is called, or named.
type call struct {
	place
	method string
	number bool // an argument is a bare number
}

// readCode reads the module in root, without tests and without the modules inside of it.
func readCode(root string) (*code, error) {
	goMod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	c := &code{declared: map[ref]bool{}, returns: map[string]string{}}
	if name := regexp.MustCompile(`(?m)^module (\S+)`).FindSubmatch(goMod); name != nil {
		c.module = string(name[1])
	}
	files := os.DirFS(root)
	return c, fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && foreign(files, name):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		isSQL := strings.EqualFold(path.Ext(name), ".sql")
		isGo := path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && path.Dir(name) != generatedDir
		if !isSQL && !isGo {
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if isSQL {
			c.mentions = append(c.mentions, mentionsInFile(name, string(text))...)
			return nil
		}
		return c.readGo(name, text)
	})
}

// foreign reports whether a directory holds nothing of the module's: it is hidden, for tests, or a module of its own.
func foreign(files fs.FS, dir string) bool {
	base := path.Base(dir)
	if dir == "." {
		return false
	}
	if base[0] == '.' || base[0] == '_' || base == "testdata" {
		return true
	}
	_, err := fs.Stat(files, path.Join(dir, "go.mod"))
	return err == nil
}

// goFile is a file that is being read.
type goFile struct {
	*code
	fset *token.FileSet
	name string
	dir  string
	lock string // what the file calls lockDir's package, "" if it doesn't import it
}

// readGo notes what a Go file declares and does. A file for another system is read like any other.
func (c *code) readGo(name string, text []byte) error {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f := goFile{code: c, fset: fset, name: name, dir: path.Dir(name), lock: importedAs(parsed, c.module+"/"+lockDir)}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			f.readFunc(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				f.readSpec(spec)
			}
		}
	}
	return nil
}

// importedAs returns the name under which a file imports a package.
func importedAs(file *ast.File, of string) string {
	for _, i := range file.Imports {
		if i.Path.Value != strconv.Quote(of) {
			continue
		}
		if i.Name != nil {
			return i.Name.Name
		}
		return path.Base(of)
	}
	return ""
}

// declare notes a declaration and returns its place.
func (f goFile) declare(name string, n ast.Node) place {
	at := place{ref{f.name, name}, f.fset.Position(n.Pos()).Line}
	f.declared[at.ref] = true
	return at
}

// readSpec notes types, constants and variables.
func (f goFile) readSpec(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		f.readBody(f.declare(spec.Name.Name, spec), spec)
	case *ast.ValueSpec:
		for i, name := range spec.Names {
			at := f.declare(name.Name, name)
			var value ast.Expr
			if i < len(spec.Values) {
				value = spec.Values[i]
			}
			if f.dir == lockDir && isNumber(spec.Type, value) {
				n, literal := intOf(value)
				f.numbers = append(f.numbers, number{at, n, literal})
			}
			if i == 0 {
				f.readBody(at, spec)
			}
		}
	}
}

// isNumber reports whether a constant or variable has the type of fixed numbers.
func isNumber(typ, value ast.Expr) bool {
	conversion, ok := value.(*ast.CallExpr)
	return isIdent(typ, numberType) || ok && isIdent(conversion.Fun, numberType)
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// intOf returns the value of a whole number, also of a negative or converted one.
func intOf(e ast.Expr) (n int64, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		n, err := strconv.ParseInt(e.Value, 0, 64)
		return n, err == nil
	case *ast.UnaryExpr:
		n, ok = intOf(e.X)
		return -n, ok && e.Op == token.SUB
	case *ast.CallExpr:
		if len(e.Args) == 1 {
			return intOf(e.Args[0])
		}
	}
	return 0, false
}

// readFunc notes a function.
func (f goFile) readFunc(d *ast.FuncDecl) {
	receiver, name := receiverOf(d), d.Name.Name
	if receiver != "" {
		name = receiver + "." + name
	}
	at := f.declare(name, d)
	if f.dir == lockDir && receiver != numberType && name != keyMaker {
		if results := d.Type.Results; receiver == "" && results != nil {
			if id, ok := results.List[0].Type.(*ast.Ident); ok {
				f.returns[name] = id.Name
			}
		}
		if makesKey(d) {
			f.makers = append(f.makers, at)
		}
	}
	if within(f.dir, dbDir) && (receiver == "" || receiver == dbType || receiver == groupType) {
		if d.Name.IsExported() && !within(f.dir, dbDir+"/internal") { // the core is given the keys of any lock
			f.noteUses(at, d.Type.Params, true)
		}
		f.noteUses(at, d, false)
	}
	f.readBody(at, d)
}

// within reports whether a directory is another one or below it.
func within(dir, root string) bool { return dir == root || strings.HasPrefix(dir, root+"/") }

func receiverOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	if pointer, ok := typ.(*ast.StarExpr); ok {
		typ = pointer.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id.Name
	}
	return "?" // a type with several parameters: none of those that lockslint knows
}

// makesKey reports whether a function hashes a name, or fills in a key by itself.
func makesKey(d *ast.FuncDecl) bool {
	makes := false
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			makes = makes || isIdent(n.Fun, keyMaker)
		case *ast.CompositeLit:
			makes = makes || isIdent(n.Type, keyType) && len(n.Elts) > 0
		}
		return !makes
	})
	return makes
}

// noteUses notes which names of lockDir a piece of code uses.
func (f goFile) noteUses(at place, in ast.Node, given bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && f.lock != "" && isIdent(s.X, f.lock) {
			f.uses = append(f.uses, use{at, s.Sel.Name, given})
		}
		return true
	})
}

// readBody notes which methods a declaration names, and which lock functions its texts do.
func (f goFile) readBody(at place, d ast.Node) {
	numbered := map[ast.Expr]bool{} // functions that are given a bare number
	part := map[ast.Expr]bool{}     // of a longer text
	ast.Inspect(d, func(n ast.Node) bool {
		if n != nil {
			at.line = f.fset.Position(n.Pos()).Line
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, argument := range n.Args {
				_, number := intOf(argument)
				numbered[n.Fun] = numbered[n.Fun] || number
			}
		case *ast.SelectorExpr:
			f.calls = append(f.calls, call{at, n.Sel.Name, numbered[n]})
		case *ast.ParenExpr:
			part[n.X] = part[n]
		case *ast.BinaryExpr:
			f.readText(at, n, part[n])
			part[n.X], part[n.Y] = n.Op == token.ADD, n.Op == token.ADD
		case *ast.BasicLit:
			f.readText(at, n, part[n])
		}
		return true
	})
}

// readText notes which lock functions a text names, unless it is a part of another one.
func (f goFile) readText(at place, e ast.Expr, part bool) {
	if !part {
		f.mentions = append(f.mentions, mentionsIn(textOf(e), at)...)
	}
}

// textOf returns the text that an expression makes of literals. What stands between the literals is left out.
func textOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.ParenExpr:
		return textOf(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return textOf(e.X) + textOf(e.Y)
		}
	}
	return ""
}

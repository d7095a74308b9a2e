package rules

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"holdfast/tools/lockslint/internal/locksql"
	"holdfast/tools/lockslint/internal/registry"
)

// Finding is a place that breaks a rule, and what to do about it.
type Finding struct {
	File    string `json:"file"` // from the module's root, with slashes
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// Module is a module as a whole.
type Module struct {
	Root     string
	Registry *registry.Registry
	// Declared is what each of its packages declares.
	Declared []*Declared
	// Compiled are the Go files that were checked as part of a package.
	Compiled map[string]bool
	// Dependencies are the modules of others that are built in, by path.
	Dependencies map[string]Dependency
}

// Dependency is what somebody else's module does with locks.
type Dependency struct {
	// Locks reports whether it names lock functions.
	Locks bool
	// IDs are the numbers that it declares as ids of locks.
	IDs []int64
}

// Check returns what is wrong with the registry itself, with SQL files, with Go files for other systems, and with
// the modules of others.
func (m *Module) Check() ([]Finding, error) {
	var found []Finding
	at := relative(m.Root, m.Registry.File)
	for _, f := range m.Registry.Check() {
		found = append(found, Finding{File: at, Line: f.Line, Column: 1, Rule: f.Rule, Message: f.Message})
	}
	sayRow := func(line int, rule, format string, args ...any) {
		found = append(found, Finding{File: at, Line: line, Column: 1, Rule: rule, Message: fmt.Sprintf(format, args...)})
	}
	say := func(file string, line int, rule, message string) {
		found = append(found, Finding{File: file, Line: line, Column: 1, Rule: rule, Message: message})
	}
	m.checkRefs(sayRow)
	if err := m.checkFiles(say, sayRow); err != nil {
		return nil, err
	}
	return found, m.checkThirdParties(say, sayRow)
}

type sayRow func(line int, rule, format string, args ...any)

// refs lists the references to Go code in the registry.
func refs(reg *registry.Registry) []registry.Ref {
	var all []registry.Ref
	for _, l := range reg.Locks {
		if l.Constructor != nil {
			all = append(all, *l.Constructor)
		}
		all = append(all, l.Takers...)
	}
	for _, s := range reg.Statements {
		if strings.HasSuffix(s.Ref.File, ".go") {
			all = append(all, withLine(s.Ref, s.Line))
		}
	}
	return all
}

// checkRefs complains about references to directories without a package; packages have checked all others.
func (m *Module) checkRefs(say sayRow) {
	for _, ref := range refs(m.Registry) {
		dir := path.Dir(ref.File)
		if !slices.ContainsFunc(m.Declared, func(d *Declared) bool { return d.Dir == dir }) {
			say(ref.Line, "stale", "there is no package in %s: correct the reference to %s (lockslint -fix does if it only moved), or take the row out", dir, ref.Name)
		}
	}
}

// Fixes returns the references of the registry that lead to the wrong file, with the right ones. A name that is
// declared in several places is left alone, for a person to choose.
func (m *Module) Fixes() map[registry.Ref]registry.Ref {
	byName := map[string][]registry.Ref{}
	for _, d := range m.Declared {
		for _, ref := range d.Refs {
			byName[ref.Name] = append(byName[ref.Name], ref)
		}
	}
	fixes := map[registry.Ref]registry.Ref{}
	for _, ref := range refs(m.Registry) {
		places := byName[ref.Name]
		if slices.ContainsFunc(places, ref.Same) {
			continue
		}
		if near := slices.DeleteFunc(slices.Clone(places), func(p registry.Ref) bool { return path.Dir(p.File) != path.Dir(ref.File) }); len(near) > 0 {
			places = near
		}
		if len(places) == 1 {
			fixes[ref] = places[0]
		}
	}
	return fixes
}

// checkFiles walks the module and checks its SQL files, and Go files that no package was checked with because they
// are for another system.
func (m *Module) checkFiles(say func(file string, line int, rule, message string), sayRow sayRow) error {
	listed := map[int]bool{} // the lines of statements that were found
	root := os.DirFS(m.Root)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && skipped(root, name, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		isSQL := strings.EqualFold(path.Ext(name), ".sql")
		isGo := path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && !m.Compiled[filepath.Join(m.Root, filepath.FromSlash(name))]
		if !isSQL && !isGo {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil || locksql.Names(string(text)) == nil {
			return err
		}
		if isSQL {
			m.checkSQL(name, string(text), listed, say)
			return nil
		}
		return checkOtherSystem(name, text, say)
	})
	if err != nil {
		return err
	}
	for _, s := range m.Registry.Statements {
		if !strings.HasSuffix(s.Ref.File, ".go") && !listed[s.Line] {
			sayRow(s.Line, "stale", "%s doesn't name %s: correct the row, or take it out", s.Ref, s.Function)
		}
	}
	return nil
}

// skipped reports whether a directory is none of the module's: hidden, for tests' data, or a module of its own.
func skipped(root fs.FS, name, base string) bool {
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "vendor" || base == "node_modules" {
		return true
	}
	_, err := fs.Stat(root, path.Join(name, "go.mod"))
	return err == nil
}

func (m *Module) checkSQL(file, text string, listed map[int]bool, say func(file string, line int, rule, message string)) {
	for _, q := range locksql.Queries(text) {
		calls := locksql.Calls(q.Text)
		ref := registry.Ref{File: file, Name: q.Name}
		for _, name := range locksql.NamesOutsideComments(q.Text) {
			line := q.Line + name.Line
			i := slices.IndexFunc(m.Registry.Statements, func(s registry.Statement) bool {
				return s.Ref.Same(ref) && strings.EqualFold(s.Function, name.Function)
			})
			switch {
			case i < 0 && q.Name == "":
				say(file, line, "statement", name.Function+" is named here: take locks in the code, through what the registry lists")
			case i < 0:
				say(file, line, "statement", fmt.Sprintf("%s is named here: use a query that the registry lists, or list `%s` in its table of statements", name.Function, ref))
			default:
				row := m.Registry.Statements[i]
				listed[row.Line] = true
				if kind := locksql.KindIn(calls, name.Function); row.Kind != kind {
					say(relative(m.Root, m.Registry.File), row.Line, "kind",
						fmt.Sprintf("%s is of the kind %s and the row says %s: correct the row", name.Function, kind, row.Kind))
				}
			}
		}
		CheckCalls(m.Registry, calls, func(line int, rule, message string) { say(file, q.Line+line, rule, message) })
	}
}

// checkOtherSystem refuses lock functions in the strings of a Go file that isn't compiled here. Its types aren't
// known, so nothing more can be said of it.
func checkOtherSystem(file string, text []byte, say func(file string, line int, rule, message string)) error {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		value, err := strconv.Unquote(lit.Value)
		if names := locksql.Names(value); err == nil && names != nil {
			say(file, fset.Position(lit.Pos()).Line, "statement", names[0]+" is named in a file for another system: move it to a file that is always compiled, where it can be checked")
		}
		return true
	})
	return nil
}

// checkThirdParties compares the modules that name lock functions with the registry's.
func (m *Module) checkThirdParties(say func(file string, line int, rule, message string), sayRow sayRow) error {
	goMod, err := os.ReadFile(filepath.Join(m.Root, "go.mod"))
	if err != nil {
		return err
	}
	found := map[string]bool{}
	modules := make([]string, 0, len(m.Dependencies))
	for module := range m.Dependencies {
		modules = append(modules, module)
	}
	slices.Sort(modules)
	for _, module := range modules {
		if !m.Dependencies[module].Locks {
			continue
		}
		found[module] = true
		i := slices.IndexFunc(m.Registry.ThirdParties, func(t registry.ThirdParty) bool { return t.Module == module })
		if i < 0 {
			before, _, _ := strings.Cut(string(goMod), module+" ")
			say("go.mod", 1+strings.Count(before, "\n"), "third party", module+" takes advisory locks and isn't listed: add it to the table of modules of "+
				relative(m.Root, m.Registry.File)+", with the lock that it takes, or – if none of it is used")
			continue
		}
		row, ids := m.Registry.ThirdParties[i], m.Dependencies[module].IDs
		for _, l := range m.Registry.Locks {
			if id, numbered := l.Number(); l.Name == row.Lock && numbered && len(ids) > 0 && !slices.Contains(ids, id) {
				sayRow(l.Line, "third party", "%s takes %d and the row says %d: correct the row", module, ids[0], id)
			}
		}
	}
	for _, t := range m.Registry.ThirdParties {
		if !found[t.Module] {
			sayRow(t.Line, "stale", "%s isn't built in, or takes no locks: take the row out", t.Module)
		}
	}
	return nil
}

// ReadDependency reads the Go files of somebody else's module.
func ReadDependency(files []string) (Dependency, error) {
	var found Dependency
	dirs := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return found, err
		}
		if locksql.Names(string(text)) != nil {
			dirs[filepath.Dir(file)], found.Locks = true, true
		}
	}
	for _, file := range files {
		if !dirs[filepath.Dir(file)] {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return found, err
		}
		found.IDs = append(found.IDs, lockIDs(parsed)...)
	}
	return found, nil
}

// lockIDs returns the numbers that a file declares as constants named like DefaultLockID.
func lockIDs(file *ast.File) []int64 {
	var ids []int64
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != len(spec.Names) {
			return true
		}
		for i, name := range spec.Names {
			lit, ok := spec.Values[i].(*ast.BasicLit)
			if lower := strings.ToLower(name.Name); !ok || lit.Kind != token.INT || !strings.Contains(lower, "lock") || !strings.HasSuffix(lower, "id") {
				continue
			}
			if id, err := strconv.ParseInt(strings.ReplaceAll(lit.Value, "_", ""), 0, 64); err == nil {
				ids = append(ids, id)
			}
		}
		return true
	})
	return ids
}

// Sort puts findings in the order of files and lines, each once.
func Sort(found []Finding) []Finding {
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(found)
}

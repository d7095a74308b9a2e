package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"holdfast/tools/lockslint/internal/rules"
)

// module is a Go module as it was loaded.
type module struct {
	root string
	// packages are the module's own, with their syntax.
	packages []*packages.Package
	// analyzed are those that the analyzer looks at: all of them, unless a test needs only some.
	analyzed []*packages.Package
	// dependencies are the other modules that are built in, by path.
	dependencies map[string]rules.Dependency
	analyzer     *analysis.Analyzer
}

// load reads the module at root. Other modules are known by the build's export data; the module's own packages are
// checked from source, so that nothing of it has to be compiled for the lint.
func load(root string) (*module, error) {
	config := packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
		Dir:  root, Env: append(os.Environ(), "GOWORK=off"), Fset: token.NewFileSet(),
	}
	all, err := packages.Load(&config, "./...")
	if err != nil {
		return nil, err
	}
	m := &module{root: root, dependencies: map[string]rules.Dependency{}, analyzer: rules.NewAnalyzer()}
	others := map[string][]string{}
	for p := range packages.Postorder(all) {
		switch {
		case p.Module != nil && p.Module.Main:
			m.packages = append(m.packages, p)
		case p.Module != nil:
			others[p.Module.Path] = append(others[p.Module.Path], p.GoFiles...)
		}
	}
	for path, files := range others {
		if m.dependencies[path], err = rules.ReadDependency(files); err != nil {
			return nil, err
		}
	}
	known, err := m.imported(config)
	if err != nil {
		return nil, err
	}
	var wrong []string
	for _, p := range m.packages { // those that others import come first
		wrong = append(wrong, check(p, config.Fset, known)...)
	}
	m.analyzed = m.packages
	if len(wrong) > 0 {
		return nil, fmt.Errorf("the module doesn't compile:\n%s", strings.Join(wrong, "\n"))
	}
	return m, nil
}

// typesOf are packages by their path, for the type checker.
type typesOf map[string]*types.Package

// Import returns a package that was loaded.
func (known typesOf) Import(path string) (*types.Package, error) {
	if p := known[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s is not known", path)
}

// imported returns the types of what the module imports of others.
func (m *module) imported(config packages.Config) (typesOf, error) {
	known := typesOf{"unsafe": types.Unsafe}
	var paths []string
	for _, p := range m.packages {
		for path, i := range p.Imports {
			if !slices.Contains(m.packages, i) && known[path] == nil && !slices.Contains(paths, i.PkgPath) {
				paths = append(paths, i.PkgPath)
			}
		}
	}
	if len(paths) == 0 {
		return known, nil
	}
	config.Mode = packages.NeedName | packages.NeedTypes | packages.NeedExportFile
	others, err := packages.Load(&config, paths...)
	if err != nil {
		return nil, err
	}
	for _, p := range others {
		if p.Types == nil || len(p.Errors) > 0 {
			return nil, fmt.Errorf("load %s: %v", p.PkgPath, p.Errors)
		}
		known[p.PkgPath] = p.Types
	}
	return known, nil
}

// check parses and type-checks one of the module's packages, adds it to known, and returns what is wrong with it.
func check(p *packages.Package, fset *token.FileSet, known typesOf) (wrong []string) {
	for _, e := range p.Errors {
		wrong = append(wrong, e.Error())
	}
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return append(wrong, err.Error())
		}
		p.Syntax = append(p.Syntax, file)
	}
	p.Fset, p.TypesSizes, p.CompiledGoFiles = fset, types.SizesFor("gc", build.Default.GOARCH), p.GoFiles
	p.TypesInfo = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
	}
	config := types.Config{
		Importer: known, Sizes: p.TypesSizes, FakeImportC: true,
		Error: func(err error) { wrong = append(wrong, err.Error()) },
	}
	if p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	p.Types, _ = config.Check(p.PkgPath, fset, p.Syntax, p.TypesInfo) // Error has been told
	known[p.PkgPath] = p.Types
	for path, i := range p.Imports {
		if i.TypesInfo == nil { // somebody else's: nothing to check, and no facts to learn
			delete(p.Imports, path)
		}
	}
	return wrong
}

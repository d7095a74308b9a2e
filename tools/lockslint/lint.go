package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"

	"holdfast/tools/lockslint/internal/registry"
	"holdfast/tools/lockslint/internal/rules"
)

// lint checks the whole module that dir is in. With fix it first corrects the registry's file references.
func lint(dir, registryPath string, fix bool) ([]rules.Finding, error) {
	root, _, err := rules.ModuleRoot(dir)
	if err != nil {
		return nil, err
	}
	m, err := load(root)
	if err != nil {
		return nil, err
	}
	return m.check(registryPath, fix)
}

// check compares the module with the registry at registryPath, a path from its root.
func (m *module) check(registryPath string, fix bool) ([]rules.Finding, error) {
	file := filepath.Join(m.root, filepath.FromSlash(registryPath))
	reg, err := registry.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no lock registry at %s: write one, or say with -registry where it is", file)
	}
	if err != nil {
		return nil, err
	}
	if err := m.analyzer.Flags.Set("registry", registryPath); err != nil {
		return nil, err
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{m.analyzer}, m.analyzed, nil)
	if err != nil {
		return nil, err
	}
	whole := &rules.Module{Root: m.root, Registry: reg, Compiled: map[string]bool{}, Dependencies: m.dependencies}
	for _, p := range m.packages {
		for _, name := range p.CompiledGoFiles {
			whole.Compiled[name] = true
		}
	}
	var found []rules.Finding
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, fmt.Errorf("%s: %w", act.Package.PkgPath, act.Err)
		}
		whole.Declared = append(whole.Declared, act.Result.(*rules.Declared))
		for _, d := range act.Diagnostics {
			at := act.Package.Fset.Position(d.Pos)
			name, err := filepath.Rel(m.root, at.Filename)
			if err != nil {
				return nil, err
			}
			found = append(found, rules.Finding{File: filepath.ToSlash(name), Line: at.Line, Column: at.Column, Rule: d.Category, Message: d.Message})
		}
	}
	if fix {
		if fixes := whole.Fixes(); len(fixes) > 0 {
			if err := reg.Rewrite(fixes); err != nil {
				return nil, err
			}
			return m.check(registryPath, false)
		}
	}
	more, err := whole.Check()
	if err != nil {
		return nil, err
	}
	return rules.Sort(append(found, more...)), nil
}

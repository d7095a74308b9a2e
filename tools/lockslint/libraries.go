package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// library is a module of others that is built in and names lock functions.
type library struct {
	numbers []int64 // that it declares beside them as ids of locks
}

// lockID matches the name of a constant that is a lock's number, such as goose's DefaultLockID.
var lockID = regexp.MustCompile(`(?i)lock_?id$`)

// readLibraries returns the libraries of the module in root, in the versions of its go.mod, by their paths.
func readLibraries(ctx context.Context, root string) (map[string]library, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,GoFiles,Module", "./...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the module's dependencies: %w\n%s", err, stderr.String())
	}
	found := map[string]library{}
	for packages := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			Dir     string
			GoFiles []string
			Module  *struct {
				Path string
				Main bool
			}
		}
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		if p.Module == nil || p.Module.Main {
			continue
		}
		locks, numbers, err := readPackage(p.Dir, p.GoFiles)
		if err != nil {
			return nil, err
		}
		if locks {
			found[p.Module.Path] = library{append(found[p.Module.Path].numbers, numbers...)}
		}
	}
}

// readPackage reports whether a package names lock functions, and then returns the numbers that it declares as ids of
// locks.
func readPackage(dir string, files []string) (locks bool, numbers []int64, err error) {
	texts := make([][]byte, len(files))
	for i, name := range files {
		if texts[i], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return false, nil, err
		}
		locks = locks || lockFunction.Match(texts[i])
	}
	if !locks {
		return false, nil, nil
	}
	for i, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, texts[i], parser.SkipObjectResolution)
		if err != nil {
			return false, nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			for i := 0; ok && i < len(spec.Values); i++ {
				if n, isInt := intOf(spec.Values[i]); isInt && lockID.MatchString(spec.Names[i].Name) {
					numbers = append(numbers, n)
				}
			}
			return true
		})
	}
	return true, numbers, nil
}

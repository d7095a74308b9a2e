package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxWords is the length of a page that is read from its beginning to its end.
const maxWords = 2500

// references are pages in which a reader looks something up. They may be longer.
var references = []string{
	"CHANGELOG.md", "docs/alerts.md", "docs/benchmarks.md", "docs/configuration.md", "docs/errors.md",
	"docs/locks-registry.md", packagesPage,
}

func TestDocs_PagesAreShort(t *testing.T) {
	t.Parallel()
	for _, name := range walk(t, ".md") {
		if words := len(strings.Fields(read(t, name))); words > maxWords && !slices.Contains(references, name) {
			t.Errorf("%s has %d words: split it by what a reader wants to do", name, words)
		}
	}
}

// What stands as code in prose, by its form.
var (
	namedPath = regexp.MustCompile(
		`^(?:\.ci|\.github|clients|cmd|deploy|docs|internal|migrations|sql|tools)/[\w./*…-]+$`)
	namedFile   = regexp.MustCompile(`^[\w-]+\.(?:go|html)$`)
	namedTest   = regexp.MustCompile(`^(?:Test|Fuzz)[A-Z]\w*…?$`)
	namedIn     = regexp.MustCompile(`^([a-z][a-z0-9]*)\.([A-Z]\w*(?:\.[A-Za-z]\w*)?)$`)
	namedMember = regexp.MustCompile(`^([A-Za-z]\w*)\.[A-Za-z]\w*$`)
	namedAlone  = regexp.MustCompile(`^[a-z]+[A-Z]\w*$`)
	// placeholder is a part of a path for which a reader puts something else, such as SUBJECT.
	placeholder = regexp.MustCompile(`[A-Z]{3,}|…`)
)

// forContributors are the pages in which newBooking and shared.decide are identifiers of Go. Elsewhere event.type may
// be a name in JSON.
var forContributors = []string{"CONTRIBUTING.md", "docs/architecture.md", "docs/testing.md"}

// CHANGELOG.md tells of the past.
func TestDocs_FilesAndIdentifiersThatTheyName_Exist(t *testing.T) {
	t.Parallel()
	files, declared := map[string]bool{}, declarations(t)
	for _, name := range append(walk(t, ".go"), walk(t, ".html")...) {
		files[path.Base(name)] = true
	}
	named := 0
	for _, page := range walk(t, ".md") {
		if page == "CHANGELOG.md" {
			continue
		}
		for _, code := range inlineCode.FindAllString(codeBlock.ReplaceAllString(read(t, page), ""), -1) {
			code = strings.Trim(code, "`")
			in, member := namedIn.FindStringSubmatch(code), namedMember.FindStringSubmatch(code)
			ofGo := slices.Contains(forContributors, page)
			var exists bool
			switch {
			case namedPath.MatchString(code):
				found, err := filepath.Glob(filepath.Join(root, placeholder.ReplaceAllString(code, "*")))
				require.NoError(t, err)
				exists = len(found) > 0
			case namedFile.MatchString(code):
				exists = files[code]
			case namedTest.MatchString(code):
				exists = declared.hasTest(strings.TrimSuffix(code, "…"))
			case len(in) > 0 && declared.packages[in[1]]:
				exists = declared.names[code]
			case len(member) > 0 && declared.types[member[1]] && (ofGo || token.IsExported(code)):
				exists = declared.names[code]
			case namedAlone.MatchString(code) && ofGo:
				exists = declared.names[code]
			default:
				continue
			}
			named++
			if !exists {
				t.Errorf("%s names %s, which doesn't exist", page, code)
			}
		}
	}
	require.Greater(t, named, 300)
}

// pathInScript is a path in a script, from the root. What npm installs isn't in the repository.
var pathInScript = regexp.MustCompile(
	`(?m)(?:^|[^\w/.@-])((?:\.ci|clients|cmd|deploy|docs|internal|migrations|sql|tools)/[\w./-]*\w)`)

func TestScripts_PathsThatTheyName_Exist(t *testing.T) {
	t.Parallel()
	named := 0
	for _, script := range []string{
		"Makefile", ".ci/run", ".ci/test", ".github/workflows/ci.yml", ".github/workflows/nightly.yml", "sqlc.yaml",
	} {
		for _, match := range pathInScript.FindAllStringSubmatch(read(t, script), -1) {
			if strings.Contains(match[1], "/node_modules/") {
				continue
			}
			named++
			found, err := filepath.Glob(filepath.Join(root, placeholder.ReplaceAllString(match[1], "*")))
			require.NoError(t, err)
			if len(found) == 0 {
				t.Errorf("%s names %s, which doesn't exist", script, match[1])
			}
		}
	}
	require.Greater(t, named, 50)
}

var (
	makeCall = regexp.MustCompile(
		"(?m)(?:^|`)(?:[A-Z_]+=\\S+ )*make ([a-z][a-z/]*(?: [a-z][a-z/]*)*)(?:$|`| +[#A-Z])")
	targetOfMake = regexp.MustCompile(`(?m)^([a-z][a-z/%]*(?: [a-z][a-z/%]*)*):(?:[^=]|$)`)
)

func TestDocs_TargetsOfMakeThatTheyName_Exist(t *testing.T) {
	t.Parallel()
	targets := map[string]bool{}
	for _, match := range targetOfMake.FindAllStringSubmatch(read(t, "Makefile"), -1) {
		for _, name := range strings.Fields(match[1]) {
			targets[name] = true
		}
	}
	named := 0
	for _, page := range walk(t, ".md") {
		for _, match := range makeCall.FindAllStringSubmatch(read(t, page), -1) {
			for _, wanted := range strings.Fields(match[1]) {
				named++
				if dir, _, _ := strings.Cut(wanted, "/"); !targets[wanted] && !targets[dir+"/%"] {
					t.Errorf("%s names make %s", page, wanted)
				}
			}
		}
	}
	require.Greater(t, named, 50)
}

// declared is what our Go files declare. names has each name alone, a member also as Type.member, and what tests don't
// declare also behind its package.
type declared struct {
	packages, types, names map[string]bool
	tests                  []string
}

func (d *declared) hasTest(prefix string) bool {
	return slices.ContainsFunc(d.tests, func(name string) bool { return strings.HasPrefix(name, prefix) })
}

func (d *declared) add(pkg, name string) {
	d.names[name], d.names[pkg+"."+name] = true, true
}

func (d *declared) addMember(pkg, of, name string) {
	d.names[name], d.types[of] = true, true
	d.add(pkg, of+"."+name)
}

func declarations(t *testing.T) *declared {
	t.Helper()
	d := &declared{packages: map[string]bool{}, types: map[string]bool{}, names: map[string]bool{}}
	for _, name := range walk(t, ".go") {
		file, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.SkipObjectResolution)
		require.NoError(t, err)
		pkg, ofTests := file.Name.Name, strings.HasSuffix(name, "_test.go")
		d.packages[pkg] = true
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			switch {
			case ok && function.Recv != nil:
				d.addMember(pkg, typeName(function.Recv.List[0].Type), function.Name.Name)
			case ok && ofTests:
				d.tests = append(d.tests, function.Name.Name)
			case ok:
				d.add(pkg, function.Name.Name)
			default:
				d.addGeneral(pkg, declaration.(*ast.GenDecl))
			}
		}
	}
	return d
}

func (d *declared) addGeneral(pkg string, declaration *ast.GenDecl) {
	for _, spec := range declaration.Specs {
		switch s := spec.(type) {
		case *ast.ValueSpec:
			for _, name := range s.Names {
				d.add(pkg, name.Name)
			}
		case *ast.TypeSpec:
			d.add(pkg, s.Name.Name)
			var members *ast.FieldList
			switch body := s.Type.(type) {
			case *ast.StructType:
				members = body.Fields
			case *ast.InterfaceType:
				members = body.Methods
			default:
				continue
			}
			for _, member := range members.List {
				for _, name := range member.Names {
					d.addMember(pkg, s.Name.Name, name.Name)
				}
			}
		}
	}
}

// typeName returns the name of a method's type.
func typeName(of ast.Expr) string {
	switch t := of.(type) {
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

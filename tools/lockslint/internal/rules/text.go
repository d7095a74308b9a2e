package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"holdfast/tools/lockslint/internal/locksql"
)

// piece is a part of a text whose value isn't known as a whole.
type piece struct {
	literal string
	shape   string // the regular expression of what stands here; "" for a literal
	param   types.Object
}

const anyText = `(?s:.*)`

// maxDepth bounds how far a text is followed through variables and functions.
const maxDepth = 12

// scope says what the parameters of a function that is followed are.
type scope map[types.Object]ast.Expr

// text follows an expression to the text that it makes.
func (r *packageCheck) text(e ast.Expr, in scope, depth int) []piece {
	e = ast.Unparen(e)
	if tv, ok := r.TypesInfo.Types[e]; ok && tv.Value != nil {
		if tv.Value.Kind() == constant.String {
			return []piece{{literal: constant.StringVal(tv.Value)}}
		}
		return []piece{{literal: tv.Value.ExactString()}}
	}
	if depth > maxDepth {
		return []piece{{shape: anyText}}
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return append(r.text(e.X, in, depth), r.text(e.Y, in, depth)...)
		}
	case *ast.Ident:
		return r.textOfVariable(e, in, depth)
	case *ast.SelectorExpr:
		if v, ok := r.TypesInfo.Uses[e.Sel].(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
			if sql, ok := r.of(v.Pkg()).SQL[v.Name()]; ok {
				return []piece{{literal: sql}}
			}
		}
	case *ast.SliceExpr:
		if pieces := r.textOfSlice(e, in, depth); pieces != nil {
			return pieces
		}
	case *ast.CallExpr:
		if pieces := r.textOfCall(e, in, depth); pieces != nil {
			return pieces
		}
	}
	return []piece{{shape: shapeOf(r.TypesInfo.TypeOf(e)), param: r.paramIn(e, in)}}
}

func (r *packageCheck) textOfVariable(id *ast.Ident, in scope, depth int) []piece {
	o := r.TypesInfo.ObjectOf(id)
	if argument, ok := in[o]; ok {
		return r.text(argument, nil, depth+1)
	}
	if value := r.values[o]; value != nil {
		if _, many := r.TypesInfo.TypeOf(value).(*types.Tuple); !many {
			return r.text(value, in, depth+1)
		}
	}
	return []piece{{shape: shapeOf(r.TypesInfo.TypeOf(id)), param: o}}
}

var repeated = regexp.MustCompile(`^(\[[^\]]+\])\{([0-9]+)\}$`)

// textOfSlice follows a slice with constant bounds of a text whose runes are all of one class and whose length is known.
// It returns nil for others.
func (r *packageCheck) textOfSlice(e *ast.SliceExpr, in scope, depth int) []piece {
	if !isText(r.TypesInfo.TypeOf(e.X)) {
		return nil
	}
	whole := r.text(e.X, in, depth+1)
	if len(whole) != 1 {
		return nil
	}
	m := repeated.FindStringSubmatch(whole[0].shape)
	if m == nil {
		return nil
	}
	length, err := strconv.ParseInt(m[2], 10, 64)
	if n := r.sliceLength(e, length); err == nil && n > 0 {
		return []piece{{shape: fmt.Sprintf("%s{%d}", m[1], n), param: whole[0].param}}
	}
	return nil
}

// sliceLength returns the length of a slice with constant bounds of something with the given length, 0 if it isn't
// known.
func (r *packageCheck) sliceLength(e *ast.SliceExpr, length int64) int64 {
	bound := func(e ast.Expr, otherwise int64) int64 {
		if e == nil {
			return otherwise
		}
		if v := r.TypesInfo.Types[e].Value; v != nil {
			n, _ := constant.Int64Val(v)
			return n
		}
		return -1
	}
	low, high := bound(e.Low, 0), bound(e.High, length)
	if low < 0 || high < low {
		return 0
	}
	return high - low
}

// paramIn returns the variable at the root of an expression such as id[0:4] or d.Year.
func (r *packageCheck) paramIn(e ast.Expr, in scope) types.Object {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.CallExpr:
			e = x.Fun
		case *ast.Ident:
			o := r.TypesInfo.ObjectOf(x)
			if argument, ok := in[o]; ok {
				return r.paramIn(argument, nil)
			}
			return o
		default:
			return nil
		}
	}
}

// shapeOf is what is known of a value's text by its type alone.
func shapeOf(t types.Type) string {
	if named := namedOf(t); named != nil {
		name := named.Obj().Name()
		if array, ok := named.Underlying().(*types.Array); ok && name == "UUID" && array.Len() == 16 {
			return uuidShape
		}
		if pkg := named.Obj().Pkg(); pkg != nil && name == "Date" && strings.HasSuffix(pkg.Path(), "/civil") {
			return dateShape
		}
	}
	basic, ok := types.Unalias(t).Underlying().(*types.Basic)
	switch {
	case ok && basic.Info()&types.IsUnsigned != 0:
		return `[0-9]+`
	case ok && basic.Info()&types.IsInteger != 0:
		return `-?[0-9]+`
	}
	return anyText
}

const (
	uuidShape = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
	dateShape = `[0-9]{4}-[0-9]{2}-[0-9]{2}`
)

// textOfCall follows the calls that texts are usually made with, and functions of the package that only return an
// expression. It returns nil for others.
func (r *packageCheck) textOfCall(call *ast.CallExpr, in scope, depth int) []piece {
	if tv := r.TypesInfo.Types[call.Fun]; tv.IsType() && len(call.Args) == 1 { // []byte(s), Name(s)
		if isText(tv.Type) && isText(r.TypesInfo.TypeOf(call.Args[0])) {
			return r.text(call.Args[0], in, depth+1)
		}
		return nil
	}
	f := r.callee(call)
	if f == nil || f.Pkg() == nil {
		return nil
	}
	switch f.Pkg().Path() + "." + nameOf(f) {
	case "fmt.Sprintf":
		if format, ok := r.constant(call.Args[0]); ok && call.Ellipsis == token.NoPos {
			return r.format(format, call.Args[1:], in, depth+1)
		}
	case "fmt.Sprint":
		var pieces []piece
		for _, a := range call.Args {
			pieces = append(pieces, r.text(a, in, depth+1)...)
		}
		return pieces
	case "strings.ToLower", "strings.ToUpper", "strings.Clone", "strings.TrimSpace":
		return r.text(call.Args[0], in, depth+1)
	case "strings.Join":
		list, ok := ast.Unparen(call.Args[0]).(*ast.CompositeLit)
		if !ok {
			return nil
		}
		var pieces []piece
		for i, element := range list.Elts {
			if i > 0 {
				pieces = append(pieces, r.text(call.Args[1], in, depth+1)...)
			}
			pieces = append(pieces, r.text(element, in, depth+1)...)
		}
		return pieces
	case "encoding/hex.EncodeToString":
		if n := r.bytesOf(call.Args[0]); n > 0 {
			return []piece{{shape: fmt.Sprintf(`[0-9a-f]{%d}`, 2*n), param: r.paramIn(call.Args[0], in)}}
		}
	case "strconv.Itoa":
		return []piece{{shape: `-?[0-9]+`, param: r.paramIn(call.Args[0], in)}}
	case "strconv.FormatInt", "strconv.FormatUint":
		if base, ok := r.TypesInfo.Types[call.Args[1]]; ok && base.Value != nil && base.Value.ExactString() == "10" {
			return []piece{{shape: shapeOf(r.TypesInfo.TypeOf(call.Args[0])), param: r.paramIn(call.Args[0], in)}}
		}
	case "time.Time.Format":
		if layout, ok := r.constant(call.Args[0]); ok && layout == "2006-01-02" {
			return []piece{{shape: dateShape, param: r.paramIn(call.Fun, in)}}
		}
	}
	if method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && f.Name() == "String" && f.Signature().Recv() != nil {
		if shape := shapeOf(r.TypesInfo.TypeOf(method.X)); shape == uuidShape || shape == dateShape {
			return []piece{{shape: shape, param: r.paramIn(method.X, in)}}
		}
	}
	return r.textOfFunction(call, f, in, depth)
}

// textOfFunction follows a function of the package that does nothing but set variables and return an expression.
func (r *packageCheck) textOfFunction(call *ast.CallExpr, f *types.Func, in scope, depth int) []piece {
	fn := r.byObject[f]
	if fn == nil || f.Signature().Variadic() || len(fn.decl.Body.List) == 0 {
		return nil
	}
	last := len(fn.decl.Body.List) - 1
	for _, s := range fn.decl.Body.List[:last] {
		switch s.(type) {
		case *ast.AssignStmt, *ast.DeclStmt:
		default:
			return nil
		}
	}
	ret, ok := fn.decl.Body.List[last].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil
	}
	inner := scope{}
	for i := range f.Signature().Params().Len() {
		argument := call.Args[i]
		if id, ok := ast.Unparen(argument).(*ast.Ident); ok && in[r.TypesInfo.ObjectOf(id)] != nil {
			argument = in[r.TypesInfo.ObjectOf(id)]
		}
		inner[f.Signature().Params().At(i)] = argument
	}
	return r.text(ret.Results[0], inner, depth+1)
}

var verb = regexp.MustCompile(`%(?:%|([-+# 0]*)([0-9]*)([a-zA-Z]))`)

// format follows a format and its arguments. A width with zeros is taken at its word: %04d is four digits.
func (r *packageCheck) format(format string, args []ast.Expr, in scope, depth int) []piece {
	var pieces []piece
	end := 0
	for _, at := range verb.FindAllStringSubmatchIndex(format, -1) {
		pieces = append(pieces, piece{literal: format[end:at[0]]})
		end = at[1]
		if format[at[0]:at[1]] == "%%" {
			pieces = append(pieces, piece{literal: "%"})
			continue
		}
		if len(args) == 0 {
			return []piece{{shape: anyText}}
		}
		arg := args[0]
		args = args[1:]
		flags, width, letter := format[at[2]:at[3]], format[at[4]:at[5]], format[at[6]:at[7]]
		switch {
		case letter == "d" && strings.Contains(flags, "0") && width != "":
			pieces = append(pieces, piece{shape: `[0-9]{` + width + `}`, param: r.paramIn(arg, in)})
		case (letter == "s" || letter == "v" || letter == "d") && flags == "" && width == "":
			pieces = append(pieces, r.text(arg, in, depth+1)...)
		case letter == "x" && flags == "" && width == "" && r.bytesOf(arg) > 0:
			pieces = append(pieces, piece{shape: fmt.Sprintf(`[0-9a-f]{%d}`, 2*r.bytesOf(arg)), param: r.paramIn(arg, in)})
		default:
			pieces = append(pieces, piece{shape: anyText, param: r.paramIn(arg, in)})
		}
	}
	return append(pieces, piece{literal: format[end:]})
}

// bytesOf returns how many bytes an array or a slice with constant bounds has, 0 if that isn't known.
func (r *packageCheck) bytesOf(e ast.Expr) int64 {
	if s, ok := ast.Unparen(e).(*ast.SliceExpr); ok {
		return r.sliceLength(s, r.bytesOf(s.X))
	}
	if array, ok := r.TypesInfo.TypeOf(e).Underlying().(*types.Array); ok {
		return array.Len()
	}
	return 0
}

// constant returns an expression's value if it is a constant string.
func (r *packageCheck) constant(e ast.Expr) (string, bool) {
	if tv := r.TypesInfo.Types[e]; tv.Value != nil && tv.Value.Kind() == constant.String {
		return constant.StringVal(tv.Value), true
	}
	return "", false
}

// sql returns the text that an expression makes, with holes for what isn't known.
func (r *packageCheck) sql(e ast.Expr) string {
	var b strings.Builder
	for _, p := range r.text(e, nil, 0) {
		if p.shape == "" {
			b.WriteString(p.literal)
		} else {
			b.WriteByte(locksql.Hole)
		}
	}
	return b.String()
}

// isText reports whether values of t are text: strings and byte slices.
func isText(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Slice:
		b, ok := u.Elem().Underlying().(*types.Basic)
		return ok && b.Kind() == types.Byte
	}
	return false
}

package cell

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

const (
	tenantsPath = "/admin/v1/tenants"
	// consolePath is where the operator's console is.
	consolePath = "/operator"
	// cursorSeparator stands in a cursor between a cell's name and the cell's own cursor.
	cursorSeparator = "."
)

// listsOverCells are the lists that go on in the next cell where one ends.
var listsOverCells = []string{tenantsPath, "/admin/v1/payments"}

// serveOperator serves a request of the operator: about a tenant in its cell; one that names a cell there; lists over
// all cells, one cell after the other. All others must name a cell.
func (rt *Router) serveOperator(w http.ResponseWriter, r *http.Request) {
	if id, ok := tenantInPath(r.URL.Path, tenantsPath); ok {
		l, err := rt.Cells.directory.find(r.Context(), id)
		switch {
		case problem.Is(err, problem.NotFound):
			rt.serveAny(w, r)
		case err != nil:
			rt.refuse(w, r, err)
		default:
			rt.serveOperatorIn(w, r, l.cell)
		}
		return
	}
	if names := r.Header.Values(Header); len(names) > 0 {
		if len(names) > 1 || rt.Cells.byName[names[0]] == nil {
			rt.refuse(w, r, rt.cellNeeded("There is no such cell."))
			return
		}
		rt.serveOperatorIn(w, r, names[0])
		return
	}
	switch {
	case r.Method == http.MethodGet && slices.Contains(listsOverCells, r.URL.Path):
		rt.serveList(w, r)
	case r.Method == http.MethodPost && r.URL.Path == tenantsPath:
		rt.serveOperatorIn(w, r, rt.Cells.cellOfNew(r.Header.Get("Idempotency-Key")))
	default:
		rt.refuse(w, r, rt.cellNeeded("This request is about one cell."))
	}
}

func (rt *Router) serveOperatorIn(w http.ResponseWriter, r *http.Request, name string) {
	w.Header().Set(Header, name)
	rt.serveIn(w, r, name)
}

func (rt *Router) cellNeeded(why string) error {
	names := make([]string, len(rt.Cells.list))
	for i, one := range rt.Cells.list {
		names[i] = one.name
	}
	return problem.New(problem.CellRequired, why+" Name it in the header "+Header+": "+strings.Join(names, ", ")+".")
}

// serveOperatorsConsole serves a page of the operator's console: about a tenant in its cell; one whose query names a
// cell there; one with a tenant's slug in the tenant's cell; all others by any cell, because a sign-in is one for all
// of them.
func (rt *Router) serveOperatorsConsole(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	id, found := tenantInPath(r.URL.Path, consolePath+"/tenants")
	if slug := query.Get("slug"); slug != "" && !found {
		of, err := rt.Cells.directory.withSlug(r.Context(), slug)
		id, found = of, err == nil
	}
	name := query.Get("cell")
	if found {
		if l, err := rt.Cells.directory.find(r.Context(), id); err == nil {
			name = l.cell
		}
	}
	if rt.Cells.byName[name] == nil {
		rt.serveAny(w, r)
		return
	}
	rt.serveIn(w, r, name)
}

// tenantInPath returns the tenant of a path such as /admin/v1/tenants/{id}/api-keys, below the path of all tenants.
func tenantInPath(path, tenants string) (uuid.UUID, bool) {
	rest, ok := strings.CutPrefix(path, tenants+"/")
	if !ok {
		return uuid.Nil, false
	}
	first, _, _ := strings.Cut(rest, "/")
	if len(first) != len(uuid.Nil.String()) {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(first)
	return id, err == nil
}

// cellOfNew returns the cell of a tenant that is to be made. It depends on the idempotency key alone, so that a retry
// goes to the same cell, and on the cells so that a further cell takes its share and no other one changes (rendezvous
// hashing).
func (c *Cells) cellOfNew(idempotencyKey string) string {
	best, most := "", uint64(0)
	for _, one := range c.list {
		h := fnv.New64a()
		_, _ = h.Write([]byte(idempotencyKey + "\x00" + one.name))
		if weight := mix(h.Sum64()); best == "" || weight > most {
			best, most = one.name, weight
		}
	}
	return best
}

// mix spreads a hash over all its bits: names that differ in their last letter have FNV hashes that differ in few (the
// finalizer of MurmurHash3).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// serveList serves a page of a list that goes through the cells in their order. A cursor is a cell's name and that
// cell's own cursor.
func (rt *Router) serveList(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if slug := query.Get("slug"); slug != "" && r.URL.Path == tenantsPath {
		rt.serveTenantsOf(w, r, slug)
		return
	}
	name, own, known := rt.Cells.list[0].name, "", true
	if cursor := query.Get("cursor"); cursor != "" {
		name, own, known = strings.Cut(cursor, cursorSeparator)
		known = known && rt.Cells.byName[name] != nil
	}
	if !known {
		rt.refuse(w, r, problem.Invalid("cursor", "invalid_format", "Expected the next_cursor of another page."))
		return
	}
	if query.Del("cursor"); own != "" {
		query.Set("cursor", own)
	}
	inner := r.Clone(r.Context())
	inner.URL.RawQuery = query.Encode()
	inner.RequestURI = inner.URL.RequestURI()
	inner.Header.Del("Accept-Encoding")
	inner.Header.Del("If-None-Match")
	page := httptest.NewRecorder()
	rt.serveIn(page, inner, name)
	rt.writePage(w, page, name)
}

// serveTenantsOf serves the list of tenants with a slug, of which there is at most one, from its cell.
func (rt *Router) serveTenantsOf(w http.ResponseWriter, r *http.Request, slug string) {
	id, err := rt.Cells.directory.withSlug(r.Context(), slug)
	var l location
	if err == nil {
		l, err = rt.Cells.directory.find(r.Context(), id)
	}
	switch {
	case problem.Is(err, problem.NotFound): // an empty list, or what is wrong with the slug
		rt.serveOperatorIn(w, r, rt.Cells.list[0].name)
	case err != nil:
		rt.refuse(w, r, err)
	default:
		rt.serveOperatorIn(w, r, l.cell)
	}
}

// writePage writes a page of one cell. Its cursor names the cell, or the next one at the end of this one.
func (rt *Router) writePage(w http.ResponseWriter, page *httptest.ResponseRecorder, name string) {
	body := page.Body.Bytes()
	var list struct {
		Data       json.RawMessage `json:"data"`
		NextCursor string          `json:"next_cursor,omitempty"`
	}
	if page.Code == http.StatusOK && json.Unmarshal(body, &list) == nil {
		next := slices.IndexFunc(rt.Cells.list, func(one *Cell) bool { return one.name == name }) + 1
		switch {
		case list.NextCursor != "":
			list.NextCursor = name + cursorSeparator + list.NextCursor
		case next < len(rt.Cells.list):
			list.NextCursor = rt.Cells.list[next].name + cursorSeparator
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(list); err == nil {
			body = text.Bytes()
		}
	}
	for key, values := range page.Header() {
		if key != "Content-Length" && key != "Etag" {
			w.Header()[key] = values
		}
	}
	w.Header().Set(Header, name)
	w.WriteHeader(page.Code)
	_, _ = w.Write(body)
}

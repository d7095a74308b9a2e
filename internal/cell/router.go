package cell

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

const (
	// frozenWait is how long a request of a tenant that is being moved is held back; after that its cell refuses it, or
	// serves it.
	frozenWait = 5 * time.Second
	// maxHeldBack is how many requests are held back at once. More get 503 at once.
	maxHeldBack = 1000
	// Header names a cell: in a request of the operator the one that is meant, in each answer to the operator the one
	// that gave it.
	Header = "Holdfast-Cell"
	// actingHeader names the tenant for which the operator acts.
	actingHeader = "Holdfast-Tenant"
)

// Router sends each request to the cell of its tenant. It is safe for concurrent use.
type Router struct {
	// Cells are where requests go.
	Cells *Cells
	// Front answers what belongs to no cell: health, metrics, documentation, and refusals.
	Front *edge.Edge
	// Sources are the parts of requests that tell their tenants, by route.
	Sources edge.TenantSources
	// Unsubscribed returns the tenant of a token of an unsubscribe link.
	Unsubscribed func(token string) (uuid.UUID, error)
	// Linked returns the tenant of a token of a link to a booking.
	Linked func(token string) (uuid.UUID, error)
	// Webhook returns the tenant that a provider's webhook is about; an error for one that says nothing, which any cell
	// answers.
	Webhook func(provider string, header http.Header, body []byte) (uuid.UUID, error)

	heldBack atomic.Int64
}

// ServeHTTP sends the request to its cell.
func (rt *Router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	source, below := rt.Sources.Lookup(r.URL.Path)
	name, _, _ := strings.Cut(below, "/")
	if name == "" && (source == edge.FromSlug || source == edge.FromLink || source == edge.FromWebhook) {
		source = edge.NoTenant // such as /console, which asks which tenant's is meant
	}
	switch source {
	case edge.FromKey:
		rt.serveByKey(w, r)
	case edge.FromAdminRequest:
		rt.serveOperator(w, r)
	case edge.FromOperatorPage:
		rt.serveOperatorsConsole(w, r)
	case edge.FromSlug:
		rt.serveSlug(w, r, name)
	case edge.FromState: // it begins with the slug
		slug, _, _ := strings.Cut(r.URL.Query().Get("state"), ".")
		rt.serveSlug(w, r, slug)
	case edge.FromLink:
		id, err := rt.Linked(name)
		rt.serveFound(w, r, id, err)
	case edge.FromUnsubscribeToken:
		id, err := rt.Unsubscribed(r.URL.Query().Get("token"))
		rt.serveFound(w, r, id, err)
	case edge.FromWebhook:
		rt.serveWebhook(w, r, name)
	default:
		rt.Front.Engine().ServeHTTP(w, r)
	}
}

func (rt *Router) serveSlug(w http.ResponseWriter, r *http.Request, slug string) {
	id, err := rt.Cells.directory.withSlug(r.Context(), slug)
	rt.serveFound(w, r, id, err)
}

// serveByKey serves a request whose API key says the tenant, or the header by which the operator acts for one. A
// request without either is refused by any cell alike.
func (rt *Router) serveByKey(w http.ResponseWriter, r *http.Request) {
	if names := r.Header.Values(actingHeader); len(names) == 1 {
		id, err := rt.Cells.directory.named(r.Context(), strings.TrimSpace(names[0]))
		rt.serveFound(w, r, id, err)
		return
	}
	key, _ := edge.Bearer(r.Header)
	id, ok := tenant.OfKey(key)
	if !ok {
		rt.serveAny(w, r)
		return
	}
	rt.serveTenant(w, r, id)
}

// serveFound serves a request of a tenant that was found in what it brought; any cell refuses one that brought nothing.
func (rt *Router) serveFound(w http.ResponseWriter, r *http.Request, id uuid.UUID, err error) {
	switch {
	case problem.Is(err, problem.DatabaseUnavailable): // the directory can't say whether there is such a tenant
		rt.refuse(w, r, err)
	case err != nil:
		rt.serveAny(w, r)
	default:
		rt.serveTenant(w, r, id)
	}
}

// serveWebhook receives a webhook to find its tenant. The cell checks it.
func (rt *Router) serveWebhook(w http.ResponseWriter, r *http.Request, provider string) {
	r, body, err := rt.Front.Receive(w, r)
	if err != nil {
		rt.refuse(w, r, err)
		return
	}
	id, err := rt.Webhook(provider, r.Header, body)
	rt.serveFound(w, r, id, err)
}

// serveTenant serves a request of a tenant. A tenant that no cell has is refused by any cell alike.
func (rt *Router) serveTenant(w http.ResponseWriter, r *http.Request, id uuid.UUID) {
	l, err := rt.Cells.directory.find(r.Context(), id)
	switch {
	case problem.Is(err, problem.NotFound):
		rt.serveAny(w, r)
		return
	case err != nil:
		rt.refuse(w, r, err)
		return
	}
	if l.frozen {
		if l, err = rt.holdBack(r.Context(), id); err != nil {
			rt.refuse(w, r, err)
			return
		}
	}
	rt.serveIn(w, r, l.cell)
}

// holdBack waits for the end of a tenant's move.
func (rt *Router) holdBack(ctx context.Context, id uuid.UUID) (location, error) {
	defer rt.heldBack.Add(-1)
	if rt.heldBack.Add(1) > maxHeldBack {
		return location{}, problem.New(problem.TenantMoving,
			"The tenant is being moved. Nothing was written.").Retry(time.Second)
	}
	limited, cancel := context.WithTimeout(ctx, frozenWait)
	defer cancel()
	return rt.Cells.directory.thawed(limited, id), ctx.Err()
}

// errUnknownCell says that the server doesn't know a cell of the directory.
var errUnknownCell = errors.New("this server has no such cell")

// serveIn serves a request in a cell.
func (rt *Router) serveIn(w http.ResponseWriter, r *http.Request, name string) {
	one := rt.Cells.byName[name]
	if one == nil {
		rt.refuse(w, r, problem.Wrap(errUnknownCell, problem.DatabaseUnavailable,
			"This server doesn't know the cell of this tenant.").
			Retry(time.Second))
		return
	}
	o := one.open.Load()
	if o == nil {
		rt.refuse(w, r, problem.Wrap(errNotOpen, problem.DatabaseUnavailable,
			"The database of this tenant's cell can't be reached.").
			Retry(time.Second))
		return
	}
	o.api.ServeHTTP(w, r)
}

// serveAny serves a request that every cell answers alike, by the first cell that is open.
func (rt *Router) serveAny(w http.ResponseWriter, r *http.Request) {
	for _, one := range rt.Cells.list {
		if o := one.open.Load(); o != nil {
			o.api.ServeHTTP(w, r)
			return
		}
	}
	rt.refuse(w, r, problem.Wrap(errNotOpen, problem.DatabaseUnavailable, "No cell is open yet.").Retry(time.Second))
}

func (rt *Router) refuse(w http.ResponseWriter, r *http.Request, err error) {
	rt.Front.Refuse(w, r, err)
}

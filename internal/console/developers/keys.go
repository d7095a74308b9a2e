package developers

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
)

// routeKeys adds the pages of API keys.
func (s section) routeKeys() {
	p := s.keys()
	s.Get("/api-keys", frame.NeedOf(tenant.OpListOwnAPIKeys), s.showKeys)
	s.FormPage("/api-keys/new", tenant.OpCreateOwnAPIKey, p.ShowNew, p.CreateNew)
	s.FormPage("/api-keys/:id", tenant.OpChangeOwnAPIKey, s.showKey, p.ChangeOne)
	s.Form("/api-keys/:id/rotate", tenant.OpRotateOwnAPIKey, s.showKey, 1, s.rotateKey)
	s.FormPage("/api-keys/:id/revoke", tenant.OpRevokeOwnAPIKey, s.askToRevokeKey, s.revokeKey)
}

// keys are the pages of API keys, but for their list and the one that shows a key.
func (s section) keys() *frame.Things[tenant.Key] {
	return &frame.Things[tenant.Key]{
		Console: s.Console,
		Section: "api-keys",
		Path:    "api-keys",

		Get:   s.Tenants.Key,
		About: func(k tenant.Key) frame.About { return frame.About{ID: k.ID, Name: k.Name, Spec: k.Body()} },
		Form:  func(v *frame.Visit, _ *tenant.Key) (form.Form, error) { return keyForm(v.Tenant()), nil },

		NewPage: frame.EditPage{Heading: "New API key", Button: "Make the key"},
		Create: func(v *frame.Visit, d form.Document) (idempotency.Outcome, error) {
			return frame.Create(s.Console, v, d, s.Tenants.CreateKey)
		},
		Made: func(v *frame.Visit, made idempotency.Outcome) error {
			const lost = "It was shown once and is kept nowhere. If it is lost, replace the key."
			return s.showNewKey(v, made, frame.SecretPage{Lost: lost})
		},

		Change: func(v *frame.Visit, k tenant.Key, d form.Document) error {
			spec, err := form.ReadBody[tenant.KeyRequest](s.CheckBody, d)
			if err != nil {
				return err
			}
			change := tenant.KeyChange{Name: &spec.Name}
			if !slices.Equal(spec.Scopes, k.Scopes) {
				change.Scopes = spec.Scopes
			}
			_, err = s.Tenants.ChangeKey(v.Context(), v.Tenant(), k.ID, change)
			return err
		},
	}
}

// keysPage are the API keys.
type keysPage struct {
	Tabs []web.NavLink
	New  string
	Rows []keyRow
	Next string
}

// keyRow is an API key in a list. Its times are in the tenant's time zone.
type keyRow struct {
	tenant.Key

	URL   string
	State string
	Works bool
	Used  string
}

func rowOfKey(v *frame.Visit, k tenant.Key) keyRow {
	row := keyRow{Key: k, URL: v.Path("api-keys", k.ID.String()), State: "works", Works: true, Used: "never"}
	loc := v.Tenant().Location
	switch {
	case k.RevokedAt != nil:
		row.State, row.Works = "revoked "+frame.Moment(k.RevokedAt.In(loc)), false
	case k.ExpiresAt != nil && !k.ExpiresAt.After(time.Now()):
		row.State, row.Works = "ended "+frame.Moment(k.ExpiresAt.In(loc)), false
	case k.ExpiresAt != nil:
		row.State = "works until " + frame.Moment(k.ExpiresAt.In(loc))
	}
	if k.LastUsedAt != nil {
		row.Used = frame.Moment(k.LastUsedAt.In(loc))
	}
	return row
}

func (s section) showKeys(v *frame.Visit) error {
	after, err := v.After()
	if err != nil {
		return err
	}
	list, err := s.Tenants.Keys(v.Context(), v.Tenant().ID, after, frame.PageSize+1)
	if err != nil {
		return err
	}
	page := keysPage{Tabs: v.Tabs("api-keys"), New: v.Path("api-keys", "new")}
	list, page.Next = web.Page(v, list, frame.PageSize, func(last tenant.Key) string { return last.ID.String() })
	for _, k := range list {
		page.Rows = append(page.Rows, rowOfKey(v, k))
	}
	return s.Render(v, http.StatusOK, "keys", "API keys", page)
}

// scopeWords say what each scope lets do.
var scopeWords = map[string]string{
	"catalog":   "catalog: read what can be booked",
	"hold":      "hold: hold as a visitor of the website",
	"read":      "read: read everything else",
	"book":      "book: make and change bookings",
	"customers": "customers: change customers",
	"money":     "money: payments and wallets",
	"admin":     "admin: catalog, settings, webhooks, API keys",
}

// keyForm is the form of an API key.
func keyForm(t tenant.Tenant) form.Form {
	return form.Of[tenant.KeyRequest](t, []form.Group{{Label: "API key", Fields: []form.Field{
		{Name: "name", Label: "Name", Help: "Where it is used."},
		{Name: "scopes", Label: "What it may do", Labels: scopeWords,
			Help: "A key with no other scopes than catalog and hold is publishable: it may stand in a web page."},
	}}})
}

// showNewKey shows the secret of a key that was made.
func (s section) showNewKey(v *frame.Visit, response idempotency.Outcome, page frame.SecretPage) error {
	var made tenant.NewAPIKeyBody
	if err := json.Unmarshal(response.Body, &made); err != nil {
		return err
	}
	page.Heading, page.Name, page.Secret, page.Back = "The new API key", made.Name, made.APIKey, v.Path("api-keys")
	return s.showNewSecret(v, page)
}

// showNewSecret answers a form with the secret that it made. It is shown here, and not on a page of its own: no address
// may have it.
func (s section) showNewSecret(v *frame.Visit, page frame.SecretPage) error {
	page.Tabs = v.Tabs("api-keys")
	return s.Render(v, http.StatusOK, "secret", page.Heading, page)
}

// keyPage is an API key.
type keyPage struct {
	keyRow

	Tabs []web.NavLink
	Form form.View
}

func (s section) showKey(v *frame.Visit) error {
	p := s.keys()
	k, f, values, err := p.FilledForm(v)
	if err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "key", "API key "+k.Name, keyPage{rowOfKey(v, k), p.Tabs(v), f.View(values)})
}

func (s section) rotateKey(v *frame.Visit) error {
	k, err := s.keys().OfPath(v)
	if err != nil {
		return err
	}
	minutes, err := form.ReadSpan("overlap", v.Form.Get("overlap"), v.Form.Get("overlap"+form.UnitSuffix))
	if err != nil {
		return err
	}
	asked, err := form.ReadBody[tenant.KeyRotation](s.CheckBody, form.Document{"overlap_minutes": minutes})
	if err != nil {
		return err
	}
	made, err := s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Tenants.RotateKey(v.Context(), v.Tenant(), r, k.ID, asked)
	})
	if err != nil {
		return err
	}
	return s.showNewKey(v, made, frame.SecretPage{
		Lost: "It was shown once and is kept nowhere. If it is lost, replace the key again.",
		Note: "Put it in place of the old one.",
	})
}

// askPage asks whether something is done that can't be taken back.
type askPage struct {
	Tabs               []web.NavLink
	Heading, Does      string
	Button, Path, Back string
}

func (s section) askToRevokeKey(v *frame.Visit) error {
	k, err := s.keys().OfPath(v)
	if err != nil {
		return err
	}
	path := v.Path("api-keys", k.ID.String())
	return s.Render(v, http.StatusOK, "ask", "Revoke "+k.Name, askPage{
		Tabs: v.Tabs("api-keys"), Heading: "Revoke the API key " + k.Name, Path: path + "/revoke", Back: path,
		Button: "Revoke the key",
		Does: "Whatever calls with this key is refused from now on; other servers notice within ten seconds. " +
			"It can’t be taken back.",
	})
}

func (s section) revokeKey(v *frame.Visit) error {
	k, err := s.keys().OfPath(v)
	if err != nil {
		return err
	}
	if err := s.Tenants.RevokeOwnKey(v.Context(), v.Tenant(), k.ID); err != nil {
		return err
	}
	return v.Done("revoked", v.Path("api-keys"))
}

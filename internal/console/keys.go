package console

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
)

// routeKeys adds the pages of API keys.
func (c *Console) routeKeys() {
	list, admin := need{scope: operation.ScopeAdmin, cost: costOfList}, need{scope: operation.ScopeAdmin}
	p := c.keys()
	c.get("/api-keys", list, c.showKeys)
	c.get("/api-keys/new", admin, p.showNew)
	c.post("/api-keys/new", admin.on(p.showNew, 0), p.createNew)
	c.get("/api-keys/:id", admin, c.showKey)
	c.post("/api-keys/:id", admin.on(c.showKey, 0), p.changeOne)
	c.post("/api-keys/:id/rotate", admin.on(c.showKey, 1), c.rotateKey)
	c.get("/api-keys/:id/revoke", admin, c.askToRevokeKey)
	c.post("/api-keys/:id/revoke", admin.on(c.askToRevokeKey, 0), c.revokeKey)
}

// keys are the pages of API keys, but for their list and the one that shows a key.
func (c *Console) keys() *things[tenant.Key] {
	return &things[tenant.Key]{
		c:       c,
		section: "api-keys",
		path:    "api-keys",

		get:   c.Tenants.Key,
		about: func(k tenant.Key) about { return about{id: k.ID, name: k.Name, spec: k.Body()} },
		form:  func(v *visit, _ *tenant.Key) (form, error) { return keyForm(v.tenant()), nil },

		newPage: editPage{Heading: "New API key", Button: "Make the key"},
		create: func(v *visit, d document) (idempotency.Outcome, error) {
			return createThing(c, v, d, c.Tenants.CreateKey)
		},
		made: func(v *visit, made idempotency.Outcome) error {
			const lost = "It was shown once and is kept nowhere. If it is lost, replace the key."
			return c.showNewKey(v, made, secretPage{Lost: lost})
		},

		change: func(v *visit, k tenant.Key, d document) error {
			spec, err := readBody[tenant.KeyRequest](c.checkBody, d)
			if err != nil {
				return err
			}
			change := tenant.KeyChange{Name: &spec.Name}
			if !slices.Equal(spec.Scopes, k.Scopes) {
				change.Scopes = spec.Scopes
			}
			_, err = c.Tenants.ChangeKey(v.ctx(), v.tenant(), k.ID, change)
			return err
		},
	}
}

// keysPage are the API keys.
type keysPage struct {
	Tabs []tab
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

func (v *visit) keyRow(k tenant.Key) keyRow {
	row := keyRow{Key: k, URL: v.path("api-keys", k.ID.String()), State: "works", Works: true, Used: "never"}
	loc := v.tenant().Location
	switch {
	case k.RevokedAt != nil:
		row.State, row.Works = "revoked "+moment(k.RevokedAt.In(loc)), false
	case k.ExpiresAt != nil && !k.ExpiresAt.After(time.Now()):
		row.State, row.Works = "ended "+moment(k.ExpiresAt.In(loc)), false
	case k.ExpiresAt != nil:
		row.State = "works until " + moment(k.ExpiresAt.In(loc))
	}
	if k.LastUsedAt != nil {
		row.Used = moment(k.LastUsedAt.In(loc))
	}
	return row
}

func (c *Console) showKeys(v *visit) error {
	after, err := v.After()
	if err != nil {
		return err
	}
	list, err := c.Tenants.Keys(v.ctx(), v.tenant().ID, after, pageSize+1)
	if err != nil {
		return err
	}
	page := keysPage{Tabs: v.tabs("api-keys"), New: v.path("api-keys", "new")}
	list, page.Next = web.Page(v, list, pageSize, func(last tenant.Key) string { return last.ID.String() })
	for _, k := range list {
		page.Rows = append(page.Rows, v.keyRow(k))
	}
	return c.render(v, http.StatusOK, "keys", "API keys", page)
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
func keyForm(t tenant.Tenant) form {
	return formOf[tenant.KeyRequest](t, []group{{Label: "API key", Fields: []field{
		{Name: "name", Label: "Name", Help: "Where it is used."},
		{Name: "scopes", Label: "What it may do", Labels: scopeWords,
			Help: "A key with no other scopes than catalog and hold is publishable: it may stand in a web page."},
	}}})
}

// showNewKey shows the secret of a key that was made.
func (c *Console) showNewKey(v *visit, response idempotency.Outcome, page secretPage) error {
	var made tenant.NewAPIKeyBody
	if err := json.Unmarshal(response.Body, &made); err != nil {
		return err
	}
	page.Heading, page.Name, page.Secret, page.Back = "The new API key", made.Name, made.APIKey, v.path("api-keys")
	return c.showNewSecret(v, page)
}

// showNewSecret answers a form with the secret that it made. It is shown here, and not on a page of its own: no address may have it.
func (c *Console) showNewSecret(v *visit, page secretPage) error {
	page.Tabs = v.tabs("api-keys")
	return c.render(v, http.StatusOK, "secret", page.Heading, page)
}

// keyPage is an API key.
type keyPage struct {
	keyRow

	Tabs []tab
	Form formView
}

func (c *Console) showKey(v *visit) error {
	p := c.keys()
	k, f, values, err := p.filledForm(v)
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "key", "API key "+k.Name, keyPage{v.keyRow(k), p.tabs(v), f.view(values)})
}

func (c *Console) rotateKey(v *visit) error {
	k, err := c.keys().ofPath(v)
	if err != nil {
		return err
	}
	minutes, err := readSpan("overlap", v.Form.Get("overlap"), v.Form.Get("overlap"+unit))
	if err != nil {
		return err
	}
	asked, err := readBody[tenant.KeyRotation](c.checkBody, document{"overlap_minutes": minutes})
	if err != nil {
		return err
	}
	made, err := c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Tenants.RotateKey(v.ctx(), v.tenant(), r, k.ID, asked)
	})
	if err != nil {
		return err
	}
	return c.showNewKey(v, made, secretPage{
		Lost: "It was shown once and is kept nowhere. If it is lost, replace the key again.",
		Note: "Put it in place of the old one.",
	})
}

// askPage asks whether something is done that can't be taken back.
type askPage struct {
	Tabs               []tab
	Heading, Does      string
	Button, Path, Back string
}

func (c *Console) askToRevokeKey(v *visit) error {
	k, err := c.keys().ofPath(v)
	if err != nil {
		return err
	}
	path := v.path("api-keys", k.ID.String())
	return c.render(v, http.StatusOK, "ask", "Revoke "+k.Name, askPage{
		Tabs: v.tabs("api-keys"), Heading: "Revoke the API key " + k.Name, Path: path + "/revoke", Back: path, Button: "Revoke the key",
		Does: "Whatever calls with this key is refused from now on; other servers notice within ten seconds. It can’t be taken back.",
	})
}

func (c *Console) revokeKey(v *visit) error {
	k, err := c.keys().ofPath(v)
	if err != nil {
		return err
	}
	if err := c.Tenants.RevokeOwnKey(v.ctx(), v.tenant(), k.ID); err != nil {
		return err
	}
	return v.done("revoked", v.path("api-keys"))
}

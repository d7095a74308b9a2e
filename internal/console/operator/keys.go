package operator

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
)

// keysPage are a tenant's API keys.
type keysPage struct {
	tenantHead

	Scopes []operation.Scope
	Rows   []keyRow
	Next   string
}

// keyRow is an API key in a list.
type keyRow struct {
	tenant.Key

	State string
	Works bool
}

func (c *Console) showKeys(v *visit) error {
	t, err := c.tenantOf(v)
	if err != nil {
		return err
	}
	after, err := v.After()
	if err != nil {
		return err
	}
	list, err := c.Tenants.Keys(v.ctx(), t.ID, after, pageSize+1)
	if err != nil {
		return err
	}
	page := keysPage{tenantHead: t, Scopes: tenant.AllScopes()}
	list, page.Next = web.Page(v, list, pageSize, func(last tenant.Key) string { return last.ID.String() })
	for _, k := range list {
		page.Rows = append(page.Rows, rowOf(k, time.Now()))
	}
	return c.render(v, http.StatusOK, "keys", "API keys of "+t.Slug, page)
}

func rowOf(k tenant.Key, now time.Time) keyRow {
	row := keyRow{Key: k, State: "works", Works: true}
	switch {
	case k.RevokedAt != nil:
		row.State, row.Works = "revoked "+utc(*k.RevokedAt), false
	case k.ExpiresAt != nil && !k.ExpiresAt.After(now):
		row.State, row.Works = "ended "+utc(*k.ExpiresAt), false
	case k.ExpiresAt != nil:
		row.State = "works until " + utc(*k.ExpiresAt)
	}
	return row
}

func (c *Console) issueKey(v *visit) error {
	t, err := c.tenantOf(v)
	if err != nil {
		return err
	}
	d := document{"scopes": append([]string{}, v.Form["scopes"]...)}
	if name := v.field("name"); name != "" {
		d["name"] = name
	}
	asked, err := readBody[tenant.IssueRequest](c, d)
	if err != nil {
		return err
	}
	var made tenant.NewAPIKeyBody
	err = c.once(v, uuid.Nil, &made, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Tenants.IssueKey(v.ctx(), r, t.ID, asked)
	})
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "secret", "The new API key", secretPage{
		Heading: "The new API key of " + t.Slug, Label: "API key", Secret: made.APIKey,
		Back: tenantPath(t.ID, "api-keys"),
		Lost: "The key is made. It was shown once and is kept nowhere: revoke it and issue another one if it is lost.",
	})
}

func (c *Console) revokeKey(v *visit) error {
	id := v.ID("id")
	key := v.ID("key")
	if err := c.Tenants.RevokeKey(v.ctx(), id, key); err != nil {
		return err
	}
	return v.done("revoked", tenantPath(id, "api-keys"))
}

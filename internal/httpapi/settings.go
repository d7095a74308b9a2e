package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/httpapi/schema"
	"holdfast/internal/message"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
)

type changeSettingsInput struct {
	IfMatchInput
	Body schema.Patch[settings.Spec]
}

// emailPreviewResultBody is how an email reads.
type emailPreviewResultBody struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    string `json:"html"`
}

func (a *API) routeSettings() {
	const path, tag = "/v1/tenant", "Settings"

	register(a, route{
		op: settings.OpGetTenant, method: http.MethodGet, path: path, tag: tag, errors: []int{422},
		summary: "Read what the tenant sends to its customers, and when",
	}, func(ctx context.Context, _ *struct{}) (*versioned[settings.Body], error) {
		return versionedOf(a.Settings.Get(ctx, callOf(ctx).tenant.ID))
	})

	showCurrent(a, path, func(ctx context.Context, t tenant.Tenant, _ uuid.UUID) (settings.Tenant, error) {
		return a.Settings.Get(ctx, t.ID)
	})
	register(a, route{
		op:      settings.OpChangeTenant,
		method:  http.MethodPatch,
		path:    path,
		tag:     tag,
		errors:  []int{412},
		summary: "Change what the tenant sends to its customers, and when",
		description: schema.MergePatch +
			"A change to what is already so keeps the version. It holds for bookings and customers that exist.",
	}, func(ctx context.Context, in *changeSettingsInput) (*versioned[settings.Body], error) {
		changed, err := a.Settings.Change(ctx, callOf(ctx).tenant.ID, in.Body.Patch, in.IfMatch)
		a.Tenants.Forget(callOf(ctx).tenant.ID) // what is known with its API keys
		return versionedOf(changed, err)
	})

	register(a, route{
		op:          settings.OpPreviewEmail,
		method:      http.MethodPost,
		onlyHere:    true,
		path:        path + "/email-preview",
		tag:         tag,
		errors:      []int{404},
		summary:     "See how an email reads",
		description: "Nothing is sent and nothing is stored.",
	}, func(ctx context.Context, in *struct{ Body message.PreviewRequest }) (*output[emailPreviewResultBody], error) {
		c, err := a.Messages.Preview(ctx, callOf(ctx).tenant.ID, in.Body)
		if err != nil {
			return nil, err
		}
		return &output[emailPreviewResultBody]{emailPreviewResultBody(c)}, nil
	})
}

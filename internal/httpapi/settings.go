package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/message"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
)

type changeSettingsInput struct {
	IfMatchInput
	Body patchBody[settings.Spec]
}

// emailPreviewBody asks how an email reads.
type emailPreviewBody struct {
	Template  string     `json:"template" enum:"booking.held,booking.confirmed,booking.rescheduled,booking.cancelled,booking.reminder,booking.follow_up,booking.anniversary,customer.birthday,payment.balance_due,payment.succeeded,payment.declined,payment.refunded" doc:"Kind of email."`
	Subject   string     `json:"subject,omitempty" example:"See you soon, {{customer_name}}" doc:"As of all parts: without it, that of the tenant's template, or of Holdfast's own."`
	Text      string     `json:"text,omitempty" example:"Hello {{customer_name}}"`
	HTML      string     `json:"html,omitempty" example:"<p>Hello {{customer_name}}</p>"`
	BookingID *uuid.UUID `json:"booking_id,omitempty" format:"uuid" doc:"A booking to render it for; without it, sample data."`
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
		id: "get-tenant", method: http.MethodGet, path: path, scope: tenant.ScopeRead, tag: tag, errors: []int{422},
		summary: "Read what the tenant sends to its customers, and when",
	}, func(ctx context.Context, _ *struct{}) (*versioned[settings.Body], error) {
		return versionedOf(a.Settings.Get(ctx, callOf(ctx).tenant.ID))
	})

	showCurrent(a, path, func(ctx context.Context, t tenant.Tenant, _ uuid.UUID) (settings.Tenant, error) {
		return a.Settings.Get(ctx, t.ID)
	})
	register(a, route{
		id: "change-tenant", method: http.MethodPatch, path: path, scope: tenant.ScopeAdmin, tag: tag, errors: []int{412},
		summary:     "Change what the tenant sends to its customers, and when",
		description: mergePatch + "A change to what is already so keeps the version. It holds for bookings and customers that exist.",
	}, func(ctx context.Context, in *changeSettingsInput) (*versioned[settings.Body], error) {
		changed, err := a.Settings.Change(ctx, callOf(ctx).tenant.ID, in.Body.Patch, in.IfMatch)
		a.Tenants.Forget(callOf(ctx).tenant.ID) // what is known with its API keys
		return versionedOf(changed, err)
	})

	register(a, route{
		id: "preview-email", method: http.MethodPost, onlyHere: true, path: path + "/email-preview", scope: tenant.ScopeAdmin, tag: tag,
		errors:  []int{404},
		summary: "See how an email reads", description: "Nothing is sent and nothing is stored.",
	}, func(ctx context.Context, in *struct{ Body emailPreviewBody }) (*output[emailPreviewResultBody], error) {
		b := in.Body
		c, err := a.Messages.Preview(ctx, callOf(ctx).tenant.ID, message.Preview{
			Kind: b.Template, Subject: b.Subject, Text: b.Text, HTML: b.HTML, BookingID: b.BookingID,
		})
		if err != nil {
			return nil, err
		}
		return &output[emailPreviewResultBody]{emailPreviewResultBody(c)}, nil
	})
}

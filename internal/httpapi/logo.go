package httpapi

import (
	"context"
	"net/http"

	"holdfast/internal/settings"
)

func (a *API) routeLogo() {
	const path, tag = "/v1/tenant/logo", "Settings"
	register(a, route{
		op:      settings.OpSetLogo,
		method:  http.MethodPut,
		path:    path,
		tag:     tag,
		errors:  []int{412},
		summary: "Set the tenant's logo",
		description: "The booking page and the pages of bookings show it beside the tenant's name: on all servers after ten seconds. The " +
			"same logo again keeps the version of the settings.",
	}, func(ctx context.Context, in *struct {
		IfMatchInput
		Body settings.LogoRequest
	}) (*versioned[settings.Body], error) {
		data, err := in.Body.Image()
		if err != nil {
			return nil, err
		}
		return versionedOf(a.Settings.SetLogo(ctx, callOf(ctx).tenant.ID, data, in.IfMatch))
	})
	register(a, route{
		op:          settings.OpRemoveLogo,
		method:      http.MethodDelete,
		path:        path,
		tag:         tag,
		status:      http.StatusNoContent,
		errors:      []int{412},
		summary:     "Remove the tenant's logo",
		description: "Also if there is none.",
	}, func(ctx context.Context, in *IfMatchInput) (*struct{}, error) {
		_, err := a.Settings.RemoveLogo(ctx, callOf(ctx).tenant.ID, in.IfMatch)
		return nil, err
	})
}

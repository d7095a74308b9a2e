package httpapi

import (
	"context"
	"encoding/base64"
	"net/http"

	"holdfast/internal/problem"
	"holdfast/internal/settings"
)

// logoBody is a logo as requests give it.
type logoBody struct {
	Data string `json:"data" minLength:"1" maxLength:"43692" example:"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGKKAQQAAP//AGIAX6XnDlEAAAAASUVORK5CYII=" doc:"The image in base64: a PNG or JPEG of at most 32768 bytes and 1024 pixels in width and in height."`
}

// image returns the bytes of the image. Errors: problem.ValidationFailed.
func (b logoBody) image() ([]byte, error) {
	data, err := base64.StdEncoding.Strict().DecodeString(b.Data)
	if err != nil {
		return nil, problem.Invalid("data", "invalid_format", "Expected base64 with padding.")
	}
	return data, nil
}

func (a *API) routeLogo() {
	const path, tag = "/v1/tenant/logo", "Settings"
	register(a, route{
		op: settings.OpSetLogo, method: http.MethodPut, path: path, tag: tag, errors: []int{412},
		summary: "Set the tenant's logo",
		description: "The booking page and the pages of bookings show it beside the tenant's name: on all servers after ten seconds. The " +
			"same logo again keeps the version of the settings.",
	}, func(ctx context.Context, in *struct {
		IfMatchInput
		Body logoBody
	},
	) (*versioned[settings.Body], error) {
		data, err := in.Body.image()
		if err != nil {
			return nil, err
		}
		return versionedOf(a.Settings.SetLogo(ctx, callOf(ctx).tenant.ID, data, in.IfMatch))
	})
	register(a, route{
		op: settings.OpRemoveLogo, method: http.MethodDelete, path: path, tag: tag, status: http.StatusNoContent,
		errors: []int{412}, summary: "Remove the tenant's logo", description: "Also if there is none.",
	}, func(ctx context.Context, in *IfMatchInput) (*struct{}, error) {
		_, err := a.Settings.RemoveLogo(ctx, callOf(ctx).tenant.ID, in.IfMatch)
		return nil, err
	})
}

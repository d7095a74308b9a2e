package settings

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/jpeg" // one of the two formats of a logo
	_ "image/png"  // the other one
	"net/url"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/problem"
)

const (
	// MaxLogoBytes bounds a logo: a page with it stays small.
	MaxLogoBytes = 32 << 10
	// maxLogoSide bounds its width and its height, in pixels.
	maxLogoSide = 1024
	// logoHashBytes is how much of the SHA-256 of a logo names it.
	logoHashBytes = 8
)

// logoMediaTypes are the formats of a logo, by their names in the package image.
var logoMediaTypes = map[string]string{"png": "image/png", "jpeg": "image/jpeg"}

// Logo is the image that a tenant's pages show.
type Logo struct {
	MediaType string
	Data      []byte
}

// LogoRequest sets a tenant's logo.
type LogoRequest struct {
	Data string `json:"data" minLength:"1" maxLength:"43692" example:"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGKKAQQAAP//AGIAX6XnDlEAAAAASUVORK5CYII=" doc:"The image in base64: a PNG or JPEG of at most 32768 bytes and 1024 pixels in width and in height."`
}

// Image returns the bytes of the image. Errors: problem.ValidationFailed.
func (r LogoRequest) Image() ([]byte, error) {
	data, err := base64.StdEncoding.Strict().DecodeString(r.Data)
	if err != nil {
		return nil, problem.Invalid("data", "invalid_format", "Expected base64 with padding.")
	}
	return data, nil
}

// parseLogo reads an image. field names it in an error. Errors: problem.ValidationFailed for one that is too large, or
// that isn't a whole PNG or JPEG.
func parseLogo(field string, data []byte) (Logo, error) {
	if len(data) > MaxLogoBytes {
		return Logo{}, problem.Invalid(field, "too_long",
			fmt.Sprintf("Expected an image of at most %d bytes.", MaxLogoBytes))
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	mediaType, known := logoMediaTypes[format]
	if err != nil || !known {
		return Logo{}, problem.Invalid(field, "invalid_image", "Expected an image in PNG or JPEG.")
	}
	if config.Width > maxLogoSide || config.Height > maxLogoSide {
		return Logo{}, problem.Invalid(field, "invalid_image",
			fmt.Sprintf("Expected an image of at most %d pixels in width and in height.", maxLogoSide))
	}
	if _, _, err := image.Decode(bytes.NewReader(data)); err != nil {
		return Logo{}, problem.Invalid(field, "invalid_image", "The image is damaged, or not whole.")
	}
	return Logo{MediaType: mediaType, Data: data}, nil
}

// hash names the image: another one has another hash.
func (l Logo) hash() string {
	sum := sha256.Sum256(l.Data)
	return hex.EncodeToString(sum[:logoHashBytes])
}

// LogoPath returns where the server has the tenant's logo, empty without one.
func (t Tenant) LogoPath() string {
	if t.LogoHash == "" {
		return ""
	}
	return "/book/" + url.PathEscape(t.Slug) + "/logo/" + t.LogoHash
}

// Logo returns a tenant's logo by its hash. Errors: problem.NotFound for another hash too; problem.DatabaseUnavailable.
func (s *Service) Logo(ctx context.Context, tenant uuid.UUID, hash string) (Logo, error) {
	row, err := readLogo(ctx, s.db, tenant, hash)
	return Logo(row), err
}

// SetLogo gives a tenant a logo in place of the one that it has. ifMatch is as of Change. The same logo again writes
// nothing and keeps the version.
//
// Errors: problem.NotFound, problem.ValidationFailed of the field data, problem.VersionMismatch; those of db.DB.Write.
func (s *Service) SetLogo(ctx context.Context, tenant uuid.UUID, data []byte, ifMatch string) (Tenant, error) {
	logo, err := parseLogo("data", data)
	if err != nil {
		return Tenant{}, err
	}
	return s.changeLogo(ctx, tenant, logo.hash(), ifMatch, func(tx *db.WriteTx) { queueLogo(tx, logo) })
}

// RemoveLogo takes a tenant's logo away, and writes nothing without one. ifMatch is as of Change. Errors: those of
// SetLogo.
func (s *Service) RemoveLogo(ctx context.Context, tenant uuid.UUID, ifMatch string) (Tenant, error) {
	return s.changeLogo(ctx, tenant, "", ifMatch, queueNoLogo)
}

// changeLogo queues a change after which the tenant's logo has a hash; empty for none.
func (s *Service) changeLogo(ctx context.Context, tenant uuid.UUID, hash, ifMatch string, queue func(*db.WriteTx),
) (Tenant, error) {
	return s.change(ctx, tenant, ifMatch, func(tx *db.WriteTx, t *Tenant) error {
		if t.LogoHash != hash {
			queue(tx)
			t.LogoHash = hash
			t.Version++
		}
		return nil
	})
}

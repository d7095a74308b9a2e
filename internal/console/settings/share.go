package settings

import (
	"fmt"
	"html/template"
	"image"
	"net/url"
	"strings"

	"github.com/boombuler/barcode/qr"

	"holdfast/internal/settings"
)

// share is how a tenant shows its booking page to people.
type share struct {
	URL   string
	QR    template.HTML // an SVG of the URL
	Embed string        // what its website shows it with
}

// shareOf returns how a tenant shares its booking page; nil while nobody can book on it.
func (s section) shareOf(t settings.Tenant) (*share, error) {
	if !t.Settings.BookingPage.Enabled {
		return nil, nil
	}
	shown := &share{URL: strings.TrimSuffix(s.PublicURL, "/") + "/book/" + url.PathEscape(t.Slug)}
	code, err := qr.Encode(shown.URL, qr.M, qr.Auto)
	if err != nil {
		return nil, fmt.Errorf("make the code of the booking page: %w", err)
	}
	shown.QR = svgOf(code)
	shown.Embed = fmt.Sprintf(`<iframe src="%s" title="%s" style="width: 100%%; height: 900px; border: 0"></iframe>`,
		template.HTMLEscapeString(shown.URL), template.HTMLEscapeString(t.Name))
	return shown, nil
}

// quietZone is how many modules around a code are light, as its standard asks (ISO/IEC 18004).
const quietZone = 4

// svgOf returns a code of dark and light modules, a pixel each, as an SVG.
func svgOf(code image.Image) template.HTML {
	size := code.Bounds().Dx()
	var path strings.Builder
	for y := range size {
		for x := range size {
			if dark, _, _, _ := code.At(x, y).RGBA(); dark == 0 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quietZone, y+quietZone)
			}
		}
	}
	all := size + 2*quietZone
	svg := fmt.Sprintf(`<svg class="qr" viewBox="0 0 %[1]d %[1]d" role="img" aria-label="Code to scan">`+
		`<path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path d="%[2]s"/></svg>`, all, path.String())
	return template.HTML(svg) //nolint:gosec // it is made of numbers
}

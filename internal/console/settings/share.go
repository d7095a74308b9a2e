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
	Code  code   // of the URL
	Embed string // what its website shows it with
}

// shareOf returns how a tenant shares its booking page; nil while nobody can book on it.
func (s section) shareOf(t settings.Tenant) (*share, error) {
	if !t.Settings.BookingPage.Enabled {
		return nil, nil
	}
	shown := &share{URL: strings.TrimSuffix(s.PublicURL, "/") + "/book/" + url.PathEscape(t.Slug)}
	drawn, err := qr.Encode(shown.URL, qr.M, qr.Auto)
	if err != nil {
		return nil, fmt.Errorf("make the code of the booking page: %w", err)
	}
	shown.Code = codeOf(drawn)
	shown.Embed = fmt.Sprintf(`<iframe src="%s" title="%s" style="width: 100%%; height: 900px; border: 0"></iframe>`,
		template.HTMLEscapeString(shown.URL), template.HTMLEscapeString(t.Name))
	return shown, nil
}

// quietZone is how many modules around a code are light, as its standard asks (ISO/IEC 18004).
const quietZone = 4

// code is a code to scan as an SVG: Path draws its dark modules in a square of Size.
type code struct {
	Size int
	Path string
}

// codeOf returns a code of dark and light modules, a pixel each.
func codeOf(drawn image.Image) code {
	size := drawn.Bounds().Dx()
	var path strings.Builder
	for y := range size {
		for x := range size {
			if dark, _, _, _ := drawn.At(x, y).RGBA(); dark == 0 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quietZone, y+quietZone)
			}
		}
	}
	return code{Size: size + 2*quietZone, Path: path.String()}
}

package pages

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"strconv"

	"holdfast/internal/web"
	"holdfast/internal/web/asset"
)

//go:embed assets
var assetFiles embed.FS

// Assets are the style sheet and the script of all pages.
var Assets = web.Assets.With(asset.New(assetFiles, "assets", "/pages/", "app.js"))

// theme is a tenant's colours as a style sheet, with the hash that lets browsers apply it under a strict policy (CSP
// level 3, section 8.4).
type theme struct {
	css  template.CSS
	hash string
}

// newTheme returns the theme of a colour such as #0b5cad; the default for an empty one. What stands on the colour is
// black or white, whichever has the greater contrast: it is at least 4.58, and WCAG 2.2 asks for 4.5 (1.4.3).
func newTheme(colour string) theme {
	if len(colour) != len(defaultColour) {
		colour = defaultColour
	}
	on := "#ffffff"
	if luminance(colour) > 0.1791 { // where both contrasts are the same
		on = "#000000"
	}
	css := fmt.Sprintf(":root{--accent:%s;--on-accent:%s}", colour, on)
	sum := sha256.Sum256([]byte(css))
	hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	return theme{css: template.CSS(css), hash: hash} //nolint:gosec // the colour was checked
}

// defaultColour is that of tenants that chose none.
const defaultColour = "#0b5cad"

// luminance returns the relative luminance of a colour such as #0b5cad, from 0 to 1 (WCAG 2.2, "relative luminance").
func luminance(colour string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value, _ := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		sum += weight * linear(float64(value)/255)
	}
	return sum
}

// linear returns the linear value of a part of an sRGB colour, from 0 to 1.
func linear(value float64) float64 {
	if value <= 0.04045 {
		return value / 12.92
	}
	return math.Pow((value+0.055)/1.055, 2.4)
}

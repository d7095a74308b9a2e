package pages

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"path"
	"strconv"

	"github.com/gin-gonic/gin"

	"holdfast/internal/httpapi/edge"
)

//go:embed assets
var assetFiles embed.FS

// assetsPath is where style sheet and script are.
const assetsPath = "/pages/"

// asset is a file of the pages. Its URL has a hash of its content, so browsers may keep it for good.
type asset struct {
	media string
	text  []byte
	url   string
}

// assets are all files by their name.
var assets = loadAssets("app.css", "app.js")

func loadAssets(names ...string) map[string]asset {
	media := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
	found := make(map[string]asset, len(names))
	for _, name := range names {
		text, err := assetFiles.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // it is part of the program
		}
		sum := sha256.Sum256(text)
		found[name] = asset{media: media[path.Ext(name)], text: text, url: assetsPath + name + "?v=" + hex.EncodeToString(sum[:6])}
	}
	return found
}

// ServeAssets adds what all pages need besides their own text.
func ServeAssets(e *edge.Edge) {
	e.Routes().GET(assetsPath+":name", func(c *gin.Context) {
		found, ok := assets[c.Param("name")]
		if !ok {
			edge.NotFound(c)
			return
		}
		c.Header("Cache-Control", "public, max-age=31536000, immutable")
		c.Data(http.StatusOK, found.media, found.text)
	})
}

// theme is a tenant's colours as a style sheet, with the hash that lets browsers apply it under a strict policy (CSP level 3, section 8.4).
type theme struct {
	css  template.CSS
	hash string
}

// newTheme returns the theme of a colour such as #0b5cad; the default for an empty one. What stands on the colour is black or white,
// whichever has the greater contrast: it is at least 4.58, and WCAG 2.2 asks for 4.5 (1.4.3).
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

package edge

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

// StaticText is a text that stays the same as long as the server runs. Its ETag is weak, so that it may be compressed.
type StaticText struct {
	media, tag string
	text       []byte
}

// NewStaticText returns a text of a media type.
func NewStaticText(media string, text []byte) StaticText {
	sum := sha256.Sum256(text)
	return StaticText{media: media, tag: `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`, text: text}
}

// Serve answers with the text, or with 304 if the client has it.
func (s StaticText) Serve(c *gin.Context) {
	c.Header("ETag", s.tag)
	c.Header("Cache-Control", "no-cache") // a client asks each time whether it has changed
	for given := range strings.SplitSeq(c.GetHeader("If-None-Match"), ",") {
		if given = strings.TrimSpace(given); given == s.tag || given == "*" {
			c.Status(http.StatusNotModified)
			return
		}
	}
	c.Data(http.StatusOK, s.media, s.text)
}

package web

import "strings"

// Headers are what differs between the headers of pages. The zero value is that of a console.
type Headers struct {
	// Frames are the sites that may show the page in a frame, as frame-ancestors names them; empty for none.
	Frames string
	// Style is the hash of the style sheet in the page, as style-src names it; empty without one.
	Style string
	// Language is that of the page, which the browser has chosen; empty for a page in one language.
	Language string
	// Indexed says that search engines may know the page.
	Indexed bool
}

// SetHeaders sets the headers that keep a page to itself. Nothing is kept by browsers and proxies, no link tells
// where it was followed, and no other site shows the page in a frame, unless the headers of the visit name it.
func (v *Visit) SetHeaders() {
	var h Headers
	if v.Headers != nil {
		h = v.Headers()
	}
	frames := "'none'"
	if h.Frames != "" {
		frames = h.Frames
	}
	v.C.Header("Cache-Control", "no-store")
	v.C.Header("Referrer-Policy", "no-referrer")
	v.C.Header("Cross-Origin-Opener-Policy", "same-origin")
	if !h.Indexed {
		v.C.Header("X-Robots-Tag", "noindex")
	}
	if h.Language != "" {
		v.C.Header("Vary", "Accept-Language")
		v.C.Header("Content-Language", h.Language)
	} else {
		v.C.Header("Vary", FragmentHeader)
	}
	v.C.Header("Content-Security-Policy", strings.TrimSpace(
		"default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'self'; frame-ancestors "+frames+
			"; img-src 'self' data:; script-src 'self'; style-src 'self' "+h.Style))
}

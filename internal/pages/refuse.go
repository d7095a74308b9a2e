package pages

import (
	"net/http"
	"strings"

	"holdfast/internal/booking"
)

// A form of a booking's link that is refused travels in a cookie to its page: see the package refused. Cookies don't
// come back from every frame on another site, nor from everybody's browser. So each page of a link sets probeCookie,
// and a form without it is answered at once: else what was typed would be lost.
const probeCookie = "cookies"

// probe finds out whether cookies come back.
func (p *Pages) probe(v *visit) {
	if v.link == nil || v.C.Request.Method != http.MethodGet || v.keepsCookies() {
		return
	}
	v.SetCookie(probeCookie, "1", strings.TrimSuffix(booking.LinksPath, "/"), 0, http.SameSiteLaxMode)
}

func (v *visit) keepsCookies() bool {
	_, err := v.C.Request.Cookie(probeCookie)
	return err == nil
}

// moveForm has the refusal of a form of a link be shown by the page of the link as it is now: details with another
// address end the former one. Whoever has the booking's link may read what the browser keeps of the form, as the
// booking.
func (p *Pages) moveForm(v *visit) {
	if v.link == nil {
		return
	}
	v.FormPath = p.ownPath(v, strings.TrimPrefix(v.FormPath, booking.LinksPath+v.C.Param("token")))
	if v.Seal = ""; v.keepsCookies() {
		v.Seal = p.Links.Token(*v.link)
	}
}

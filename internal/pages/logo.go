package pages

import "net/http"

// logoCacheTime is for how long browsers and proxies keep a logo. Another logo has another URL.
const logoCacheTime = "public, max-age=31536000, immutable"

// showLogo answers with the tenant's logo, if the path names the one that it has. It isn't kept in this process: a
// browser asks once.
func (p *Pages) showLogo(v *visit) error {
	logo, err := p.Settings.Logo(v.ctx(), v.tenant.ID, v.C.Param("hash"))
	if err != nil {
		return err
	}
	v.SetHeaders()
	for _, ofTexts := range []string{"Vary", "Content-Language"} {
		v.C.Writer.Header().Del(ofTexts)
	}
	v.C.Header("Cache-Control", logoCacheTime)
	v.C.Data(http.StatusOK, logo.MediaType, logo.Data)
	return nil
}

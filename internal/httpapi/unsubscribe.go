package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
)

// Link scanners open links. So a GET changes nothing; only a POST unsubscribes: the button's, or a mail program's own (RFC 8058).
const (
	unsubscribePage = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>Unsubscribe</title></head>
<body style="font-family: sans-serif; margin: 3em auto; max-width: 30em"><h1>Unsubscribe</h1>
<p>Press the button to get no more greetings and follow-ups. Emails about your bookings still reach you.</p>
<form method="post"><button type="submit">Unsubscribe</button></form></body></html>
`
	unsubscribedPage = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Unsubscribed</title></head>
<body style="font-family: sans-serif; margin: 3em auto; max-width: 30em"><h1>Unsubscribed</h1>
<p>You will get no more greetings and follow-ups.</p></body></html>
`
	unsubscribePolicy = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; style-src 'unsafe-inline'"
)

// routeUnsubscribe adds what the links in emails lead to. Customers call it, not clients of the API: it is no part of the document, and
// its token is its key.
func (a *API) routeUnsubscribe() {
	answer := func(page string, handle func(c *gin.Context, token string) error) gin.HandlerFunc {
		return func(c *gin.Context) {
			// The body of a POST says List-Unsubscribe=One-Click, or nothing.
			err := edge.ReceiveBody(c)
			tokens := c.Request.URL.Query()["token"]
			if err == nil && len(tokens) != 1 {
				err = problem.Missing()
			}
			if err == nil {
				err = handle(c, tokens[0])
			}
			if err != nil {
				edge.WriteProblem(c, err)
				return
			}
			c.Header("Cache-Control", "no-store")
			c.Header("Referrer-Policy", "no-referrer")
			c.Header("Content-Security-Policy", unsubscribePolicy)
			c.Data(http.StatusOK, "text/html; charset=utf-8", []byte(page))
		}
	}
	a.Edge.Routes().GET("/unsubscribe", answer(unsubscribePage, func(_ *gin.Context, token string) error {
		_, err := a.Messages.Subscription(token)
		return err
	}))
	a.Edge.Routes().POST("/unsubscribe", answer(unsubscribedPage, func(c *gin.Context, token string) error {
		sub, err := a.Messages.Subscription(token)
		if err != nil {
			return err
		}
		return a.Customers.Unsubscribe(c.Request.Context(), sub.TenantID, sub.CustomerID)
	}))
}

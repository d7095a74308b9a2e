package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
)

// Link scanners open links. So a GET changes nothing; only a POST unsubscribes: the button's, or a mail program's own
// (RFC 8058).
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

// routeUnsubscribe adds what the links in emails lead to. Customers call it, not clients of the API: it is no part of
// the document, and its token is its key.
func (a *API) routeUnsubscribe() {
	of := a.Edge.Routes("/unsubscribe", edge.FromUnsubscribeToken)
	of.GET("", answerWith(unsubscribePage, func(c *gin.Context) error {
		_, _, err := a.subscriptionOf(c)
		return err
	}))
	of.POST("", answerWith(unsubscribedPage, func(c *gin.Context) error {
		tenant, customer, err := a.subscriptionOf(c)
		if err != nil {
			return err
		}
		if err := a.admission.TakeVisitorToken(c, tenant); err != nil {
			return err
		}
		// The body says List-Unsubscribe=One-Click, or nothing.
		leave, err := a.admission.Admit(c, admission.Request{Client: tenant, Cost: 1})
		if err != nil {
			return err
		}
		defer leave()
		return a.Customers.Unsubscribe(c.Request.Context(), tenant, customer)
	}))
}

// subscriptionOf returns the tenant and the customer of the link of a request. Errors: problem.NotFound.
func (a *API) subscriptionOf(c *gin.Context) (tenant, customer uuid.UUID, err error) {
	tokens := c.Request.URL.Query()["token"]
	if len(tokens) != 1 {
		return uuid.Nil, uuid.Nil, problem.Missing()
	}
	sub, err := a.Messages.Subscription(tokens[0])
	return sub.TenantID, sub.CustomerID, err
}

// answerWith answers with a page when handle has done what it is for.
func answerWith(page string, handle func(*gin.Context) error) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := handle(c); err != nil {
			edge.WriteProblem(c, err)
			return
		}
		c.Header("Cache-Control", "no-store")
		c.Header("Referrer-Policy", "no-referrer")
		c.Header("Content-Security-Policy", unsubscribePolicy)
		c.Data(http.StatusOK, "text/html; charset=utf-8", []byte(page))
	}
}

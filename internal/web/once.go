package web

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// NewKey returns the key of a form that is about to be shown.
func NewKey() string { return uuid.Must(uuid.NewV7()).String() }

// maxKey bounds the key of a form, in bytes.
const maxKey = 64

// request returns the request that a form asks for once: it has the form's key, so that a form that is sent twice
// does its work once. A form that was filled in otherwise is another request.
func (v *Visit) request() (idempotency.Request, error) {
	key := v.Form.Get(FieldKey)
	if key == "" || len(key) > maxKey {
		return idempotency.Request{}, problem.New(problem.MalformedRequest, "The form has no key. Load the page again.")
	}
	path, form := v.C.Request.URL.Path, v.Form.Encode()
	sum := sha256.Sum256([]byte(path + "?" + form))
	keys := []string{base64.RawURLEncoding.EncodeToString(sum[:])}
	request, err := idempotency.NewRequest(keys, http.MethodPost, path, []byte(form))
	if err != nil {
		return idempotency.Request{}, err
	}
	return request.Qualify(idempotency.Page)
}

// Work is what a form asks for.
type Work = func(idempotency.Request) (idempotency.Outcome, error)

// Once works on a form's request when no other one of this process works on it, unless it was worked on before. A
// refusal is an error, also one that was stored. scope is the tenant whose idempotency key the form's is, the nil id
// for the operator's own.
func (v *Visit) Once(guard *idempotency.Guard, scope uuid.UUID, work Work) (response idempotency.Outcome, err error) {
	request, err := v.request()
	if err != nil {
		return response, err
	}
	permit, response, err := guard.Begin(v.Context(), scope, request)
	if permit != nil {
		defer permit.End()
		response, err = work(permit.Request)
		response, err = permit.Outcome(v.Context(), response, err)
	}
	if err == nil {
		err = response.Err()
	}
	return response, err
}

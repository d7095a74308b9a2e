package httpapi

import (
	"context"
	"errors"

	"github.com/danielgtaylor/huma/v2"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// storedOutput is a response that is stored under its idempotency key. Its body is written as it is.
type storedOutput struct {
	Status      int
	ContentType string `header:"Content-Type"`
	Location    string `header:"Location"`
	ETag        string `header:"ETag"`
	Replayed    string `header:"Idempotent-Replayed"`
	Body        []byte
}

// storedOutputOf returns what huma sends for an outcome. A refusal that is stored, because it is final for its key, is
// a problem document; its code is noted for the request log, also when it is replayed.
func storedOutputOf(ctx context.Context, o idempotency.Outcome) *storedOutput {
	answer := o.Answer()
	out := &storedOutput{
		Status: answer.Status, ContentType: "application/json", Location: answer.Location, ETag: answer.ETag,
		Body: o.Body,
	}
	var document *problem.Document
	if err := o.Err(); err != nil {
		out.ContentType = problem.MediaType
		if errors.As(err, &document) {
			edge.NoteProblem(ctx, document)
		}
	}
	if o.Replayed {
		out.Replayed = "true"
	}
	return out
}

// idempotencyKeyParameter describes the Idempotency-Key.
func (r route) idempotencyKeyParameter() *huma.Param {
	minLength, maxLength := 1, idempotency.MaxKeyBytes
	description := "A new value for every new change, the same one for every retry of it. Kept for 30 days."
	if r.forVisitors() {
		minLength = idempotency.MinPublicKeyBytes
		description += " Of at least 16 characters that nobody can guess, such as crypto.randomUUID() in a browser."
	}
	return &huma.Param{
		Name: "Idempotency-Key", In: "header", Required: true, Description: description,
		Schema:  &huma.Schema{Type: huma.TypeString, MinLength: &minLength, MaxLength: &maxLength},
		Example: "6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11",
	}
}

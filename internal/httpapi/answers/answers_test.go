package answers_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/store"
	"holdfast/internal/httpapi/answers"
	"holdfast/internal/problem"
)

func TestAnswer_SaysWhatBecameOfTheRequest(t *testing.T) {
	t.Parallel()
	id, tenant := uuid.New(), uuid.New()
	declined := problem.DocumentOf(problem.New(problem.PaymentDeclined, ""))
	for name, test := range map[string]struct {
		outcome store.Outcome
		want    store.Answer
	}{
		"made": {
			store.Outcome{Kind: "booking", ID: id, Version: 1, Made: true},
			store.Answer{Status: http.StatusCreated, Location: "/v1/bookings/" + id.String(), ETag: `"1"`},
		},
		"changed": {
			store.Outcome{Kind: "booking", ID: id, Version: 3}, store.Answer{Status: http.StatusOK, ETag: `"3"`},
		},
		"without a version": {store.Outcome{Kind: "payment", ID: id}, store.Answer{Status: http.StatusOK}},
		"made, and goes on": {
			store.Outcome{Kind: "payment", ID: id, Made: true, Open: true},
			store.Answer{Status: http.StatusAccepted, Location: "/v1/payments/" + id.String()},
		},
		"goes on": {store.Outcome{Kind: "payment", ID: id, Open: true}, store.Answer{Status: http.StatusAccepted}},
		"made, and refused": {
			store.Outcome{Kind: "payment", ID: id, Made: true, Refusal: declined},
			store.Answer{Status: http.StatusPaymentRequired, Location: "/v1/payments/" + id.String()},
		},
		"refused": {store.Outcome{Refusal: declined}, store.Answer{Status: http.StatusPaymentRequired}},
		"made by the operator in a tenant": {
			store.Outcome{Kind: "operator_api_key", ID: id, Tenant: tenant, Made: true},
			store.Answer{
				Status: http.StatusCreated, Location: "/admin/v1/tenants/" + tenant.String() + "/api-keys/" +
					id.String(),
			},
		},
		"made, without a path of its own": {
			store.Outcome{Kind: "wallet_entry", ID: id, Version: 2, Made: true},
			store.Answer{Status: http.StatusCreated, ETag: `"2"`},
		},
	} {
		require.Equal(t, test.want, answers.Answers{}.Answer(test.outcome), name)
	}
}

package answers_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/httpapi/answers"
	"holdfast/internal/problem"
)

func TestAnswer_SaysWhatBecameOfTheRequest(t *testing.T) {
	t.Parallel()
	id, tenant := uuid.New(), uuid.New()
	declined := problem.DocumentOf(problem.New(problem.PaymentDeclined, ""))
	for name, test := range map[string]struct {
		outcome db.Outcome
		want    db.Answer
	}{
		"made": {
			db.Outcome{Kind: "booking", ID: id, Version: 1, Made: true},
			db.Answer{Status: http.StatusCreated, Location: "/v1/bookings/" + id.String(), ETag: `"1"`},
		},
		"changed": {
			db.Outcome{Kind: "booking", ID: id, Version: 3}, db.Answer{Status: http.StatusOK, ETag: `"3"`},
		},
		"without a version": {db.Outcome{Kind: "payment", ID: id}, db.Answer{Status: http.StatusOK}},
		"made, and goes on": {
			db.Outcome{Kind: "payment", ID: id, Made: true, Open: true},
			db.Answer{Status: http.StatusAccepted, Location: "/v1/payments/" + id.String()},
		},
		"goes on": {db.Outcome{Kind: "payment", ID: id, Open: true}, db.Answer{Status: http.StatusAccepted}},
		"made, and refused": {
			db.Outcome{Kind: "payment", ID: id, Made: true, Refusal: declined},
			db.Answer{Status: http.StatusPaymentRequired, Location: "/v1/payments/" + id.String()},
		},
		"refused": {db.Outcome{Refusal: declined}, db.Answer{Status: http.StatusPaymentRequired}},
		"made by the operator in a tenant": {
			db.Outcome{Kind: "operator_api_key", ID: id, Tenant: tenant, Made: true},
			db.Answer{
				Status: http.StatusCreated, Location: "/admin/v1/tenants/" + tenant.String() + "/api-keys/" +
					id.String(),
			},
		},
		"made, without a path of its own": {
			db.Outcome{Kind: "wallet_entry", ID: id, Version: 2, Made: true},
			db.Answer{Status: http.StatusCreated, ETag: `"2"`},
		},
	} {
		require.Equal(t, test.want, answers.Answers{}.Answer(test.outcome), name)
	}
}

package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// send sends the request.
func (s sample) send(t testingT, headers ...string) answer {
	t.Helper()
	if s.body == nil {
		return s.client.send(t, s.method, s.path, nil, headers...)
	}
	return s.client.send(t, s.method, s.path, s.body, headers...)
}

// shownAt is the path at which the thing is read that a path changes.
func shownAt(path string) string {
	parts, length := strings.Split(path, "/"), 4
	if strings.HasPrefix(path, "/admin/") {
		length = 5
	}
	return strings.Join(parts[:min(len(parts), length)], "/")
}

func TestIfMatch_StaleVersion_IsRefusedWithTheCurrentRepresentation(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	before, samples := f.tables(t), f.samples(t)
	checked := 0
	for _, op := range f.operations(t) {
		if !slices.Contains(op.headers, "If-Match") {
			continue
		}
		checked++
		s := samples[op.id]
		a := s.send(t, "If-Match", `"4711"`)
		requireProblem(t, a, http.StatusPreconditionFailed, problem.VersionMismatch)
		path := shownAt(s.path)
		switch op.id {
		case "create-refund", "complete-refund": // the version is that of the payment's booking
			path = "/v1/bookings/" + f.get(t, path).text(t, "booking_id")
		case "set-logo", "remove-logo": // the version is that of the settings
			path = "/v1/tenant"
		case "change-tenant-payment-account": // the tenant has a version of its own
			path = s.path
		case "transfer": // and here that of the wallet that gives
			path = walletPath(f.card)
		}
		shown := s.client.get(t, path).ok(t)
		var want object
		shown.read(t, &want)
		require.Equal(t, want, a.field(t, "current"), op.id)
		require.Equal(t, shown.header.Get("ETag"), a.header.Get("ETag"), op.id)
	}
	require.Greater(t, checked, 12)
	require.Equal(t, before, f.tables(t))
}

func TestIfMatch_BookingWithItsCurrentVersion_Succeeds(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	path := "/v1/bookings/" + f.hold.String() + "/confirm"
	refused := f.post(t, path, nil, "If-Match", `"0"`)
	requireProblem(t, refused, http.StatusPreconditionFailed, problem.VersionMismatch)
	require.Equal(t, f.hold.String(), refused.field(t, "current").(object)["id"])
	f.post(t, path, nil, "If-Match", refused.header.Get("ETag")).ok(t)
}

// withWholeAnswers are the operations that ignore Prefer: return=minimal: they show a secret once, or are asked for
// what they answer.
var withWholeAnswers = []string{
	"create-api-key", "create-operator-webhook-endpoint", "create-own-api-key", "create-tenant", "create-wallet",
	"create-webhook-endpoint",
	"create-onboarding-link", "look-up-wallet", "preview-email", "quote-booking", "replay-operator-webhook-events",
	"replay-webhook-events",
	"rotate-operator-webhook-secret", "rotate-own-api-key", "rotate-wallet-code", "rotate-webhook-secret",
}

func TestPrefer_ReturnMinimal_LeavesOutTheBodyOfEveryChange(t *testing.T) {
	t.Parallel()
	s, emptied := newServer(t), 0
	for _, op := range s.operations(t) {
		if op.method == http.MethodGet || op.method == http.MethodDelete {
			continue
		}
		t.Run(op.id, func(t *testing.T) {
			f := newFixture(t, s.newTenant(t, "Europe/Berlin"))
			request := f.samples(t)[op.id]
			if op.id == "create-onboarding-link" {
				require.Equal(t, http.StatusCreated, f.seller.post(t, "/v1/payment-account", object{}).status)
			}
			key := uuid.NewString()
			send := func(prefer string) answer { return request.send(t, "Prefer", prefer, "Idempotency-Key", key) }
			first := send("return=minimal")
			if slices.Contains(withWholeAnswers, op.id) {
				require.Less(t, first.status, http.StatusNoContent, first.body)
				require.NotEmpty(t, first.body)
				require.Empty(t, first.header.Get("Preference-Applied"))
				return
			}
			if first.status >= http.StatusBadRequest {
				require.NotEmpty(t, first.body, "a refusal is whole")
				return
			}
			emptied++
			whole := send("")
			require.NotEmpty(t, whole.body, "the stored response is whole")
			for _, a := range []answer{first, send(`handling=lenient, return="minimal"`)} {
				require.Contains(t, []int{http.StatusCreated, http.StatusNoContent}, a.status, a.body)
				require.Contains(t, op.statuses, a.status)
				require.Empty(t, a.body)
				require.Empty(t, a.header.Get("Content-Type"))
				require.Equal(t, "return=minimal", a.header.Get("Preference-Applied"))
				require.Equal(t, whole.header.Get("Location"), a.header.Get("Location"))
				if request.method == http.MethodPost {
					require.Equal(t, whole.header.Get("ETag"), a.header.Get("ETag"))
				}
			}
			require.Equal(t, whole.status == http.StatusCreated, first.status == http.StatusCreated)
		})
	}
	require.Greater(t, emptied, 20)
}

func TestPrefer_ReturnMinimal_LeavesRefusalsAndOpenPaymentsWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	minimal := []string{"Prefer", "return=minimal"}
	requireProblem(t, f.post(t, "/v1/bookings/"+f.booking.String()+"/confirm", nil, minimal...), conflict,
		problem.InvalidState)
	open := f.post(t, "/v1/bookings/"+f.booking.String()+"/payments",
		object{"kind": "balance", "payment_method": "pm_requires_action"},
		minimal...)
	require.Equal(t, http.StatusAccepted, open.status)
	require.NotEmpty(t, open.text(t, "action_url"))
	require.NotEmpty(t, f.get(t, "/v1/bookings/"+f.booking.String(), minimal...).ok(t).body)

	first := f.post(t, "/v1/bookings/"+f.hold.String()+"/confirm", nil, "Prefer",
		"return=representation, return=minimal").ok(t)
	require.NotEmpty(t, first.body, "the first preference of a name counts")
	both := f.post(t, "/v1/bookings/"+f.hold.String()+"/cancel", nil, "Prefer", "wait=10", "Prefer", "return=minimal")
	require.Equal(t, http.StatusNoContent, both.status)
	require.Equal(t, []string{"wait=10", "return=minimal"}, both.header.Values("Preference-Applied"))
}

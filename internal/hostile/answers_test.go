package hostile_test

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// background is the context of what the tests ask the database.
var background = context.Background()

// step sends a drawn request, and what has to be true of its repetition, of another tenant's ids and of refusals.
func (s *sequence) step(op operation) {
	r := s.request(op)
	before, watched := "", s.oneIn(20) && op.id != "export-tenant" // which notes that it was made
	if watched {
		before = s.tables()
	}
	a := s.exchange(r)
	if watched && (r.op.method == http.MethodGet && !r.mayMissOperation || writesNothing(r, a)) {
		require.Equal(s, before, s.tables(), "%d %s wrote something", a.status, a.body)
	}
	made := a.status == http.StatusCreated || a.status == http.StatusOK
	if made && !r.mayMissOperation {
		s.count.succeeded(op)
	}
	if made && !r.mayMissOperation && op.id == "suspend-tenant" {
		s.resume(r)
	}
	switch {
	case made && op.takesKey() && !r.mayMissOperation && !strings.HasPrefix(op.path, "/admin/") && s.oneIn(3):
		s.repeat(r, a)
	case strings.Contains(op.path, "{id}") && strings.HasPrefix(op.path, "/v1/") && !r.mayMissOperation && s.oneIn(10):
		s.requireHidden(r)
	}
}

// resume lets the tenant that a request suspended go on: it may be the one that the sequence is about.
func (s *sequence) resume(suspended drawn) {
	r := drawn{op: s.named("resume-tenant"), request: request{
		method: http.MethodPost, target: strings.Replace(suspended.target, "/suspend", "/resume", 1),
	}}
	r.set("Authorization", "Bearer "+adminKey)
	r.set("Idempotency-Key", s.uuid().String())
	require.Equal(s, http.StatusOK, s.exchange(r).status)
}

// final are the codes of refusals that are stored for their key: of the problem, or of one of its fields.
var final = []string{"payment_declined", "overpayment", "refund_exceeds_payment", "insufficient_funds"}

// ofMethods are the codes of payment methods that can't be used. They leave nothing behind, but the entries of a wallet
// that was to pay a part.
var ofMethods = []string{"unknown_payment_method", "unusable_payment_method"}

// ofWallets are the codes of refusals that depend on a wallet as it is, which are stored for their key too.
var ofWallets = []string{"invalid_state", "too_large"}

// writesNothing reports whether an answer is a refusal that promises that nothing was written.
func writesNothing(r drawn, a answer) bool {
	final := final
	if strings.HasPrefix(r.op.path, "/v1/wallets/") || r.op.path == "/v1/transfers" {
		final = slices.Concat(final, ofWallets)
	}
	if strings.Contains(r.body, "wallet_id") {
		final = slices.Concat(final, ofMethods)
	}
	if a.status < http.StatusBadRequest || slices.Contains(final, a.text("code")) {
		return false
	}
	fields, _ := a.object["errors"].([]any)
	return !slices.ContainsFunc(fields, func(field any) bool {
		described, _ := field.(object)
		code, _ := described["code"].(string)
		return slices.Contains(final, code)
	})
}

// exchange sends a request and requires all that is true of every answer.
func (s *sequence) exchange(r drawn) answer {
	if s.history = append(s.history, r.request); len(s.history) > shownRequests {
		s.history = s.history[1:]
	}
	a := s.line.send(s, r.request)
	s.count.add(r, a)
	require.Less(s, a.status, http.StatusInternalServerError, a.body)
	require.NotEmpty(s, a.header.Get("Request-Id"))
	if r.wrong != "" {
		require.GreaterOrEqual(s, a.status, http.StatusBadRequest, "%s was accepted: %s", r.wrong, a.body)
	}
	if a.status >= http.StatusBadRequest {
		s.requireProblem(s, r.request, a)
	}
	if !r.mayMissOperation {
		s.requireDescribed(s, r.op, r.request, a)
		s.remember(r, a)
	}
	return a
}

// shownOnce is the code of a wallet, an API key, or the secret of a webhook endpoint.
var shownOnce = regexp.MustCompile(`,"(code":"[0-9A-Z-]{24}|api_key":"hf_[0-9A-Za-z_-]+|secret":"whsec_[0-9A-Za-z+/=]+)"`)

// repeat sends a request again, also with a blank more, which has to get the same answer, and then another one with its
// key, which is refused.
func (s *sequence) repeat(r drawn, a answer) {
	body := a.body
	if a.status < http.StatusMultipleChoices {
		body = shownOnce.ReplaceAllString(body, "")
	}
	requireSame := func(again answer) {
		require.Equal(s, "true", again.header.Get("Idempotent-Replayed"), "%d %s", again.status, again.body)
		require.Equal(s, []any{a.status, body, a.header.Get("Location"), a.header.Get("ETag")},
			[]any{again.status, again.body, again.header.Get("Location"), again.header.Get("ETag")},
			"the stored answer")
	}
	requireSame(s.exchange(r))
	if r.body != "" && len(r.body) < 64<<10 {
		r.body += " "
		requireSame(s.exchange(r))
	}
	r.drop("If-Match")                             // which this operation may not have had, and the next one reads
	if strings.HasPrefix(r.op.path, "/v1/holds") { // the keys of websites are others than those of applications
		r.op, r.target = s.named("create-hold"), "/v1/holds"
		r.body = encoded(object{"service_id": s.uuid().String(), "date": s.date.String()})
		r.set("Content-Type", "application/json")
	} else {
		r.op, r.target, r.body = s.named("complete-booking"), "/v1/bookings/"+s.uuid().String()+"/complete", ""
	}
	other := s.exchange(r)
	require.Equal(s, "idempotency_key_reused", other.text("code"), other.body)
}

// requireHidden requires that another tenant's ids read like ids that don't exist.
func (s *sequence) requireHidden(r drawn) {
	words := strings.Split(r.op.path, "/")
	i := slices.Index(words, "{id}")
	theirs := slices.DeleteFunc(slices.Clone(s.foreign[words[i-1]]), func(id string) bool {
		return slices.Contains(s.known[words[i-1]], id) // a client may choose the id that another tenant's booking has
	})
	if len(theirs) == 0 {
		return
	}
	path, query, asked := strings.Cut(r.target, "?")
	with := func(id string) answer {
		words := strings.Split(path, "/")
		if len(words) <= i {
			return answer{}
		}
		words[i] = id
		r.target = strings.Join(words, "/")
		if asked {
			r.target += "?" + query
		}
		return s.exchange(r)
	}
	absent, hidden := with(s.uuid().String()), with(pick(s.draw, theirs))
	require.Equal(s, []any{absent.status, absent.body}, []any{hidden.status, hidden.body},
		"another tenant's id can be told from one that doesn't exist")
	require.GreaterOrEqual(s, absent.status, http.StatusBadRequest, absent.body)
}

// tables returns a digest of all that the database holds of the tenant.
func (s *sequence) tables() string {
	rows, err := s.sql.Query(background, `SELECT table_name FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name`)
	require.NoError(s, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(s, err)
	var parts []string
	for _, name := range names {
		parts = append(parts, "(SELECT '"+name+
			" ' || count(*) || ' ' || coalesce(md5(string_agg(x::text, '|' ORDER BY x::text)), '') FROM "+
			pgx.Identifier{name}.Sanitize()+" x WHERE tenant_id = $1)")
	}
	var digest string
	require.NoError(s, s.sql.QueryRow(background, "SELECT concat_ws(E'\\n', "+strings.Join(parts, ",")+")",
		s.tenant).Scan(&digest))
	return digest
}

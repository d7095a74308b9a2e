package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/web"
)

// visit returns the visit of a form that was sent to a target, and what answers it.
func visit(target string, p web.Policy, form url.Values) (*web.Visit, *httptest.ResponseRecorder) {
	answer := httptest.NewRecorder()
	g, _ := gin.CreateTestContext(answer)
	g.Request = httptest.NewRequest(http.MethodPost, target, strings.NewReader(form.Encode()))
	v := web.NewVisit(g, p)
	v.Form = form
	return &v, answer
}

func TestOnce_RefusalThatIsTheResponse_IsAnError(t *testing.T) {
	t.Parallel()
	v, _ := visit("/console/harbour/payments", web.Policy{}, url.Values{web.FieldKey: {web.NewKey()}})
	refusal := problem.DocumentOf(problem.New(problem.PaymentDeclined, "The payment was declined."))
	_, err := v.Once(idempotency.NewGuard(nil), uuid.New(), func(idempotency.Request) (idempotency.Outcome, error) {
		return idempotency.Outcome{Refusal: refusal, Body: refusal.JSON()}, nil
	})
	require.ErrorIs(t, err, refusal)
}

func TestOnce_FormWithoutKey_IsRefused(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", strings.Repeat("k", 65)} {
		v, _ := visit("/console/harbour/payments", web.Policy{}, url.Values{web.FieldKey: {key}})
		_, err := v.Once(idempotency.NewGuard(nil), uuid.New(), nil)
		require.True(t, problem.Is(err, problem.MalformedRequest), key)
	}
}

func TestPage_OneRowMoreThanItHas_LeadsToTheNext(t *testing.T) {
	t.Parallel()
	v, _ := visit("/console/harbour/users?q=ada&done=invited&undo=%2F&refused=1&after=a", web.Policy{}, nil)
	key := func(row string) string { return row }
	rows, next := web.Page(v, []string{"b", "c", "d"}, 2, key)
	require.Equal(t, []string{"b", "c"}, rows)
	require.Equal(t, "/console/harbour/users?after=c&q=ada", next)
	rows, next = web.Page(v, []string{"b", "c"}, 2, key)
	require.Equal(t, []string{"b", "c"}, rows)
	require.Empty(t, next)
}

func TestCheckToken_FormOfAnotherSignIn_IsForbidden(t *testing.T) {
	t.Parallel()
	v, _ := visit("/operator/sign-out", web.Policy{}, url.Values{web.FieldToken: {web.FormToken("secret")}})
	require.NoError(t, v.CheckToken("secret"))
	require.True(t, problem.Is(v.CheckToken("another"), problem.Forbidden))
}

func TestSetCookie_ByHTTPSInAFrame_IsKeptForThatSiteAlone(t *testing.T) {
	t.Parallel()
	for policy, want := range map[[2]bool]string{
		{false, false}: "a=b; Path=/book; Max-Age=0; HttpOnly; SameSite=Strict",
		{true, false}:  "a=b; Path=/book; Max-Age=0; HttpOnly; Secure; SameSite=Strict",
		{false, true}:  "a=b; Path=/book; Max-Age=0; HttpOnly; SameSite=Lax",
		{true, true}:   "a=b; Path=/book; Max-Age=0; HttpOnly; Secure; SameSite=None; Partitioned",
	} {
		v, answer := visit("/", web.Policy{Secure: policy[0], Embedded: policy[1]}, nil)
		v.SetCookie("a", "b", "/book", -1, http.SameSiteStrictMode)
		require.Equal(t, want, answer.Header().Get("Set-Cookie"))
	}
}

func TestHandle_TextInThePlaceOfAnID_IsNotFound(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	for text, found := range map[string]bool{
		id.String(): true, strings.ToUpper(id.String()): false, "{" + id.String() + "}": false, "": false, "1": false,
	} {
		v, _ := visit("/operator/tenants/it", web.Policy{}, nil)
		v.C.Params = gin.Params{{Key: "id", Value: text}, {Key: "slug", Value: "harbour"}}
		var failed error
		web.Handle(v, func(v *web.Visit) error {
			require.Equal(t, id, v.ID("id"))
			return nil
		}, nil, func(_ *web.Visit, err error) { failed = err })
		require.Equal(t, found, failed == nil, text)
		require.True(t, found || problem.Is(failed, problem.NotFound), text)
	}
}

package holdfast

import (
	"errors"
	"net/http"
	"testing"
)

// noted keeps the headers of what it is sent, and answers nothing.
type noted struct{ header http.Header }

func (n *noted) Do(r *http.Request) (*http.Response, error) {
	n.header = r.Header
	return nil, errors.New("no answer")
}

func TestActingFor_EachRequest_NamesTheTenantAndWhoActs(t *testing.T) {
	t.Parallel()
	sent := new(noted)
	c, err := New("http://holdfast.test", "admin", Retry{Attempts: 1}, WithHTTPClient(sent), ActingFor("harbour", "Ada, support"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = c.GetTenant(t.Context(), nil)
	for name, want := range map[string]string{
		"Holdfast-Tenant": "harbour", "Holdfast-Actor": "Ada, support", "Authorization": "Bearer admin",
	} {
		if got := sent.header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

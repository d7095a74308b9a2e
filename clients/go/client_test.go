package holdfast

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNew_EachRequest_HasTheKeyAndAUserAgent(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 200, body: "{}"})
	_, err := client.GetTenant(t.Context())
	require.NoError(t, err)
	require.Equal(t, "Bearer hf_x", s.sent[0].header.Get("Authorization"))
	require.Equal(t, "holdfast-go", s.sent[0].header.Get("User-Agent"))
	require.NotContains(t, s.sent[0].header, "Holdfast-Tenant")
}

func TestNew_ServerWithAPath_KeepsIt(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"https://holdfast.test/booking", "https://holdfast.test/booking/"} {
		s := &script{answers: []answer{{status: 200, body: "{}"}}}
		client, err := New(server, "hf_x", WithHTTPClient(s))
		require.NoError(t, err)
		_, err = client.GetTenant(t.Context())
		require.NoError(t, err)
		require.Equal(t, "/booking/v1/tenant", s.sent[0].target)
	}
}

func TestNew_ServerThatIsNoURL_IsRefused(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"", "holdfast.test", "holdfast.test:8080", "http://%"} {
		_, err := New(server, "hf_x")
		require.Error(t, err, server)
	}
}

func TestActingFor_EachRequest_NamesTheTenantAndWhoActs(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{status: 200, body: "{}"}, {status: 200, body: "{}"}}}
	client := s.client(t, ActingFor("harbour", "Ada, support"))
	for range 2 {
		_, err := client.GetTenant(t.Context())
		require.NoError(t, err)
	}
	for _, sent := range s.sent {
		require.Equal(t, "harbour", sent.header.Get("Holdfast-Tenant"))
		require.Equal(t, "Ada, support", sent.header.Get("Holdfast-Actor"))
	}
}

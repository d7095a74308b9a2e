package idempotency

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func FuzzNewRequest(f *testing.F) {
	for _, key := range []string{"", "k", " ", "6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11", "\x7f", "é", "a\x00"} {
		f.Add(key, "/v1/bookings", []byte(`{"a":1}`), []byte(`{"a":2}`))
	}
	f.Fuzz(func(t *testing.T, key, path string, body, other []byte) {
		r, err := NewRequest([]string{key}, "POST", path, body)
		if err != nil {
			require.True(t, problem.Is(err, problem.IdempotencyKeyMissing) || problem.Is(err, problem.IdempotencyKeyInvalid), err)
			return
		}
		require.Equal(t, key, r.Key())
		require.NotEmpty(t, key)
		require.LessOrEqual(t, len(key), MaxKeyBytes)
		require.Regexp(t, `^[ -~]+$`, key)
		again, err := NewRequest([]string{key}, "POST", path, body)
		require.NoError(t, err)
		require.Equal(t, r, again)
		changed, err := NewRequest([]string{key}, "POST", path, other)
		require.NoError(t, err)
		require.Equal(t, bytes.Equal(body, other), r.fingerprint == changed.fingerprint)
		_, err = NewRequest([]string{key, key}, "POST", path, body)
		require.True(t, problem.Is(err, problem.IdempotencyKeyInvalid), err)
	})
}

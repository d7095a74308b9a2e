package email_test

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/email"
)

func unsubscriber(t require.TestingT, fill byte) *email.Unsubscriber {
	u, err := email.NewUnsubscriber(bytes.Repeat([]byte{fill}, 32))
	require.NoError(t, err)
	return u
}

func subscription() email.Subscription {
	return email.Subscription{TenantID: uuid.New(), CustomerID: uuid.New()}
}

func TestUnsubscriber_ItsOwnToken_NamesTheSubscription(t *testing.T) {
	t.Parallel()
	u, s := unsubscriber(t, 1), subscription()
	token := u.Token(s)
	require.Equal(t, token, url.PathEscape(token))
	parsed, err := unsubscriber(t, 1).Parse(token)
	require.NoError(t, err)
	require.Equal(t, s, parsed)
}

func TestUnsubscriber_AnyChangeOfAToken_IsRefused(t *testing.T) {
	t.Parallel()
	u := unsubscriber(t, 1)
	token := u.Token(subscription())
	raw, err := base64.RawURLEncoding.DecodeString(token)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		changed := bytes.Clone(raw)
		switch rapid.IntRange(0, 2).Draw(t, "change") {
		case 0:
			changed[rapid.IntRange(0, len(raw)-1).Draw(t, "at")] ^= rapid.ByteRange(1, 255).Draw(t, "by")
		case 1:
			changed = changed[:rapid.IntRange(0, len(raw)-1).Draw(t, "length")]
		default:
			changed = append(changed, rapid.SliceOfN(rapid.Byte(), 1, 8).Draw(t, "more")...)
		}
		_, err := u.Parse(base64.RawURLEncoding.EncodeToString(changed))
		require.ErrorIs(t, err, email.ErrToken)
	})
	for _, other := range []string{"", "x", "%", token + "=", token + "\n", " " + token} {
		_, err := u.Parse(other)
		require.ErrorIs(t, err, email.ErrToken, "%q", other)
	}
}

func TestUnsubscriber_OtherKey_RefusesTheToken(t *testing.T) {
	t.Parallel()
	_, err := unsubscriber(t, 2).Parse(unsubscriber(t, 1).Token(subscription()))
	require.ErrorIs(t, err, email.ErrToken)
}

func TestNewUnsubscriber_ShortKey_IsRefused(t *testing.T) {
	t.Parallel()
	for _, length := range []int{0, 31} {
		_, err := email.NewUnsubscriber(make([]byte, length))
		require.Error(t, err)
	}
}

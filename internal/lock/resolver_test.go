package lock_test

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/lock"
)

// Two ids whose texts have the same hash, found by trying: every name of one collides with the same name of the other.
var (
	twin  = id("01890a5dac96774be36d74a0ac1a1f10")
	twin2 = id("01890a5dac96774b86db708288d9211f")
)

func id(text string) (id [16]byte) {
	if _, err := hex.Decode(id[:], []byte(text)); err != nil {
		panic(err)
	}
	return id
}

func TestParseName_OfEveryName_IsWhatItsConstructorWasAskedFor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tenant, other := genID().Draw(t, "tenant"), genID().Draw(t, "other")
		for pattern, key := range map[string]lock.Key{
			"{tenant}:balance:{booking}": lock.Balance(tenant, other).Keys()[0],
			"{tenant}:{date}":            dateKey(t, tenant, genDate().Draw(t, "date")),
			"{tenant}:wallet:{wallet}":   walletKey(t, tenant, other),
		} {
			m, ok := lock.ParseName(key.Name())
			require.True(t, ok, key.Name())
			require.Equal(t, lock.Name{Key: key, Pattern: pattern, Tenant: tenant}, m)
		}
	})
}

func TestParseName_OfAFixedNumbersLabel_IsTheNumber(t *testing.T) {
	t.Parallel()
	for label, g := range map[string]lock.Global{"goose": lock.Goose, "idempotency cleanup": lock.IdempotencyCleanup} {
		m, ok := lock.ParseName(label)
		require.True(t, ok)
		require.Equal(t, g.ID(), m.ID())
		require.Equal(t, label, m.Name())
		require.Equal(t, label, m.Pattern)
		require.True(t, m.Session)
		require.Zero(t, m.Tenant)
	}
}

func TestParseName_OfWhatNoConstructorSpells_IsNone(t *testing.T) {
	t.Parallel()
	const tenant = "01890a5d-ac96-774b-bcce-b302099a8057"
	for _, text := range []string{
		"", "goose ", "{tenant}:{date}", tenant, tenant + ":", tenant + ":2026-7-14", tenant + ":2026-02-30",
		tenant + ":0000-01-01", tenant + ":10000-01-01", tenant + ":2026-07-14:", tenant + ":2026-07-14\n",
		strings.ToUpper(tenant) + ":2026-07-14", strings.ReplaceAll(tenant, "-", "") + ":2026-07-14",
		tenant + ":cashbox:" + tenant, tenant + ":balance:" + tenant[1:], tenant + ":wallet:", "tenant:2026-07-14",
	} {
		_, ok := lock.ParseName(text)
		require.False(t, ok, "%q", text)
	}
}

func TestResolver_FindsDatesBookingsAndFixedNumbers(t *testing.T) {
	t.Parallel()
	tenants := [][16]byte{{1}, tenantID, {2}}
	first, last := date(2024, time.February, 28), date(2027, time.January, 1)
	keys := map[int64]string{}
	want := func(k lock.Key) { keys[k.ID()] = k.Name() }
	for day := time.Date(2024, time.February, 28, 0, 0, 0, 0, time.UTC); day.Year() < 2027; day = day.AddDate(0, 0, 1) {
		want(dateKey(t, tenantID, dateOf(day)))
	}
	want(dateKey(t, tenants[0], last))
	want(lock.Balance(tenantID, bookingID).Keys()[0])
	keys[lock.Goose.ID()] = "goose"
	outside := dateKey(t, tenantID, date(2027, time.January, 2)).ID()
	ofAnotherTenant := dateKey(t, [16]byte{3}, last).ID()

	var s lock.Resolver
	s.TryDates(tenants, first, last) // nothing is asked for yet
	for id := range keys {
		s.Want(id)
	}
	s.Want(outside, ofAnotherTenant, outside)
	require.Len(t, s.Unresolved(), len(keys)+2-1, "a fixed number is known at once")
	s.TryDates(tenants, first, last)
	s.TryBooking(tenantID, bookingID)
	s.TryBooking(tenantID, walletID)
	for id, name := range keys {
		require.Len(t, s.Names(id), 1, name)
		require.Equal(t, name, s.Names(id)[0].Name())
		require.Equal(t, id, s.Names(id)[0].ID())
	}
	require.ElementsMatch(t, []int64{outside, ofAnotherTenant}, s.Unresolved())
	require.Empty(t, s.Names(outside))
	require.Empty(t, s.Names(12345), "never asked for")
}

func TestResolver_Collision_FindsBothNames(t *testing.T) {
	t.Parallel()
	d := date(2026, time.July, 14)
	key := dateKey(t, twin, d)
	require.Equal(t, key.ID(), dateKey(t, twin2, d).ID())
	require.NotEqual(t, key.Name(), dateKey(t, twin2, d).Name())
	var s lock.Resolver
	s.Want(key.ID())
	s.TryDates([][16]byte{tenantID, twin, twin2}, d, d)
	var names []string
	for _, m := range s.Names(key.ID()) {
		names = append(names, m.Name())
	}
	require.ElementsMatch(t, []string{key.Name(), dateKey(t, twin2, d).Name()}, names)
}

func TestResolver_TenThousandTenants_IsFast(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	tenants := make([][16]byte, 10_000)
	for i := range tenants {
		binary.BigEndian.PutUint64(tenants[i][:8], random.Uint64())
		binary.BigEndian.PutUint64(tenants[i][8:], random.Uint64())
	}
	var s lock.Resolver
	for range 50 {
		s.Want(int64(random.Uint64()))
	}
	known := dateKey(t, tenants[7000], date(2030, time.June, 1)).ID()
	s.Want(known)
	tried := make(chan struct{})
	go func() {
		defer close(tried)
		s.TryDates(tenants, date(2026, time.January, 1), date(2030, time.June, 1))
	}()
	select {
	case <-tried:
	case <-time.After(30 * time.Second): // a hundred times what it takes
		require.Fail(t, "fifty keys against 16 million names are hashed one by one")
	}
	require.Len(t, s.Names(known), 1)
	require.Len(t, s.Unresolved(), 50)
}

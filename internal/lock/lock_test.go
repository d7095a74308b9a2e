package lock_test

import (
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	goose "github.com/pressly/goose/v3/lock"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/lock"
)

var (
	tenantID  = [16]byte{0x01, 0x89, 0x0a, 0x5d, 0xac, 0x96, 0x77, 0x4b, 0xbc, 0xce, 0xb3, 0x02, 0x09, 0x9a, 0x80, 0x57}
	bookingID = [16]byte{0x01, 0x89, 0x0a, 0x5e, 0x8f, 0x3c, 0x7c, 0x21, 0x9d, 0x4e, 0x5a, 0x6b, 0x7c, 0x8d, 0x9e, 0x0f}
	walletID  = [16]byte{0x01, 0x89, 0x0a, 0x5f, 0x1b, 0x2c, 0x7d, 0x3e, 0x8f, 0x40, 0x51, 0x62, 0x73, 0x84, 0x9a, 0x5b}
)

func TestNames_AreSpeltAsTheRegistrySpellsThem(t *testing.T) {
	t.Parallel()
	const tenant = "01890a5d-ac96-774b-bcce-b302099a8057"
	balance := lock.Balance(tenantID, bookingID).Keys()[0]
	cases := []struct {
		key  lock.Key
		name string
		id   int64
	}{
		{dateKey(t, tenantID, date(2026, time.July, 14)), tenant + ":2026-07-14", 4634033524858642013},
		{dateKey(t, tenantID, date(1, time.January, 1)), tenant + ":0001-01-01", -1139057457203980560},
		{dateKey(t, tenantID, date(9999, time.December, 31)), tenant + ":9999-12-31", -6644449397439920416},
		{dateKey(t, [16]byte{}, date(2024, time.February, 29)), "00000000-0000-0000-0000-000000000000:2024-02-29",
			3548840293990775184},
		{balance, tenant + ":balance:01890a5e-8f3c-7c21-9d4e-5a6b7c8d9e0f", -1989238445525443775},
		{walletKey(t, tenantID, walletID), tenant + ":wallet:01890a5f-1b2c-7d3e-8f40-516273849a5b",
			-5112119921679309080},
	}
	for _, c := range cases {
		require.Equal(t, c.name, c.key.Name())
		require.Equal(t, c.id, c.key.ID(), c.name)
	}
}

func TestGlobals_KeepTheirNumbers(t *testing.T) {
	t.Parallel()
	require.Equal(t, int64(42424242), lock.IdempotencyCleanup.ID())
	require.Equal(t, goose.DefaultLockID, lock.Goose.ID(), "goose changed the lock of its session locker")
}

func TestConstructors_RememberWhatTheyLock(t *testing.T) {
	t.Parallel()
	days, err := lock.Dates(tenantID, date(2026, time.July, 14))
	require.NoError(t, err)
	require.Equal(t, tenantID, days.Tenant())
	wallets, err := lock.Wallets(tenantID, walletID)
	require.NoError(t, err)
	require.Equal(t, tenantID, wallets.Tenant())
	balance := lock.Balance(tenantID, bookingID)
	require.Equal(t, tenantID, balance.Tenant())
	require.Equal(t, bookingID, balance.Booking())
}

func TestZeroValues_LockNothing(t *testing.T) {
	t.Parallel()
	var days lock.DateKeys
	require.Empty(t, days.Keys())
	require.Zero(t, days.Tenant())
	require.False(t, days.Covers(lock.Date{}))
	var wallets lock.WalletKeys
	require.Empty(t, wallets.Keys())
	require.Zero(t, wallets.Tenant())
	var balance lock.BalanceKey
	require.Empty(t, balance.Keys())
	require.Zero(t, balance.Tenant())
	require.Zero(t, balance.Booking())
}

func TestDates_NoDates_IsRefused(t *testing.T) {
	t.Parallel()
	keys, err := lock.Dates(tenantID)
	require.ErrorIs(t, err, lock.ErrNoKeys)
	require.Zero(t, keys)
}

func TestDates_DateInNoCalendarOrBeyondTheYear9999_IsRefused(t *testing.T) {
	t.Parallel()
	good := date(2026, time.July, 14)
	for _, bad := range []lock.Date{
		{},
		date(2026, time.July, 0),
		date(2026, time.July, 32),
		date(2026, time.February, 29),
		date(2026, time.July, 14+365), // July 14 too, of the next year
		date(2026, 0, 14),
		date(2026, 13, 14),
		date(0, time.July, 14),
		date(-1, time.July, 14),
		date(10_000, time.July, 14),
	} {
		keys, err := lock.Dates(tenantID, good, bad)
		require.ErrorIs(t, err, lock.ErrNoSuchDate, "%v", bad)
		require.Zero(t, keys)
	}
}

func TestDates_MoreThanMaxKeysDifferentDates_IsRefused(t *testing.T) {
	t.Parallel()
	dates := someDates(lock.MaxKeys)
	dates = append(dates, dates...)
	keys, err := lock.Dates(tenantID, dates...)
	require.NoError(t, err, "a repeated date is one lock")
	require.Len(t, keys.Keys(), lock.MaxKeys)

	keys, err = lock.Dates(tenantID, someDates(lock.MaxKeys+1)...)
	require.ErrorIs(t, err, lock.ErrTooManyKeys)
	require.Zero(t, keys)
}

func TestUnion_OfSeveralDates_IsTheLocksOfAllOfThem(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dates := someDates(40)
		picks := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 39), 1, 5), 1, 12).Draw(t, "picks")
		var all []lock.Date
		var parts []lock.Set
		for _, pick := range picks {
			var own []lock.Date
			for _, i := range pick {
				own = append(own, dates[i])
			}
			part, err := lock.Dates(tenantID, own...)
			require.NoError(t, err)
			parts, all = append(parts, part.Set), append(all, own...)
		}
		want, err := lock.Dates(tenantID, all...)
		require.NoError(t, err)
		got, err := lock.Union(parts...)
		require.NoError(t, err)
		require.Equal(t, want.Keys(), got.Keys())
		require.Equal(t, tenantID, got.Tenant())
		require.Equal(t, "date", got.Kind())
	})
}

func TestUnion_OfSeveralKinds_IsSortedByKeyAndHasEachLockOnce(t *testing.T) {
	t.Parallel()
	days, err := lock.Dates(tenantID, someDates(5)...)
	require.NoError(t, err)
	wallets, err := lock.Wallets(tenantID, walletID)
	require.NoError(t, err)
	balance := lock.Balance(tenantID, bookingID)
	got, err := lock.Union(balance.Set, days.Set, wallets.Set, days.Set, balance.Set)
	require.NoError(t, err)
	require.Equal(t, "balance+date+wallet", got.Kind())
	require.Len(t, got.Keys(), 7)
	require.True(t, slices.IsSortedFunc(got.Keys(), func(a, b lock.Key) int { return cmp.Compare(a.ID(), b.ID()) }))
	require.Subset(t, got.Keys(), slices.Concat(balance.Keys(), days.Keys(), wallets.Keys()))
}

func TestUnion_SeveralTenantsOrTooManyDatesOrNone_IsRefused(t *testing.T) {
	t.Parallel()
	some, err := lock.Dates(tenantID, someDates(lock.MaxKeys)...)
	require.NoError(t, err)
	other, err := lock.Dates(bookingID, date(2026, time.July, 14))
	require.NoError(t, err)
	one, err := lock.Dates(tenantID, date(1999, time.July, 14))
	require.NoError(t, err)
	for want, keys := range map[error][]lock.Set{
		lock.ErrOtherTenant: {one.Set, other.Set}, lock.ErrTooManyKeys: {some.Set, one.Set},
		lock.ErrNoKeys: {lock.Set{}},
	} {
		got, err := lock.Union(keys...)
		require.ErrorIs(t, err, want)
		require.Zero(t, got)
	}
}

func TestWallets_NoWallets_IsRefused(t *testing.T) {
	t.Parallel()
	keys, err := lock.Wallets(tenantID)
	require.ErrorIs(t, err, lock.ErrNoKeys)
	require.Zero(t, keys)
}

func TestWallets_MoreThanMaxKeysDifferentWallets_IsRefused(t *testing.T) {
	t.Parallel()
	wallets := someWallets(lock.MaxKeys)
	wallets = append(wallets, wallets...)
	keys, err := lock.Wallets(tenantID, wallets...)
	require.NoError(t, err, "a repeated wallet is one lock")
	require.Len(t, keys.Keys(), lock.MaxKeys)

	keys, err = lock.Wallets(tenantID, someWallets(lock.MaxKeys+1)...)
	require.ErrorIs(t, err, lock.ErrTooManyKeys)
	require.Zero(t, keys)
}

func TestKeys_ChangedByTheCaller_LeaveTheOriginalAlone(t *testing.T) {
	t.Parallel()
	dates := someDates(3)
	days, err := lock.Dates(tenantID, dates...)
	require.NoError(t, err)
	want := days.Keys()
	dates[0] = date(1970, time.January, 1)
	clear(days.Keys())
	require.Equal(t, want, days.Keys())

	wallets, err := lock.Wallets(tenantID, someWallets(3)...)
	require.NoError(t, err)
	want = wallets.Keys()
	clear(wallets.Keys())
	require.Equal(t, want, wallets.Keys())
}

func TestDates_AnyOrderAndRepetition_GivesTheSameAscendingKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tenant := genID().Draw(t, "tenant")
		dates := rapid.SliceOfNDistinct(genDate(), 1, lock.MaxKeys, rapid.ID[lock.Date]).Draw(t, "dates")
		keys, err := lock.Dates(tenant, dates...)
		require.NoError(t, err)
		requireAscending(t, keys.Keys())
		require.Len(t, keys.Keys(), len(dates))

		again := jumbled(t, dates)
		same, err := lock.Dates(tenant, again...)
		require.NoError(t, err)
		require.Equal(t, keys.Keys(), same.Keys())
	})
}

func TestDates_Covers_ExactlyTheDatesGiven(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dates := rapid.SliceOfN(genDate(), 1, lock.MaxKeys).Draw(t, "dates")
		other := genDate().Draw(t, "other")
		keys, err := lock.Dates(tenantID, dates...)
		require.NoError(t, err)
		for _, d := range dates {
			require.True(t, keys.Covers(d), "%v", d)
		}
		require.Equal(t, slices.Contains(dates, other), keys.Covers(other))
	})
}

func TestWallets_AnyOrderAndRepetition_GivesTheSameAscendingKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tenant := genID().Draw(t, "tenant")
		wallets := rapid.SliceOfNDistinct(genID(), 1, lock.MaxKeys, rapid.ID[[16]byte]).Draw(t, "wallets")
		keys, err := lock.Wallets(tenant, wallets...)
		require.NoError(t, err)
		requireAscending(t, keys.Keys())
		require.Len(t, keys.Keys(), len(wallets))

		same, err := lock.Wallets(tenant, jumbled(t, wallets)...)
		require.NoError(t, err)
		require.Equal(t, keys.Keys(), same.Keys())
	})
}

// shapes are the names that each constructor can make. None of them matches a name of another, so no two
// constructors make the same name.
var shapes = map[string]*regexp.Regexp{
	"balance": regexp.MustCompile(`^` + uuidShape + `:balance:` + uuidShape + `$`),
	"date":    regexp.MustCompile(`^` + uuidShape + `:[0-9]{4}-[0-9]{2}-[0-9]{2}$`),
	"wallet":  regexp.MustCompile(`^` + uuidShape + `:wallet:` + uuidShape + `$`),
}

const uuidShape = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`

func TestNames_OfTwoConstructors_AreNeverTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tenant, other := genID().Draw(t, "tenant"), genID().Draw(t, "other")
		for made, key := range map[string]lock.Key{
			"balance": lock.Balance(tenant, other).Keys()[0],
			"date":    dateKey(t, tenant, genDate().Draw(t, "date")),
			"wallet":  walletKey(t, tenant, other),
		} {
			for constructor, shape := range shapes {
				require.Equal(t, constructor == made, shape.MatchString(key.Name()),
					"%q, made by %s, against the names of %s", key.Name(), made, constructor)
			}
		}
	})
}

func TestNames_OfDifferentThings_AreDifferent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// Drawn from few bytes, so that equal parts are common.
		id := rapid.Custom(func(t *rapid.T) [16]byte {
			return [16]byte{15: rapid.ByteMax(1).Draw(t, "last byte")}
		})
		t1, t2 := id.Draw(t, "first tenant"), id.Draw(t, "second tenant")
		x1, x2 := id.Draw(t, "first"), id.Draw(t, "second")
		d1, d2 := genDate().Draw(t, "first date"), genDate().Draw(t, "second date")
		require.Equal(t, t1 == t2 && x1 == x2,
			lock.Balance(t1, x1).Keys()[0].Name() == lock.Balance(t2, x2).Keys()[0].Name())
		require.Equal(t, t1 == t2 && x1 == x2, walletKey(t, t1, x1).Name() == walletKey(t, t2, x2).Name())
		require.Equal(t, t1 == t2 && d1 == d2, dateKey(t, t1, d1).Name() == dateKey(t, t2, d2).Name())
	})
}

// Generators are made anew by each test: rapid writes to them, and tests run in parallel.
func genID() *rapid.Generator[[16]byte] {
	return rapid.Custom(func(t *rapid.T) [16]byte {
		var id [16]byte
		binary.BigEndian.PutUint64(id[:8], rapid.Uint64().Draw(t, "high half"))
		binary.BigEndian.PutUint64(id[8:], rapid.Uint64().Draw(t, "low half"))
		return id
	})
}

func genDate() *rapid.Generator[lock.Date] {
	const lastDay = 3_652_058 // 9999-12-31, counted from 0001-01-01
	return rapid.Custom(func(t *rapid.T) lock.Date {
		day := rapid.IntRange(0, lastDay).Draw(t, "day")
		return dateOf(time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day))
	})
}

func date(year int, month time.Month, day int) lock.Date {
	return lock.Date{Year: year, Month: month, Day: day}
}

func dateOf(t time.Time) lock.Date { return date(t.Date()) }

func someDates(n int) []lock.Date {
	dates := make([]lock.Date, n)
	for i := range dates {
		dates[i] = dateOf(time.Date(2026, time.July, 1+i, 0, 0, 0, 0, time.UTC))
	}
	return dates
}

func someWallets(n int) [][16]byte {
	wallets := make([][16]byte, n)
	for i := range wallets {
		wallets[i] = [16]byte{15: byte(i)}
	}
	return wallets
}

// jumbled returns the values in another order, some of them twice.
func jumbled[T any](t *rapid.T, values []T) []T {
	seed := rapid.Uint64().Draw(t, "seed")
	r := rand.New(rand.NewPCG(seed, seed))
	again := slices.Concat(values, values[:r.IntN(len(values))])
	r.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
	return again
}

func dateKey(t require.TestingT, tenant [16]byte, d lock.Date) lock.Key {
	keys, err := lock.Dates(tenant, d)
	require.NoError(t, err)
	return keys.Keys()[0]
}

func walletKey(t require.TestingT, tenant, wallet [16]byte) lock.Key {
	keys, err := lock.Wallets(tenant, wallet)
	require.NoError(t, err)
	return keys.Keys()[0]
}

func requireAscending(t require.TestingT, keys []lock.Key) {
	for i := 1; i < len(keys); i++ {
		require.Less(t, keys[i-1].ID(), keys[i].ID(), "keys are strictly ascending by id")
	}
}

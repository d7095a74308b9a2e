package change_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
	"holdfast/internal/usecase"
)

func TestPage_LowerTransactionThatCommitsLater_IsNeitherMissedNorRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.event().insert(t)
	lower, higher := b.begin(t), b.begin(t)
	late := b.event().insertIn(t, lower)
	early := b.event().insertIn(t, higher)
	require.NoError(t, higher.Commit(t.Context()))

	p := b.page(t, change.Query{})
	require.Equal(t, []uuid.UUID{before}, ids(p),
		"an event of the lower transaction may still come before the higher one's")
	require.False(t, p.More)
	waiting := b.after(t, p.Next)
	require.Empty(t, waiting.Events)

	require.NoError(t, lower.Commit(t.Context()))
	b.visible(t, late, early)
	p = b.after(t, waiting.Next)
	require.Equal(t, []uuid.UUID{late, early}, ids(p))
	require.Empty(t, b.after(t, p.Next).Events)
	require.Equal(t, []uuid.UUID{before, late, early}, ids(b.page(t, change.Query{})),
		"the order is the same from the beginning")
}

func TestPage_TransactionThatIsRolledBack_HasNoEventAndHoldsUpNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	failing := b.begin(t)
	b.event().insertIn(t, failing)
	after := b.event().insertIn(t, b.sql)
	require.Empty(t, b.page(t, change.Query{}).Events)
	require.NoError(t, failing.Rollback(t.Context()))
	b.visible(t, after)
	require.Equal(t, []uuid.UUID{after}, ids(b.page(t, change.Query{})))
}

func TestPage_OpenTransactionsOfReaders_HoldUpNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reader := b.begin(t)
	_, err := reader.Exec(t.Context(), "SELECT count(*) FROM changes")
	require.NoError(t, err)
	id := b.event().insert(t)
	require.Equal(t, []uuid.UUID{id}, ids(b.page(t, change.Query{})))
}

func TestPage_OfOneTenant_ShowsNoOtherTenantsEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	own := b.event().insert(t)
	foreign := b.event().of(uuid.New()).insert(t)
	p := b.page(t, change.Query{})
	require.Equal(t, []uuid.UUID{own}, ids(p))

	theirs, err := b.feed.Page(t.Context(), uuid.New(), change.Query{Limit: 10})
	require.NoError(t, err)
	require.Empty(t, theirs.Events)
	require.NotContains(t, ids(b.after(t, theirs.Next)), foreign,
		"another tenant's cursor is a position and no permission")
}

func TestPage_AfterLatest_BeginsWithWhatHappensNext(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.event().insert(t)
	p := b.page(t, change.Query{After: change.Latest})
	require.Empty(t, p.Events)
	next := b.event().insert(t)
	require.Equal(t, []uuid.UUID{next}, ids(b.after(t, p.Next)))
}

func TestPage_InSmallPages_HasEachEventOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var all, read []uuid.UUID
	tx := b.begin(t)
	for i := range 130 {
		if i == 60 { // some events are of one transaction
			require.NoError(t, tx.Commit(t.Context()))
		}
		if i < 60 {
			all = append(all, b.event().insertIn(t, tx))
		} else {
			all = append(all, b.event().insertIn(t, b.sql))
		}
	}
	b.visible(t, all...)
	cursor := ""
	for more := true; more; {
		p := b.page(t, change.Query{After: cursor, Limit: 7})
		require.LessOrEqual(t, len(p.Events), 7)
		read = append(read, ids(p)...)
		cursor, more = p.Next, p.More
	}
	require.Equal(t, all, read)
	require.Equal(t, all, ids(b.page(t, change.Query{Limit: 200})))
}

func TestPage_ThatIsFull_IsReadOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 {
		b.event().insert(t)
	}
	proxy := dbtest.NewProxy(t, b.url)
	feed := change.NewService(dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 1}), usecase.TypesOfChanges())
	trips := func(limit, events int) int {
		before := proxy.Trips()
		p, err := feed.Page(t.Context(), b.tenant, change.Query{Limit: limit})
		require.NoError(t, err)
		require.Len(t, p.Events, events)
		require.Equal(t, limit == events, p.More)
		return proxy.Trips() - before
	}
	trips(3, 3) // prepares the statements
	require.Equal(t, trips(4, 3), trips(3, 3), "a page that could have had another event is read once")
}

func TestPage_CursorOfAnEvent_ContinuesAfterIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tx := b.begin(t)
	var all []uuid.UUID
	for range 5 {
		all = append(all, b.event().insertIn(t, tx))
	}
	require.NoError(t, tx.Commit(t.Context()))
	b.visible(t, all...)
	for i, e := range b.page(t, change.Query{}).Events {
		require.Equal(t, append([]uuid.UUID{}, all[i+1:]...), ids(b.after(t, e.Cursor)))
	}
}

func TestPage_LargeEvents_EndThePageEarly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	large := `{"a": "` + strings.Repeat("x", 30_000) + `"}`
	for range 120 {
		b.event().with(large).insert(t)
	}
	p := b.page(t, change.Query{Limit: 200})
	read := len(p.Events)
	require.Less(t, read, 120)
	for p.More {
		p = b.page(t, change.Query{After: p.Next, Limit: 200})
		read += len(p.Events)
	}
	require.Equal(t, 120, read)
}

func TestPage_Filters_LetOnlyWhatWasAskedForPass(t *testing.T) {
	t.Parallel()
	b := setup(t)
	subject := uuid.New()
	created := b.event().about(subject).insert(t)
	noShow := b.event().typed("booking.no_show").about(subject).insert(t)
	lookalike := b.event().typed("booking.noXshow").insert(t)
	paid := b.event().typed("payment.succeeded").about(subject).insert(t)
	other := b.event().insert(t)
	for types, want := range map[string][]uuid.UUID{
		"booking.*":                         {created, noShow, lookalike, other},
		"booking.no_show":                   {noShow},
		"payment.*,booking.created":         {created, paid, other},
		"payment.succeeded":                 {paid},
		"customer.*":                        {},
		"booking.created,booking.created":   {created, other},
		"payment.declined,customer.created": {},
		"booking.reminder,booking.follow_up,booking.anniversary,customer.birthday,payment.balance_due,webhook_endpoint.*": {},
	} {
		filter, err := b.feed.ParseTypes("types", strings.Split(types, ",")...)
		require.NoError(t, err)
		p := b.page(t, change.Query{Types: filter})
		require.Equal(t, want, ids(p), types)
		require.Empty(t, b.page(t, change.Query{Types: filter, After: p.Next}).Events, types)
	}
	require.Equal(t, []uuid.UUID{created, noShow, paid}, ids(b.page(t, change.Query{Subject: &subject})))
	filter, err := b.feed.ParseTypes("types", "booking.*")
	require.NoError(t, err)
	p := b.page(t, change.Query{Subject: &subject, Types: filter, Limit: 1})
	require.Equal(t, []uuid.UUID{created}, ids(p))
	require.True(t, p.More)
	require.Equal(t, []uuid.UUID{noShow}, ids(b.page(t, change.Query{Subject: &subject, Types: filter, After: p.Next})))
}

func TestPage_FilterThatLetsLittlePass_GoesOnPastWhatItLookedAt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const others = 9500
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
		SELECT $1, gen_random_uuid(), 'booking.created', 'booking', gen_random_uuid(), 1, true, now(), '{}'
			FROM generate_series(1, $2)`, b.tenant, others)
	require.NoError(t, err)
	rare := b.event().typed("payment.refunded").insert(t)
	filter, err := b.feed.ParseTypes("types", "payment.refunded")
	require.NoError(t, err)
	p := b.page(t, change.Query{Types: filter})
	require.Empty(t, p.Events, "a page looks at a bounded number of events")
	require.True(t, p.More)
	p = b.page(t, change.Query{Types: filter, After: p.Next})
	require.Equal(t, []uuid.UUID{rare}, ids(p))
	require.False(t, p.More)
}

func TestParseTypes_WhatIsNoType_IsRefused(t *testing.T) {
	t.Parallel()
	feed := change.NewService(nil, usecase.TypesOfChanges())
	for _, pattern := range []string{
		"", "*", ".*", "booking", "booking.", "booking*", "book.*", "booking.c*", "booking.%", "%", "booking._o_show",
		"booking.*.*",
		"Booking.created", "booking.created ",
		"booking.moved", "basket.*", `booking.no\_show`, "booking.*x",
	} {
		_, err := feed.ParseTypes("types", "booking.created", pattern)
		require.True(t, problem.Is(err, problem.ValidationFailed), pattern)
	}
}

func TestPage_HostileCursors_AreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	good := b.page(t, change.Query{After: change.Latest}).Next
	raw, err := base64.RawURLEncoding.DecodeString(good)
	require.NoError(t, err)
	otherVersion := append([]byte{2}, raw[1:]...)
	for _, text := range []string{
		"x", "LATEST", " ", good + "A", good[1:], good + "=", good[:10] + "\n" + good[10:], "\x00",
		strings.Repeat("A", 100), "' OR 1=1",
		base64.RawURLEncoding.EncodeToString(raw[:20]), base64.RawURLEncoding.EncodeToString(otherVersion),
	} {
		_, err := b.feed.Page(t.Context(), b.tenant, change.Query{After: text, Limit: 10})
		require.True(t, problem.Is(err, problem.ValidationFailed), "%q: %v", text, err)
	}
	for i := 1; i < 10; i++ { // the epoch, and the highest bytes of the transaction id
		changed := append([]byte{}, raw...)
		changed[i] ^= 0x7f
		_, err := b.feed.Page(t.Context(), b.tenant,
			change.Query{After: base64.RawURLEncoding.EncodeToString(changed), Limit: 10})
		require.True(t, problem.Is(err, problem.CursorExpired), "byte %d: %v", i, err)
	}
}

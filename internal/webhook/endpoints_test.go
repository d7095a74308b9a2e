package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/usecase"
	"holdfast/internal/webhook"
)

func TestCreate_SameKeyAgain_IsTheSameEndpointWithoutItsSecret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := newRequest(t)
	e := webhook.EndpointRequest{URL: "https://example.com/", Types: []webhook.EventType{"*"}}
	first, err := b.service.Create(t.Context(), b.tenant, r, e)
	require.NoError(t, err)
	second, err := b.service.Create(t.Context(), b.tenant, r, e)
	require.NoError(t, err)
	require.True(t, second.Replayed)
	body := answered[webhook.EndpointWithSecretBody](t, first, nil)
	require.NotEmpty(t, body.Secret)
	require.Equal(t, webhook.EndpointWithSecretBody{EndpointBody: body.EndpointBody},
		answered[webhook.EndpointWithSecretBody](t, second, nil))
	require.Equal(t, "/v1/webhook-endpoints/"+body.ID.String(), first.Answer().Location)

	read, err := json.Marshal(b.endpoint(t, body.ID).Body())
	require.NoError(t, err)
	require.NotContains(t, string(read), "whsec_")
	require.NotContains(t, fmt.Sprintf("%+v", b.endpoint(t, body.ID)), body.Secret)
}

func TestCreate_AtOnce_MakesNoMoreThanTwentyEndpoints(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 18 {
		b.newEndpoint(t, "https://example.com/", "*")
	}
	var requests sync.WaitGroup
	errs := make(chan error, 6)
	for range cap(errs) {
		requests.Go(func() {
			_, err := b.service.Create(context.WithoutCancel(t.Context()), b.tenant, newRequest(t),
				webhook.EndpointRequest{URL: "https://example.com/", Types: []webhook.EventType{"*"}})
			errs <- err
		})
	}
	requests.Wait()
	close(errs)
	refused := 0
	for err := range errs {
		if err != nil {
			requireField(t, "too_many", err, "the 21st endpoint")
			refused++
		}
	}
	require.Equal(t, 4, refused)
	list, err := b.service.Endpoints(t.Context(), b.tenant, uuid.Nil, 100)
	require.NoError(t, err)
	require.Len(t, list, 20)
}

func TestEndpoints_BeyondTheirBounds_AreRefusedWhoeverCalls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	long := strings.Repeat("x", 501)
	for name, request := range map[string]webhook.EndpointRequest{
		"types":       {URL: "https://example.com/"},
		"description": {URL: "https://example.com/", Types: []webhook.EventType{"*"}, Description: long},
	} {
		_, err := b.service.Create(t.Context(), b.tenant, newRequest(t), request)
		require.Equal(t, name, problem.DocumentOf(err).Errors[0].Name)
	}
	e := b.newEndpoint(t, "https://example.com/", "*")
	_, err := b.service.Change(t.Context(), b.tenant, e.ID, "", webhook.EndpointPatch{Description: &long})
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	_, err = b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID, webhook.Range{After: long})
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
}

func TestCreate_InvalidTypes_AreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, text := range []webhook.EventType{"", "**", "booking", "booking.", ".created", "Booking.created",
		"booking.*.x", "booking.%", "*.created",
		"booking.created\n", "booking.nope", "nope.*", webhook.EventType(strings.Repeat("a", 41) + ".b")} {
		_, err := b.service.Create(t.Context(), b.tenant, newRequest(t),
			webhook.EndpointRequest{URL: "https://example.com/", Types: []webhook.EventType{"*", text}})
		var refusal *problem.Error
		require.ErrorAs(t, err, &refusal, text)
		require.Equal(t, "types[1]", refusal.Fields[0].Name, text)
	}
}

func TestChange_IfMatch_RefusesAStaleVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	changed, err := b.service.Change(t.Context(), b.tenant, e.ID, `"1"`,
		webhook.EndpointPatch{Types: []webhook.EventType{"booking.*"}})
	require.NoError(t, err)
	require.Equal(t, `"2"`, changed.ETag())
	_, err = b.service.Change(t.Context(), b.tenant, e.ID, `"1"`,
		webhook.EndpointPatch{Types: []webhook.EventType{"*"}})
	require.True(t, problem.Is(err, problem.VersionMismatch), "%v", err)
	require.Equal(t, []string{"booking.*"}, b.endpoint(t, e.ID).Types)
}

func TestChange_TypesAndURL_CountForEventsFromThenOn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before, after := newReceiver(t, nil), newReceiver(t, nil)
	e := b.newEndpoint(t, before.URL, "booking.*")
	first := b.recordChange(t, "booking.created")
	b.run(t)
	_, err := b.service.Change(t.Context(), b.tenant, e.ID, "",
		webhook.EndpointPatch{URL: &after.URL, Types: []webhook.EventType{"payment.*"}})
	require.NoError(t, err)
	b.recordChange(t, "booking.created")
	second := b.recordChange(t, "payment.succeeded")
	b.run(t)
	require.Equal(t, texts(first), before.ids())
	require.Equal(t, texts(second), after.ids())
}

func TestChange_BlockedURL_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	for _, url := range []string{"http://169.254.169.254/", "https://10.0.0.1/", "https://[::1]/",
		"ftp://example.com/"} {
		_, err := b.service.Change(t.Context(), b.tenant, e.ID, "", webhook.EndpointPatch{URL: &url})
		require.True(t, problem.Is(err, problem.ValidationFailed), "%s: %v", url, err)
	}
	require.Equal(t, int64(1), b.endpoint(t, e.ID).Version)
}

func TestChange_AddressThatIsNoLongerAllowed_CanBeDisabledAndDescribed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, "http://127.0.0.1:1/", "*")
	later := webhook.NewService(b.store, change.NewService(b.store, usecase.TypesOfChanges()), webhook.Config{}, nil)
	off, description := false, "Moved"
	got, err := later.Change(t.Context(), b.tenant, e.ID, "",
		webhook.EndpointPatch{Enabled: &off, Description: &description})
	require.NoError(t, err)
	require.Equal(t, webhook.Disabled, got.Status)
	url := "http://127.0.0.1:2/"
	_, err = later.Change(t.Context(), b.tenant, e.ID, "", webhook.EndpointPatch{URL: &url})
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
}

func TestChange_StoredTypeThatIsNoTypeAnyMore_CanBeDisabled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	b.exec(t, "UPDATE webhook_endpoints SET types = '{booking.of_an_older_version}'")
	off := false
	got, err := b.service.Change(t.Context(), b.tenant, e.ID, "", webhook.EndpointPatch{Enabled: &off})
	require.NoError(t, err)
	require.Equal(t, webhook.Disabled, got.Status)
}

func TestChange_Disabled_EndsWhatIsPlannedAndPlansNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	e := b.newEndpoint(t, rec.URL, "*")
	b.recordChange(t, "booking.created")
	b.relay(t)
	no := false
	_, err := b.service.Change(t.Context(), b.tenant, e.ID, "", webhook.EndpointPatch{Enabled: &no})
	require.NoError(t, err)
	b.recordChange(t, "booking.created")
	b.run(t)
	require.Empty(t, rec.requests())
	require.Equal(t, []string{"cancelled"}, statuses(b.deliveries(t, e.ID)))
	for _, ask := range []func() error{
		func() error { _, err := b.service.Ping(t.Context(), b.tenant, newRequest(t), e.ID); return err },
		func() error {
			_, err := b.service.Replay(t.Context(), b.tenant, newRequest(t), b.deliveries(t, e.ID)[0].ID)
			return err
		},
		func() error {
			_, err := b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID,
				webhook.Range{From: new(time.Time)})
			return err
		},
	} {
		require.True(t, problem.Is(ask(), problem.InvalidState))
	}
}

// accepts reports whether the holder of a secret accepts a request.
func accepts(t testing.TB, secret string, r received) bool {
	t.Helper()
	v, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	return v.Verify(r.body, r.header) == nil
}

func TestRotateSecret_BothSecretsSign_UntilTheFormerOneExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	e := b.newEndpoint(t, rec.URL, "*")
	r, err := b.service.RotateSecret(t.Context(), b.tenant, newRequest(t), e.ID)
	rotated := answered[webhook.EndpointWithSecretBody](t, r, err)
	require.NotEqual(t, e.Secret, rotated.Secret)
	b.recordChange(t, "booking.created")
	b.run(t)
	b.exec(t, "UPDATE webhook_endpoints SET former_secret_until = now() - interval '1 second'")
	b.recordChange(t, "booking.created")
	b.run(t)
	got := rec.requests()
	require.Len(t, got, 2)
	require.Equal(t, []bool{true, true}, []bool{accepts(t, e.Secret, got[0]), accepts(t, rotated.Secret, got[0])})
	require.Equal(t, []bool{false, true}, []bool{accepts(t, e.Secret, got[1]), accepts(t, rotated.Secret, got[1])})
}

func TestPing_EnabledEndpoint_GetsATestEventAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec, other := newReceiver(t, nil), newReceiver(t, nil)
	e := b.newEndpoint(t, rec.URL, "booking.created")
	b.newEndpoint(t, other.URL, "*")
	key := newRequest(t)
	r, err := b.service.Ping(t.Context(), b.tenant, key, e.ID)
	d := answered[webhook.DeliveryBody](t, r, err)
	require.Equal(t, "/v1/deliveries/"+d.ID.String(), r.Answer().Location)
	_, err = b.service.Ping(t.Context(), b.tenant, key, e.ID)
	require.NoError(t, err, "a repetition pings once")
	b.run(t)
	got := rec.requests()
	require.Len(t, got, 1)
	verified(t, e.Secret, got[0])
	require.Equal(t, d.EventID.String(), got[0].id())
	require.Contains(t, string(got[0].body), `"type":"webhook.ping"`)
	require.Empty(t, other.requests())
	require.EqualValues(t, "completed", b.delivery(t, e.ID).Status)
	var told int
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM changes").Scan(&told))
	require.Zero(t, told, "a ping is not in the feed")
}

func TestPing_Fails_IsNotTriedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := answering(t, 500)
	e := b.newEndpoint(t, rec.URL, "*")
	_, err := b.service.Ping(t.Context(), b.tenant, newRequest(t), e.ID)
	require.NoError(t, err)
	b.run(t)
	require.EqualValues(t, "dead", b.delivery(t, e.ID).Status)
}

func TestPing_OpenCircuit_IsSentAndClosesItOnSuccess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := answering(t, 500)
	e := b.newEndpoint(t, rec.URL, "*")
	b.fail(t, 5)
	rec.answers(http.StatusOK)
	_, err := b.service.Ping(t.Context(), b.tenant, newRequest(t), e.ID)
	require.NoError(t, err)
	b.run(t)
	require.Len(t, rec.requests(), 6)
	require.Nil(t, b.openUntil(t, e.ID))
}

func TestReplay_DeliveryThatWasMade_ArrivesAgainWithTheSameID(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	e := b.newEndpoint(t, rec.URL, "*")
	id := b.recordChange(t, "booking.created")
	b.run(t)
	key := newRequest(t)
	r, err := b.service.Replay(t.Context(), b.tenant, key, b.delivery(t, e.ID).ID)
	require.EqualValues(t, "pending", answered[webhook.DeliveryBody](t, r, err).Status)
	b.run(t)
	again, err := b.service.Replay(t.Context(), b.tenant, key, b.delivery(t, e.ID).ID)
	require.NoError(t, err)
	require.Equal(t, string(r.Body), string(again.Body))
	b.run(t)
	require.Equal(t, texts(id, id), rec.ids(), "a repetition replays once")
	d := b.delivery(t, e.ID)
	require.Len(t, d.Log, 2)
	require.Equal(t, []any{"completed", 1, 1, 1},
		[]any{string(d.Status), d.Attempts, d.Log[0].Attempt, d.Log[1].Attempt})
}

func TestReplay_AttemptUnderWay_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	b.recordChange(t, "booking.created")
	b.relay(t)
	b.exec(t, "UPDATE scheduled_events SET status = 'processing', lease = $1, leased_until = now() + interval '1 hour'",
		uuid.New())
	_, err := b.service.Replay(t.Context(), b.tenant, newRequest(t), b.deliveries(t, e.ID)[0].ID)
	require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
}

func TestReplay_WorkerSleeps_IsWoken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	woken := make(chan []string, 16)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	listening := dbtest.Open(t, db.Config{URL: b.url})
	go func() { ended <- listening.Listen(ctx, func(kinds []string) { woken <- kinds }) }()
	require.Empty(t, testtime.Receive(t, woken), "it listens")
	wakes := func() {
		for !slices.Contains(testtime.Receive(t, woken), event.KindWebhookDelivery) {
		}
	}
	b.recordChange(t, "booking.created")
	b.relay(t)
	wakes()
	_, err := b.service.Replay(t.Context(), b.tenant, newRequest(t), b.deliveries(t, e.ID)[0].ID)
	require.NoError(t, err)
	wakes()
	_, err = b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID, webhook.Range{From: new(time.Time)})
	require.NoError(t, err)
	wakes()
	stop()
	require.NoError(t, testtime.Receive(t, ended))
}

func TestReplay_WorkerClaimsTheDeliveryMeanwhile_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	b.recordChange(t, "booking.created")
	b.relay(t)
	id := b.deliveries(t, e.ID)[0].ID
	other, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = other.Exec(t.Context(), "SELECT FROM webhook_endpoints FOR UPDATE")
	require.NoError(t, err)
	replayed := make(chan error, 1)
	key := newRequest(t)
	go func() {
		_, err := b.service.Replay(context.WithoutCancel(t.Context()), b.tenant, key, id)
		replayed <- err
	}()
	b.waitForBlocked(t)
	_, err = event.LeaseDue(t.Context(), b.store, uuid.New(),
		event.LeaseQuery{Kind: event.KindWebhookDelivery, Limit: 1, LeaseTime: time.Hour})
	require.NoError(t, err)
	require.NoError(t, other.Rollback(t.Context()))
	err = testtime.Receive(t, replayed)
	require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
}

// waitForBlocked returns when a statement waits for a lock of another transaction.
func (b *testBundle) waitForBlocked(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		var n int
		err := b.sql.QueryRow(t.Context(), `
			SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`).Scan(&n)
		return err == nil && n > 0
	}, time.Minute, 5*time.Millisecond)
}

func TestReplayRange_EventsWhileDisabledAndBefore_Arrive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	early := b.recordChange(t, "booking.created")
	e := b.newEndpoint(t, rec.URL, "booking.*")
	delivered := b.recordChange(t, "booking.created")
	b.run(t)
	b.exec(t, "UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'test'")
	missed := b.recordChange(t, "booking.created")
	b.recordChange(t, "payment.succeeded")
	b.run(t)
	b.exec(t, "UPDATE webhook_endpoints SET status = 'enabled', disabled_reason = NULL")
	later := testtime.Now().AddDate(0, 0, 7).Truncate(time.Hour)
	b.exec(t, "UPDATE changes SET occurred_at = $2 WHERE change_id = $1", early, later)
	require.Equal(t, texts(delivered), rec.ids())

	// All events are of committed transactions, but those of other tests may hold up the range.
	from := testtime.Now().Add(-time.Hour)
	r, err := b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID,
		webhook.Range{From: &from, To: at(testtime.Now().Add(time.Hour))})
	require.Equal(t, webhook.RangeBody{Deliveries: 2}, answered[webhook.RangeBody](t, r, err))
	b.run(t)
	require.ElementsMatch(t, texts(delivered, delivered, missed), rec.ids())

	r, err = b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID, webhook.Range{From: at(later)})
	require.Equal(t, webhook.RangeBody{Deliveries: 1}, answered[webhook.RangeBody](t, r, err))
	b.run(t)
	require.ElementsMatch(t, texts(delivered, delivered, missed, early), rec.ids())
}

func at(t time.Time) *time.Time { return &t }

func TestReplayRange_AfterACursor_LeavesOutWhatComesBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	e := b.newEndpoint(t, rec.URL, "*")
	first, second := b.recordChange(t, "booking.created"), b.recordChange(t, "booking.created")
	b.run(t)
	feed, err := change.NewService(b.store, usecase.TypesOfChanges()).Page(t.Context(), b.tenant.ID,
		change.Query{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, first, feed.Events[0].ID)
	r, err := b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID, webhook.Range{After: feed.Next})
	require.Equal(t, webhook.RangeBody{Deliveries: 1}, answered[webhook.RangeBody](t, r, err))
	b.run(t)
	require.ElementsMatch(t, texts(first, second, second), rec.ids())
}

func TestReplayRange_MoreThanTenThousandEvents_GoesOnAtTheCursor(t *testing.T) {
	t.Parallel()
	if testtime.Quick() {
		t.Skip("ten thousand events take long")
	}
	b := setup(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	b.recordChanges(t, "booking.created", 10_005)
	b.relay(t)
	b.exec(t, "UPDATE scheduled_events SET status = 'completed'")
	in := webhook.Range{From: new(time.Time)}
	r, err := b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID, in)
	body := answered[webhook.RangeBody](t, r, err)
	require.Equal(t, int64(10_000), body.Deliveries)
	in.After = *body.NextCursor
	r, err = b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID, in)
	require.Equal(t, webhook.RangeBody{Deliveries: 5}, answered[webhook.RangeBody](t, r, err))
	var pending int
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT count(*) FROM scheduled_events WHERE status = 'pending'").Scan(&pending))
	require.Equal(t, 10_005, pending)
}

func TestReplayRange_WithoutBoundsOrBackwards_IsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	now := testtime.Now()
	for field, in := range map[string]webhook.Range{"from": {To: &now}, "to": {From: &now, To: &now}} {
		_, err := b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID, in)
		var refusal *problem.Error
		require.ErrorAs(t, err, &refusal)
		require.Equal(t, field, refusal.Fields[0].Name)
	}
}

func TestReplayRange_CursorFromBeforeARestore_IsExpired(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	page, err := change.NewService(b.store, usecase.TypesOfChanges()).Page(t.Context(), b.tenant.ID,
		change.Query{Limit: 1})
	require.NoError(t, err)
	b.exec(t, "UPDATE feed_positions SET change_id = $1 WHERE reader = 'epoch'", uuid.New())
	_, err = b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID, webhook.Range{After: page.Next})
	require.True(t, problem.Is(err, problem.CursorExpired), "%v", err)
}

func TestReplayRange_CursorBeforeDeletedEvents_IsExpired(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := b.newEndpoint(t, "https://example.com/", "*")
	before, err := change.NewService(b.store, usecase.TypesOfChanges()).Page(t.Context(), b.tenant.ID,
		change.Query{After: change.Latest})
	require.NoError(t, err)
	b.recordChange(t, "booking.created")
	b.relay(t)
	deleted, _, err := event.DeleteOldChanges(t.Context(), b.store, 0, 10)
	require.NoError(t, err)
	require.Equal(t, int64(1), deleted)
	_, err = b.service.ReplayRange(t.Context(), b.tenant, newRequest(t), e.ID, webhook.Range{After: before.Next})
	require.True(t, problem.Is(err, problem.CursorExpired), "%v", err)
}

func TestDelivery_TransactionIDsAreLowered_StillFindsTheEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	b.newEndpoint(t, rec.URL, "*")
	id := b.recordChange(t, "booking.created")
	b.relay(t)
	b.exec(t, "UPDATE changes SET transaction_id = transaction_id - 100")
	b.worker().RunUntilIdle(t.Context())
	require.Equal(t, texts(id), rec.ids())
}

func TestService_AnotherTenantsIDs_ReadLikeNoIDs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rec := newReceiver(t, nil)
	e := b.newEndpoint(t, rec.URL, "*")
	b.recordChange(t, "booking.created")
	b.run(t)
	delivery := b.delivery(t, e.ID).ID
	other := b.newTenant(t)
	ctx := t.Context()
	for name, ask := range map[string]func() error{
		"read": func() error { _, err := b.service.Endpoint(ctx, other, e.ID); return err },
		"change": func() error {
			_,
				err := b.service.Change(ctx, other, e.ID, "", webhook.EndpointPatch{})
			return err
		},
		"delete":   func() error { return b.service.Delete(ctx, other, e.ID) },
		"rotate":   func() error { _, err := b.service.RotateSecret(ctx, other, newRequest(t), e.ID); return err },
		"ping":     func() error { _, err := b.service.Ping(ctx, other, newRequest(t), e.ID); return err },
		"list":     func() error { _, err := b.service.Deliveries(ctx, other, e.ID, uuid.Max, 1); return err },
		"delivery": func() error { _, err := b.service.Delivery(ctx, other, delivery); return err },
		"replay":   func() error { _, err := b.service.Replay(ctx, other, newRequest(t), delivery); return err },
		"range": func() error {
			_, err := b.service.ReplayRange(ctx, other, newRequest(t), e.ID, webhook.Range{From: new(time.Time)})
			return err
		},
	} {
		require.True(t, problem.Is(ask(), problem.NotFound), name)
	}
	mine := b.tenant
	b.tenant = other
	b.recordChange(t, "booking.created")
	b.run(t)
	b.tenant = mine
	require.Len(t, rec.requests(), 1, "another tenant's events don't arrive")
}

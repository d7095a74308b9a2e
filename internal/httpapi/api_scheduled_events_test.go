package httpapi_test

import (
	"cmp"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

const scheduledEvents = "/v1/scheduled-events"

// scheduledEvent is an event to be inserted: a reminder of a booking in Berlin, unless it says otherwise.
type scheduledEvent struct {
	kind, status string
	subject      uuid.UUID
	occurrence   string
	due          time.Time
}

// schedule inserts an event of the tenant.
func (c client) schedule(t testingT, e scheduledEvent) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	if e.subject == uuid.Nil {
		e.subject = uuid.New()
	}
	_, err := c.sql.Exec(t.Context(), `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, lease, leased_until, last_error, data, created_at, updated_at)
		VALUES ($1, $2, $3, 'booking', $4, $5, $6, $7, 'Europe/Berlin', 2, 4, CASE $6 WHEN 'processing' THEN gen_random_uuid() END,
			CASE $6 WHEN 'processing' THEN now() + interval '1 hour' END, 'No answer.', '{}', now(), now())`,
		c.tenant, id, cmp.Or(e.kind, "booking.reminder"), e.subject, e.occurrence, cmp.Or(e.status, "pending"), e.due)
	require.NoError(t, err)
	return id
}

func (c client) scheduled(t testingT, id uuid.UUID) answer {
	t.Helper()
	a := c.get(t, scheduledEvents+"/"+id.String())
	require.Equal(t, http.StatusOK, a.status, a.body)
	return a
}

func (c client) changeScheduled(t testingT, id uuid.UUID, change string, headers ...string) answer {
	t.Helper()
	return c.post(t, scheduledEvents+"/"+id.String()+"/"+change, nil, headers...)
}

func TestScheduledEvents_Get_ShowsTheEventInItsZoneWithItsNewestAttempts(t *testing.T) {
	t.Parallel()
	c := setup(t)
	subject := uuid.New()
	due := time.Date(2027, 7, 1, 7, 0, 0, 0, time.UTC)
	id := c.schedule(t, scheduledEvent{status: "failed", subject: subject, due: due})
	for attempt := range 22 {
		_, err := c.sql.Exec(t.Context(), `
			INSERT INTO event_attempts (tenant_id, event_id, attempt_id, attempt, status, error, details, started_at, finished_at)
			VALUES ($1, $2, $3, $4, 'failed', 'No answer.', '{"status": 503}', now(), now())`, c.tenant, id, uuid.Must(uuid.NewV7()),
			attempt+1)
		require.NoError(t, err)
	}
	a := c.scheduled(t, id)
	require.Equal(t, `"4"`, a.header.Get("ETag"))
	for name, want := range map[string]any{
		"id": id.String(), "kind": "booking.reminder", "status": "failed",
		"subject": object{"type": "booking", "id": subject.String()},
		"due_at":  "2027-07-01T09:00:00+02:00", "time_zone": "Europe/Berlin", "attempts": 2., "version": 4.,
		"last_error": "No answer.",
	} {
		require.Equal(t, want, a.field(t, name), name)
	}
	log := a.field(t, "attempts_log").([]any)
	require.Len(t, log, 20)
	newest := log[0].(object)
	for name, want := range map[string]any{"attempt": 22., "status": "failed", "error": "No answer.",
		"details": object{"status": 503.}} {
		require.Equal(t, want, newest[name], name)
	}
	require.Equal(t, []any{}, c.scheduled(t, c.schedule(t, scheduledEvent{due: due})).field(t, "attempts_log"),
		"no attempts are [] and not null")
}

func TestScheduledEvents_HoldMade_ListsItsExpiry(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 1))
	hold := c.book(t, service, at(future(0), 10, 0), object{"hold_minutes": 30})
	list := c.list(t, scheduledEvents+"?subject="+hold.id(t).String()).Data
	require.Len(t, list, 1)
	require.Equal(t, "booking.hold_expiry", list[0]["kind"])
	due, err := time.Parse(time.RFC3339, list[0]["due_at"].(string))
	require.NoError(t, err)
	expires, err := time.Parse(time.RFC3339, hold.text(t, "hold_expires_at"))
	require.NoError(t, err)
	require.True(t, due.Equal(expires))
}

func TestScheduledEvents_Filters_ComposeAndKeepTheOrder(t *testing.T) {
	t.Parallel()
	c := setup(t)
	subject, begin := uuid.New(), time.Date(2027, 7, 1, 7, 0, 0, 0, time.UTC)
	var all, dead, ofSubject, reminders, early []string
	for i := range 12 {
		e := scheduledEvent{due: begin.Add(time.Duration(i) * time.Hour), status: "pending",
			occurrence: string(rune('a' + i))}
		if i%2 == 0 {
			e.status = "dead"
		}
		if i%3 == 0 {
			e.subject = subject
		}
		if i%4 == 0 {
			e.kind = "customer.birthday"
		}
		id := c.schedule(t, e).String()
		all = append(all, id)
		if i%2 == 0 {
			dead = append(dead, id)
		}
		if i%3 == 0 {
			ofSubject = append(ofSubject, id)
		}
		if i%4 != 0 {
			reminders = append(reminders, id)
		}
		if i < 5 {
			early = append(early, id)
		}
	}
	before := begin.Add(5 * time.Hour)
	for _, limit := range []string{"1", "2", "5", "200"} {
		list := func(query url.Values) []string {
			query.Set("limit", limit)
			return c.listAll(t, scheduledEvents, query)
		}
		require.Equal(t, all, list(url.Values{}))
		require.Equal(t, dead, list(url.Values{"status": {"dead"}}))
		require.Equal(t, reminders, list(url.Values{"kind": {"booking.reminder"}}))
		require.Equal(t, early, list(url.Values{"due_before": {before.Format(time.RFC3339)}}))
		require.Equal(t, early,
			list(url.Values{"due_before": {before.In(location(t, "Europe/Berlin")).Format(time.RFC3339)}}))
		require.ElementsMatch(t, ofSubject, list(url.Values{"subject": {subject.String()}}))
		require.Equal(t, []string{all[6]},
			list(url.Values{"subject": {subject.String()}, "status": {"dead"}, "kind": {"booking.reminder"}}))
		require.Empty(t, list(url.Values{"subject": {subject.String()}, "status": {"dead"},
			"kind":       {"booking.reminder"},
			"due_before": {begin.Format(time.RFC3339)}}))
	}
}

func TestScheduledEvents_RareStatusBehindThousands_IsFoundByFollowingTheCursors(t *testing.T) {
	t.Parallel()
	c := setup(t)
	_, err := c.sql.Exec(t.Context(), `
		INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
			version, data, created_at, updated_at)
		SELECT $1, gen_random_uuid(), 'booking.reminder', 'booking', s, i::text, 'completed', '2027-01-01', 'UTC', 1, 3, '{}', now(), now()
		FROM generate_series(1, 2500) i, (VALUES (gen_random_uuid())) AS v (s)`, c.tenant)
	require.NoError(t, err)
	var subject uuid.UUID
	require.NoError(t, c.sql.QueryRow(t.Context(), `SELECT subject_id FROM scheduled_events LIMIT 1`).Scan(&subject))
	rare := c.schedule(t, scheduledEvent{status: "cancelled", subject: subject, occurrence: "z",
		due: time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)}).String()
	for _, filter := range []string{"", "&subject=" + subject.String()} {
		var found []any
		pages := 0
		for path := scheduledEvents + "?status=cancelled" + filter; path != ""; pages++ {
			page := c.list(t, path)
			for _, e := range page.Data {
				found = append(found, e["id"])
			}
			if path = ""; page.NextCursor != "" {
				path = scheduledEvents + "?status=cancelled" + filter + "&cursor=" + page.NextCursor
			}
		}
		require.Equal(t, []any{rare}, found)
		require.Greater(t, pages, 2, "a request looks at a bounded number of events")
	}
	dead := c.schedule(t, scheduledEvent{status: "dead", due: time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)}).String()
	page := c.list(t, scheduledEvents+"?status=dead")
	require.Len(t, page.Data, 1, "dead events are found at once")
	require.Equal(t, dead, page.Data[0]["id"])
	require.Empty(t, page.NextCursor)
}

func TestScheduledEvents_Cancel_EndsWhatIsNotDoneAndTakesTheLease(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for _, status := range []string{"pending", "processing", "failed", "dead"} {
		id := c.schedule(t, scheduledEvent{status: status, due: testtime.Now()})
		a := c.changeScheduled(t, id, "cancel")
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Equal(t, "cancelled", a.text(t, "status"))
		require.Equal(t, `"5"`, a.header.Get("ETag"))
		read := c.scheduled(t, id)
		require.Equal(t, "cancelled", read.text(t, "status"))
		require.Equal(t, a.field(t, "due_at"), read.field(t, "due_at"))
		require.EqualValues(t, 5, read.field(t, "version"), "a worker that holds version 4 can't record a result")
		requireProblem(t, c.changeScheduled(t, id, "cancel"), conflict, problem.InvalidState)
	}
	require.Zero(t, c.count(t,
		"SELECT count(*) FROM scheduled_events WHERE lease IS NOT NULL OR NOT cancelled_on_request"))
	done := c.schedule(t, scheduledEvent{status: "completed", due: testtime.Now()})
	requireProblem(t, c.changeScheduled(t, done, "cancel"), conflict, problem.InvalidState)
}

func TestScheduledEvents_CancelOfWhatHoldsPaymentsAndMessagesNeed_IsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for _, kind := range []string{
		"booking.hold_expiry", "payment.resolution", "payment.ended_booking", "wallet.credit_expiry", "message.plan",
		"message.plan_ahead",
	} {
		id := c.schedule(t, scheduledEvent{kind: kind, due: testtime.Now()})
		before := c.tables(t)
		d := requireProblem(t, c.changeScheduled(t, id, "cancel"), conflict, problem.InvalidState)
		require.Contains(t, d.Detail, kind)
		require.Equal(t, before, c.tables(t))
	}
}

func TestScheduledEvents_Replay_MakesItDueNowAsIfNeverTried(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for _, status := range []string{"dead", "cancelled", "completed", "failed"} {
		id := c.schedule(t, scheduledEvent{status: status, due: testtime.Now().Add(time.Hour)})
		a := c.changeScheduled(t, id, "replay")
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Equal(t, "pending", a.text(t, "status"))
		require.Zero(t, a.field(t, "attempts"))
		require.Nil(t, a.field(t, "last_error"))
		due, err := time.Parse(time.RFC3339, a.text(t, "due_at"))
		require.NoError(t, err)
		updated, err := time.Parse(time.RFC3339, a.text(t, "updated_at"))
		require.NoError(t, err)
		require.True(t, updated.Equal(due), a.body)
		read := c.scheduled(t, id)
		for _, field := range []string{"status", "due_at", "attempts", "version", "last_error"} {
			require.Equal(t, a.field(t, field), read.field(t, field), field)
		}
		require.Equal(t, 1, c.count(t, "SELECT count(*) FROM scheduled_events WHERE event_id = $1 AND due_at <= now()",
			id))
	}
	for _, status := range []string{"processing", "pending"} {
		id := c.schedule(t, scheduledEvent{status: status, due: testtime.Now()})
		requireProblem(t, c.changeScheduled(t, id, "replay"), conflict, problem.InvalidState)
	}
	again := c.schedule(t, scheduledEvent{status: "failed", due: testtime.Now()})
	c.changeScheduled(t, again, "cancel").ok(t)
	require.Equal(t, "pending", c.changeScheduled(t, again, "replay").ok(t).text(t, "status"))
	require.Zero(t, c.count(t, "SELECT count(*) FROM scheduled_events WHERE cancelled_on_request"))
}

func TestScheduledEvents_ChangeWithAnotherVersion_IsRefusedAndWritesNothing(t *testing.T) {
	t.Parallel()
	c := setup(t)
	id := c.schedule(t, scheduledEvent{status: "failed", due: testtime.Now()})
	before := c.tables(t)
	for _, change := range []string{"cancel", "replay"} {
		requireProblem(t, c.changeScheduled(t, id, change, "If-Match", `"3"`), http.StatusPreconditionFailed,
			problem.VersionMismatch)
	}
	require.Equal(t, before, c.tables(t))
	replayed := c.changeScheduled(t, id, "replay", "If-Match", `"3", "4"`)
	require.Equal(t, http.StatusOK, replayed.status, replayed.body)
	require.Equal(t, http.StatusOK, c.changeScheduled(t, id, "cancel", "If-Match", replayed.header.Get("ETag")).status)
}

func TestScheduledEvents_ChangeRepeatedWithItsKey_GetsTheStoredAnswer(t *testing.T) {
	t.Parallel()
	c := setup(t)
	id := c.schedule(t, scheduledEvent{status: "dead", due: testtime.Now()})
	key := uuid.NewString()
	first := c.changeScheduled(t, id, "replay", "Idempotency-Key", key)
	require.Equal(t, http.StatusOK, first.status, first.body)
	require.Equal(t, http.StatusOK, c.changeScheduled(t, id, "cancel").status)
	again := c.changeScheduled(t, id, "replay", "Idempotency-Key", key)
	require.Equal(t, first.body, again.body)
	require.Equal(t, first.header.Get("ETag"), again.header.Get("ETag"))
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	require.Equal(t, "cancelled", c.scheduled(t, id).text(t, "status"), "nothing was done again")
	requireProblem(t, c.changeScheduled(t, id, "cancel", "Idempotency-Key", key), unprocessable,
		problem.IdempotencyKeyReused)
	requireProblem(t, c.changeScheduled(t, id, "cancel", "Idempotency-Key", ""), http.StatusBadRequest,
		problem.IdempotencyKeyMissing)
}

func TestScheduledEvents_UnknownKind_IsRefusedWithTheKnownKinds(t *testing.T) {
	t.Parallel()
	c := setup(t)
	a := c.get(t, scheduledEvents+"?kind=booking.remainder")
	d := requireProblem(t, a, unprocessable, problem.ValidationFailed)
	require.Len(t, d.Errors, 1)
	require.Equal(t, []string{"kind", "not_one_of"}, []string{d.Errors[0].Field, d.Errors[0].Code})
	for _, kind := range event.Kinds() {
		require.Contains(t, d.Errors[0].Detail, kind)
		require.Equal(t, http.StatusOK, c.get(t, scheduledEvents+"?kind="+kind).status)
	}
	require.NotContains(t, a.body, "remainder")
}

func TestScheduledEvents_MalformedQuery_IsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	subject := "subject=" + uuid.NewString()
	for _, query := range []string{
		"limit=0", "limit=201", "cursor=x", "cursor=AAAA", "colour=red", "kind=", "kind=A", "kind=no.such_kind",
		"kind=%00", "kind=%ff",
		"status=late", "subject=x",
		"due_before=tomorrow", "due_before=2027-07-01", "due_before=2027-07-01T10:00:00", "due_before=%00",
		"cursor=" + url.QueryEscape("OTk5OTk5OTk5OTk5OTk5OTk5OXww"), // a time that no event can have
		subject + "&cursor=x", subject + "&cursor=fCE", // an occurrence that isn't base64
		subject + "&cursor=fEFB", // an occurrence with a zero byte
	} {
		a := c.get(t, scheduledEvents+"?"+query)
		if query == "kind=" { // an empty value is none, as for all filters
			require.Equal(t, http.StatusOK, a.status, a.body)
			continue
		}
		require.Contains(t, []int{http.StatusBadRequest, unprocessable}, a.status, query)
		requireProblem(t, a, a.status,
			map[int]problem.Code{http.StatusBadRequest: problem.MalformedRequest,
				unprocessable: problem.ValidationFailed}[a.status])
	}
}

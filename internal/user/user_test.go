package user_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// outbox keeps what is sent.
type outbox struct{ sent []email.Message }

func (o *outbox) Send(_ context.Context, m email.Message) error {
	o.sent = append(o.sent, m)
	return nil
}

// bundle is a database with one tenant, and the use cases of its users.
type bundle struct {
	users    *user.Service
	settings *settings.Service
	outbox   outbox
	tenant   tenant.Tenant
	sql      *pgxpool.Pool
}

func setup(t testing.TB, senders email.Senders) *bundle {
	t.Helper()
	url := dbtest.Database(t)
	st := dbtest.Open(t, db.Config{URL: url})
	b := &bundle{settings: settings.NewService(st), sql: dbtest.SQL(t, url)}
	b.users = user.NewService(st, user.Config{Sender: &b.outbox, Senders: senders, PublicURL: "https://book.example/"})
	resp, err := tenant.NewService(st).Create(t.Context(), request(t),
		tenant.CreateRequest{Slug: "harbour", Name: "Harbour", TimeZone: "Europe/Berlin", Currency: "EUR"})
	require.NoError(t, err)
	var made tenant.TenantBody
	require.NoError(t, json.Unmarshal(resp.Body, &made))
	b.tenant, err = tenant.NewService(st).Authenticate(t.Context(), made.APIKey)
	require.NoError(t, err)
	return b
}

func request(t testing.TB) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{uuid.NewString()}, http.MethodPost, "/", nil)
	require.NoError(t, err)
	return r
}

func (b *bundle) invite(t testing.TB, address string, role user.Role) user.UserBody {
	t.Helper()
	resp, err := b.users.Invite(t.Context(), b.tenant, request(t),
		user.UserSpec{Email: address, Name: "Ada", Role: role})
	require.NoError(t, err)
	var made user.UserBody
	require.NoError(t, json.Unmarshal(resp.Body, &made))
	return made
}

// emailed handles the event of a user's link as a worker does that claims it some time after it is due, and reports
// whether an email was sent.
func (b *bundle) emailed(t testing.TB, id uuid.UUID, occurrence string, late time.Duration) bool {
	t.Helper()
	before, due := len(b.outbox.sent), testtime.Now()
	_, err := b.users.Email().Handle(t.Context(), event.Event{
		ID:         uuid.New(),
		TenantID:   b.tenant.ID,
		Subject:    event.Subject{Type: event.SubjectUser, ID: id},
		Kind:       event.KindSignInLink,
		Occurrence: occurrence,
		DueAt:      due,
		LeasedAt:   due.Add(late),
	})
	require.NoError(t, err)
	return len(b.outbox.sent) > before
}

// enter uses the link of the newest email.
func (b *bundle) enter(t testing.TB) (string, error) {
	t.Helper()
	link := regexp.MustCompile(`https://book\.example/console/harbour/enter/(\S+)`)
	found := link.FindStringSubmatch(b.outbox.sent[len(b.outbox.sent)-1].Text)
	require.Len(t, found, 2)
	browser, _, err := b.users.SignIn(t.Context(), found[1])
	return browser, err
}

var console = email.Senders{Links: "console@example.com"}

func TestLink_IsEmailedToTheUserOnly_AndSignsInOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, console)
	ada := b.invite(t, "ada@example.com", user.RoleOwner)
	require.True(t, b.emailed(t, ada.ID, "invitation/x", 0))
	require.Len(t, b.outbox.sent, 1)
	require.Equal(t, "ada@example.com", b.outbox.sent[0].To.Email)
	require.Equal(t, "console@example.com", b.outbox.sent[0].From.Email)
	browser, err := b.enter(t)
	require.NoError(t, err)
	session, err := b.users.Authenticate(t.Context(), browser)
	require.NoError(t, err)
	require.Equal(t, ada.ID, session.User.ID)
	_, err = b.enter(t)
	require.True(t, problem.Is(err, problem.NotFound), err)
}

func TestLink_NobodyCanUseIt_IsNotEmailed(t *testing.T) {
	t.Parallel()
	b := setup(t, console)
	b.invite(t, "ada@example.com", user.RoleOwner)
	bert := b.invite(t, "bert@example.com", user.RoleStaff)
	require.False(t, b.emailed(t, bert.ID, "sign_in/x", user.LinkTime+time.Second), "it was asked for long ago")
	require.True(t, b.emailed(t, bert.ID, "invitation/x", user.LinkTime+time.Second),
		"an invitation is worth it later too")
	require.NoError(t, b.users.Remove(t.Context(), b.tenant, bert.ID))
	require.False(t, b.emailed(t, bert.ID, "sign_in/y", 0), "the user was removed")
	require.False(t, b.emailed(t, uuid.New(), "sign_in/y", 0), "there is no such user")
	require.Len(t, b.outbox.sent, 1)
	_, err := b.enter(t)
	require.True(t, problem.Is(err, problem.NotFound), "the removal ended the link: %v", err)

	nobody := setup(t, email.Senders{})
	ada := nobody.invite(t, "ada@example.com", user.RoleOwner)
	require.False(t, nobody.emailed(t, ada.ID, "sign_in/x", 0), "neither the server nor the tenant has a sender")
	require.Empty(t, nobody.outbox.sent)
	_, err = nobody.settings.Change(t.Context(), nobody.tenant.ID,
		mergepatch.Of[settings.Spec](`{"email": {"from": {"name": "Harbour", "email": "harbour@example.com"}}}`), "")
	require.NoError(t, err)
	require.False(t, nobody.emailed(t, ada.ID, "sign_in/x", 0),
		"the server sends nothing from an address that only the tenant vouches for")
}

func TestLink_ServerWithASenderForTenantsOnly_IsEmailedFromThere(t *testing.T) {
	t.Parallel()
	b := setup(t, email.Senders{Tenants: "mail@platform.example"})
	ada := b.invite(t, "ada@example.com", user.RoleOwner)
	_, err := b.settings.Change(t.Context(), b.tenant.ID,
		mergepatch.Of[settings.Spec](`{"email": {"from": {"name": "Harbour", "email": "harbour@example.com"}}}`), "")
	require.NoError(t, err)
	require.True(t, b.emailed(t, ada.ID, "sign_in/x", 0))
	require.Equal(t, email.Address{Name: "Harbour", Email: "mail@platform.example"}, b.outbox.sent[0].From)
	require.Equal(t, "harbour@example.com", b.outbox.sent[0].ReplyTo.Email)
}

func TestRequestLink_UserGotThreeOfLate_GetsNoFourth(t *testing.T) {
	t.Parallel()
	b := setup(t, console)
	for links, more := range map[int]int{2: 1, 3: 0} {
		address := fmt.Sprintf("u%d@example.com", links)
		made := b.invite(t, address, user.RoleOwner)
		for range links {
			_, err := b.users.NewLink(t.Context(), b.tenant, made.ID, user.LinkTime)
			require.NoError(t, err)
		}
		require.NoError(t, b.users.RequestLink(t.Context(), b.tenant, address))
		var planned int
		require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT count(*) FROM scheduled_events
			WHERE kind = 'user.sign_in_link' AND subject_id = $1 AND occurrence LIKE 'sign_in/%'`, made.ID).Scan(&planned))
		require.Equal(t, more, planned, "after %d links", links)
	}
}

func TestInvite_ManyWithinAnHour_AreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, console)
	for i := range 30 {
		made := b.invite(t, fmt.Sprintf("u%d@example.com", i), user.RoleRead)
		require.NoError(t, b.users.Remove(t.Context(), b.tenant, made.ID))
	}
	_, err := b.users.Invite(t.Context(), b.tenant, request(t),
		user.UserSpec{Email: "x@example.com", Name: "X", Role: user.RoleRead})
	require.True(t, problem.Is(err, problem.RateLimited), err)
}

func TestUsers_EmailThatNoTextCanBe_IsNobodys(t *testing.T) {
	t.Parallel()
	b := setup(t, console)
	b.invite(t, "ada@example.com", user.RoleOwner)
	for _, odd := range []string{"ada@example.com\x00", "\xff@example.com", ""} {
		_, err := b.users.WithEmail(t.Context(), b.tenant, odd)
		require.True(t, problem.Is(err, problem.NotFound), "%q: %v", odd, err)
	}
}

func TestUsers_LastOwner_StaysWhenAPersonActs(t *testing.T) {
	t.Parallel()
	b := setup(t, console)
	ada := b.invite(t, "ada@example.com", user.RoleOwner)
	b.invite(t, "bert@example.com", user.RoleStaff)
	byAda := b.tenant
	byAda.UserID = ada.ID
	demotion := mergepatch.Of[user.UserSpec](`{"role": "read"}`)
	require.True(t, problem.Is(b.users.Remove(t.Context(), byAda, ada.ID), problem.InvalidState))
	_, err := b.users.Change(t.Context(), byAda, ada.ID, demotion, "")
	require.True(t, problem.Is(err, problem.InvalidState), err)
	_, err = b.users.Change(t.Context(), b.tenant, ada.ID, demotion, "")
	require.NoError(t, err, "an API key can invite another owner")
	b.invite(t, "cleo@example.com", user.RoleOwner)
	require.NoError(t, b.users.Remove(t.Context(), byAda, ada.ID))
}

// With an owner's role, or an owner's email, a key would have what it was not given.
func TestUsers_KeyWithoutAScopeOfTheRole_CanNeitherGiveNorTakeIt(t *testing.T) {
	t.Parallel()
	b := setup(t, console)
	owner := b.invite(t, "ada@example.com", user.RoleOwner)
	reader := b.invite(t, "bert@example.com", user.RoleRead)
	key := b.tenant
	key.Scopes = tenant.Scopes{operation.ScopeCatalog, operation.ScopeRead, operation.ScopeAdmin}

	_, err := b.users.Invite(t.Context(), key, request(t),
		user.UserSpec{Email: "eve@example.com", Name: "Eve", Role: user.RoleOwner})
	require.True(t, problem.Is(err, problem.Forbidden), err)
	for _, patch := range []string{`{"email": "eve@example.com"}`, `{"role": "read"}`} {
		_, err = b.users.Change(t.Context(), key, owner.ID, mergepatch.Of[user.UserSpec](patch), "")
		require.True(t, problem.Is(err, problem.Forbidden), "%s: %v", patch, err)
	}
	_, err = b.users.Change(t.Context(), key, reader.ID, mergepatch.Of[user.UserSpec](`{"role": "staff"}`), "")
	require.True(t, problem.Is(err, problem.Forbidden), err)
	require.True(t, problem.Is(b.users.Remove(t.Context(), key, owner.ID), problem.InvalidState), "the last owner")

	_, err = b.users.Change(t.Context(), key, reader.ID, mergepatch.Of[user.UserSpec](`{"name": "Bert B."}`), "")
	require.NoError(t, err)
	users, err := b.users.List(t.Context(), key, uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, users, 2)
	require.Equal(t, []string{"ada@example.com", "bert@example.com"}, []string{users[0].Email, users[1].Email})
	require.Equal(t, []user.Role{user.RoleOwner, user.RoleRead}, []user.Role{users[0].Role, users[1].Role})
}

func TestUsers_AnotherEmail_SignsOutAndEndsLinks(t *testing.T) {
	t.Parallel()
	b := setup(t, console)
	ada := b.invite(t, "ada@example.com", user.RoleOwner)
	require.True(t, b.emailed(t, ada.ID, "invitation/x", 0))
	browser, err := b.enter(t)
	require.NoError(t, err)
	require.True(t, b.emailed(t, ada.ID, "sign_in/x", 0))
	_, err = b.users.Change(t.Context(), b.tenant, ada.ID,
		mergepatch.Of[user.UserSpec](`{"email": "ada@other.example"}`), "")
	require.NoError(t, err)
	_, err = b.users.Authenticate(t.Context(), browser)
	require.True(t, problem.Is(err, problem.Unauthenticated), err)
	_, err = b.enter(t)
	require.True(t, problem.Is(err, problem.NotFound), err)
}

func TestWithEmail_LettersOutsideASCII_AreNotFolded(t *testing.T) {
	t.Parallel()
	b := setup(t, email.Senders{})
	b.invite(t, "kim@harbour.example", user.RoleOwner)
	found, err := b.users.WithEmail(t.Context(), b.tenant, "KIM@Harbour.Example")
	require.NoError(t, err)
	require.Equal(t, "kim@harbour.example", found.Email)
	for _, other := range []string{"\u212Aim@harbour.example", "K\u0130M@harbour.example"} {
		_, err = b.users.WithEmail(t.Context(), b.tenant, other)
		require.True(t, problem.Is(err, problem.NotFound), other)
		b.invite(t, other, user.RoleRead) // another mailbox, so it may be another person's
	}
	_, err = b.users.Invite(t.Context(), b.tenant, request(t),
		user.UserSpec{Email: "Kim@HARBOUR.example", Name: "Kim", Role: user.RoleRead})
	require.True(t, problem.Is(err, problem.AlreadyExists))
}

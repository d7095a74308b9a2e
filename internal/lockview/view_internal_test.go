package lockview

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/lock"
)

func request(id int64, pid int32, waiting *time.Time) lockRequest {
	k := KeyOf(id)
	return lockRequest{
		ClassID: int64(k.ClassID), ObjectID: int64(k.ObjectID), SubID: 1, Granted: waiting == nil, Pid: pid,
		WaitingSince: waiting,
	}
}

func TestArrange_PutsTheLongestWaitFirst(t *testing.T) {
	t.Parallel()
	early, late, began := second(10), second(20), second(5)
	v := arrange(lockTable{
		now: second(60),
		requests: []lockRequest{
			request(-1, 1, nil), request(3, 1, nil), request(2, 1, nil), request(3, 4, &late), request(3, 3, &early),
			request(2, 2, &late),
		},
		sessions: []lockSession{
			{Pid: 1, TransactionBegan: &began},
			{Pid: 2, BlockedBy: []int32{1}}, {Pid: 3, BlockedBy: []int32{1}}, {Pid: 4, BlockedBy: []int32{1, 3}},
			{Pid: 77, State: "of no interest"},
		},
	}, map[int64][]NameBody{3: {{Name: "three"}}})
	require.Equal(t, second(60), v.At)
	var ids []int64
	for _, l := range v.Locks {
		ids = append(ids, l.ID())
	}
	require.Equal(t, []int64{3, 2, -1}, ids)
	waiters := v.Locks[0].Waiters
	require.Equal(t, []int{3, 4}, []int{waiters[0].PID, waiters[1].PID})
	require.Equal(t, int64(50_000), waiters[0].WaitingMS)
	require.Equal(t, []int{4, 3, 1}, waiters[1].Chain)
	require.Equal(t, []LinkBody{
		{LockSessionBody: LockSessionBody{PID: 3}, WaitsFor: "three", WaitingMS: 50_000},
		{LockSessionBody: LockSessionBody{PID: 1}},
	}, v.Longest)
}

func TestArrange_AHolderThatWaitsForARow_SaysSo(t *testing.T) {
	t.Parallel()
	since := second(1)
	v := arrange(lockTable{
		now:      second(2),
		requests: []lockRequest{request(1, 1, nil), request(1, 2, &since)},
		sessions: []lockSession{
			{Pid: 1, BlockedBy: []int32{7}}, {Pid: 2, BlockedBy: []int32{1}},
			{Pid: 7, ApplicationName: "psql", State: "idle in transaction"},
		},
	}, nil)
	require.Equal(t, []LinkBody{
		{LockSessionBody: LockSessionBody{PID: 2}, WaitsFor: "1", WaitingMS: 1000},
		{LockSessionBody: LockSessionBody{PID: 1}, WaitsFor: "a row or table", WaitingMS: 0},
		{LockSessionBody: LockSessionBody{PID: 7, ApplicationName: "psql", State: "idle in transaction"}},
	}, v.Longest)
}

func TestArrange_TheTimeOfAHolder_IsItsTransactionsOrForASessionLockItsConnections(t *testing.T) {
	t.Parallel()
	connected, began := start, second(30)
	for name, test := range map[string]struct {
		session lockSession
		names   []NameBody
		atMost  *int64
	}{
		"in a transaction": {session: lockSession{Pid: 1, ConnectedAt: &connected, TransactionBegan: &began},
			atMost: new(int64(30_000))},
		"outside of one": {session: lockSession{Pid: 1, ConnectedAt: &connected}, atMost: new(int64(60_000))},
		"a session lock, also in a transaction": {
			session: lockSession{Pid: 1, ConnectedAt: &connected, TransactionBegan: &began},
			names:   []NameBody{{session: true}}, atMost: new(int64(60_000))},
		"of which PostgreSQL tells nothing": {},
	} {
		v := arrange(lockTable{
			now: second(60), requests: []lockRequest{request(1, test.session.Pid, nil)},
			sessions: []lockSession{test.session},
		}, map[int64][]NameBody{1: test.names})
		require.Equal(t, test.atMost, v.Locks[0].Holders[0].AtMostMS, name)
	}
}

func TestArrange_TwoIntegers_AreAKeyOfTheirOwn(t *testing.T) {
	t.Parallel()
	one := request(1, 1, nil)
	pair := one
	pair.SubID, pair.ObjectID = 2, 1<<32-1
	v := arrange(lockTable{requests: []lockRequest{one, pair}},
		map[int64][]NameBody{1: {{Name: "one"}}, 1<<32 - 1: {{Name: "wrong"}}})
	require.Equal(t, "one", v.Locks[0].Label())
	require.Equal(t, "(0, -1)", v.Locks[1].Label())
}

func TestRead_TakesNamesLabelsAndKeys(t *testing.T) {
	t.Parallel()
	tenant := uuid.MustParse("01890a5d-ac96-774b-bcce-b302099a8057")
	name := tenant.String() + ":2026-07-14"
	l, err := Read(name)
	require.NoError(t, err)
	require.Equal(t, "4634033524858642013", l.Key)
	require.Equal(t, []NameBody{{Name: name, Pattern: "{tenant}:{date}", TenantID: &tenant}}, l.Names)
	for text, id := range map[string]int64{
		"goose": lock.Goose.ID(), "42424242": lock.IdempotencyCleanup.ID(), "-1": -1, "0xffffffffffffffff": -1,
		"0x10": 16,
	} {
		l, err := Read(text)
		require.NoError(t, err, text)
		require.Equal(t, id, l.ID(), text)
		require.Equal(t, id > 16, len(l.Names) == 1, text)
	}
	for _, text := range []string{"", "0x", "0x1ffffffffffffffff", "9223372036854775808", "1.5", "geese",
		tenant.String()} {
		_, err := Read(text)
		require.Error(t, err, text)
	}
}

func TestRegistryRow_EveryPatternAndLabel_HasOne(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"01890a5d-ac96-774b-bcce-b302099a8057:2026-07-14",
		"01890a5d-ac96-774b-bcce-b302099a8057:balance:01890a5d-ac96-774b-bcce-b302099a8057",
		"01890a5d-ac96-774b-bcce-b302099a8057:wallet:01890a5d-ac96-774b-bcce-b302099a8057", "goose",
		"idempotency cleanup",
	} {
		l, err := Read(text)
		require.NoError(t, err)
		row := RegistryRow(l.Names[0].Pattern)
		require.NotEmpty(t, row, text)
		require.Equal(t, Cell{"name", l.Names[0].Pattern}, row[0])
		require.Equal(t, "purpose", row[len(row)-1].Column)
		for _, c := range row {
			require.NotEmpty(t, c.Text, c.Column)
			require.NotContains(t, c.Text, "`")
			if c.Column == "kind" {
				require.Equal(t, l.Names[0].session, !strings.HasPrefix(c.Text, "transaction"),
					"what is told of the holder's time depends on it")
			}
		}
	}
	require.Nil(t, RegistryRow("{tenant}:cashbox"))
	require.Nil(t, RegistryRow("1,000"), "another table")
}

func TestArrange_WhateverTheLock_ShowsWhoKeepsOthersWaiting(t *testing.T) {
	t.Parallel()
	early, late, began := second(10), second(20), second(1)
	v := arrange(lockTable{
		now:      second(60),
		requests: []lockRequest{request(3, 1, nil), request(3, 2, &late)},
		others: []otherWait{
			{Pid: 1, LockType: "relation", Relation: "bookings", WaitingSince: &early},
			{Pid: 4, LockType: "transactionid", Relation: "payments", WaitingSince: &late},
		},
		sessions: []lockSession{
			{Pid: 1, BlockedBy: []int32{7}}, {Pid: 2, BlockedBy: []int32{1}}, {Pid: 4, BlockedBy: []int32{8}},
			{Pid: 7, UserName: "ada", ApplicationName: "psql", State: "idle in transaction", TransactionBegan: &began},
			{Pid: 8},
		},
	}, nil)
	require.Equal(t, 3, v.Waiting)
	age := int64(59_000)
	require.Equal(t, []BlockerBody{
		{
			LockSessionBody: LockSessionBody{PID: 7, User: "ada", ApplicationName: "psql",
				State: "idle in transaction"},
			TransactionMS: &age, Waiting: 2, LongestMS: 50_000, Locks: []string{"table bookings"},
		},
		{LockSessionBody: LockSessionBody{PID: 8}, Waiting: 1, LongestMS: 40_000, Locks: []string{"a row of payments"}},
	}, v.Blockers)
	require.Equal(t, "table bookings", v.Longest[0].WaitsFor, "the longest wait is for a table")
	require.Equal(t, int64(50_000), v.Longest[0].WaitingMS)
}

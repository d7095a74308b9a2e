package lockview

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var start = time.Date(2027, time.July, 1, 12, 0, 0, 0, time.UTC)

func second(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }

func TestChain_LeadsThroughTheQueueToWhoMustFinishFirst(t *testing.T) {
	t.Parallel()
	day, other := KeyOf(1), KeyOf(2)
	began := func(pid, n int) lockSession {
		at := second(n)
		return lockSession{Pid: int32(pid), TransactionBegan: &at}
	}
	for name, test := range map[string]struct {
		waits    map[int]wait
		sessions []lockSession
		chain    []int // of process 9
	}{
		"who doesn't wait is alone": {chain: []int{9}},
		"a queue is gone through from its end": {
			waits: map[int]wait{
				9: {lock: day, since: second(3), blockedBy: []int{1, 2, 3}},
				3: {lock: day, since: second(2), blockedBy: []int{1, 2}},
				2: {lock: day, since: second(1), blockedBy: []int{1}},
			},
			chain: []int{9, 3, 2, 1},
		},
		"the holder waits for another lock": {
			waits: map[int]wait{
				9: {lock: day, since: second(3), blockedBy: []int{1}},
				1: {lock: other, since: second(2), blockedBy: []int{4}},
			},
			chain: []int{9, 1, 4},
		},
		"a holder that began to wait elsewhere later than the queue doesn't jump it": {
			waits: map[int]wait{
				9: {lock: day, since: second(3), blockedBy: []int{1, 2}},
				2: {lock: day, since: second(1), blockedBy: []int{1}},
				1: {lock: other, since: second(2), blockedBy: []int{4}},
			},
			chain: []int{9, 2, 1, 4},
		},
		"the holder waits for a row": {
			waits: map[int]wait{9: {lock: day, since: second(3), blockedBy: []int{1}}, 1: {blockedBy: []int{5}}},
			chain: []int{9, 1, 5},
		},
		"several wait for rows": {
			waits: map[int]wait{9: {blockedBy: []int{1, 2}}, 2: {blockedBy: []int{3}}},
			chain: []int{9, 2, 3},
		},
		"of several holders the oldest": {
			waits:    map[int]wait{9: {lock: day, since: second(3), blockedBy: []int{1, 2, 3}}},
			sessions: []lockSession{began(1, 2), began(2, 0), began(3, 1)},
			chain:    []int{9, 2},
		},
		"of several holders the one that waits itself": {
			waits: map[int]wait{
				9: {lock: day, since: second(3), blockedBy: []int{1, 2}},
				1: {lock: other, since: second(3), blockedBy: []int{4}},
			},
			sessions: []lockSession{began(1, 2), began(2, 0)},
			chain:    []int{9, 1, 4},
		},
		"a deadlock ends": {
			waits: map[int]wait{
				9: {lock: day, since: second(3), blockedBy: []int{1}},
				1: {lock: other, since: second(2), blockedBy: []int{9}},
			},
			chain: []int{9, 1},
		},
	} {
		sessions := map[int]lockSession{}
		for _, s := range test.sessions {
			sessions[int(s.Pid)] = s
		}
		require.Equal(t, test.chain, chain(9, test.waits, sessions), name)
	}
}

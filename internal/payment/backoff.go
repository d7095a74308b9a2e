package payment

import "time"

// backoff is the wait before the next poll of an open payment. It doubles with each poll.
type backoff struct{ initial, longest, longestProcessing time.Duration }

func (b backoff) unknown(polls int32) time.Duration { return doubled(b.initial, b.longest, polls) }

func (b backoff) processing(polls int32) time.Duration {
	return doubled(b.initial, b.longestProcessing, polls)
}

func doubled(initial, longest time.Duration, times int32) time.Duration {
	for range min(times, 30) {
		if initial >= longest {
			break
		}
		initial *= 2
	}
	return min(initial, longest)
}

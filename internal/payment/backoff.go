package payment

import "time"

// backoff says how long to wait before the next look at an open payment.
type backoff struct{ initial, longest, longestProcessing time.Duration }

func (p backoff) unknown(looks int32) time.Duration { return doubled(p.initial, p.longest, looks) }

func (p backoff) processing(looks int32) time.Duration {
	return doubled(p.initial, p.longestProcessing, looks)
}

func doubled(first, most time.Duration, times int32) time.Duration {
	for range min(times, 30) {
		if first >= most {
			break
		}
		first *= 2
	}
	return min(first, most)
}

package sandbox

import "sync"

// inFlight is the set of idempotency keys whose first request is running.
type inFlight struct {
	mu   sync.Mutex
	keys map[string]bool
}

// acquire adds key. It returns false if a request with key is running.
func (f *inFlight) acquire(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keys[key] {
		return false
	}
	if f.keys == nil {
		f.keys = map[string]bool{}
	}
	f.keys[key] = true
	return true
}

func (f *inFlight) release(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.keys, key)
}

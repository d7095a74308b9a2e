package idempotency_test

import (
	"testing"

	"holdfast/internal/idempotency"
)

// BenchmarkNewRequest is what the fingerprint of a booking costs.
func BenchmarkNewRequest(b *testing.B) {
	keys := []string{"6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11"}
	body := []byte(`{"service_id":"0190a6b2-7c1e-7b3a-9f00-2b6b8f6d2a11","starts_at":"2027-07-01T10:00:00+02:00","party_size":2,` +
		`"customer":{"name":"Ada Lovelace","email":"ada@example.com","phone":"+44 20 7946 0000"},"hold_minutes":30,` +
		`"metadata":{"channel":"web","campaign":"summer","tags":["a","b"]}}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := idempotency.NewRequest(keys, "POST", "/v1/bookings", body); err != nil {
			b.Fatal(err)
		}
	}
}

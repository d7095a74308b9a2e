package db_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
)

func TestRead_ThatPanics_GivesItsConnectionBack(t *testing.T) {
	t.Parallel()
	tracer := new(dbtest.PanicTracer)
	s := dbtest.Open(t, db.Config{URL: dbtest.Database(t), MaxConns: 2, Tracer: tracer})
	for name, read := range map[string]func() error{
		"as a tenant": func() error {
			_, err := s.Clock(t.Context(), uuid.New())
			return err
		},
		"as the login": func() error {
			return s.ReadAsLogin(t.Context(), "read the clock", func(tx *db.Tx) { tx.ReadClockInto(new(time.Time)) })
		},
		"of all tenants": func() error { _, err := event.Rescue(t.Context(), s, 0, 1, nil); return err },
	} {
		tracer.Armed.Store(true)
		for range 3 { // more often than there are connections
			require.PanicsWithValue(t, "planted", func() { _ = read() }, name)
		}
		tracer.Armed.Store(false)
		require.NoError(t, read(), name)
	}
}

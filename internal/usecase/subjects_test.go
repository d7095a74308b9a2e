package usecase_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/usecase"
)

// The id of a new booking must not be that of another thing with a history: they would share it.
func TestSubjects_WithHistory_TheirIDsAreTakenForBookings(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../sql/queries/booking/row/names.sql")
	require.NoError(t, err)
	query, _, found := strings.Cut(string(text), ";")
	require.True(t, found)
	require.Contains(t, query, "-- name: BookingIDsTaken")
	histories := 0
	for _, s := range usecase.Subjects {
		if s.Find != nil {
			histories++
			require.Contains(t, query, "."+s.Name+"_id = i.id", "%s has a history", s.Name)
		}
	}
	require.Equal(t, histories, strings.Count(query, "EXISTS"))
}

package event_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
)

func TestCheckKinds_OneTwiceOrUnknown_IsAnError(t *testing.T) {
	t.Parallel()
	reminder, birthday := event.Kind{Name: event.KindBookingReminder}, event.Kind{Name: event.KindBirthday}
	require.NoError(t, event.CheckKinds(reminder, birthday))
	require.EqualError(t, event.CheckKinds(reminder, birthday, reminder),
		`the kind "booking.reminder" of scheduled events is registered twice`)
	require.ErrorContains(t, event.CheckKinds(reminder, event.Kind{Name: testKind}), `"test.kind"`)
	require.ErrorContains(t, event.CheckKinds(event.Kind{}), `""`)
}

func TestKinds_AreThoseOfTheOperationsPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/events-operations.md")
	require.NoError(t, err)
	var described []string
	table := regexp.MustCompile(`(?s)\n## Kinds\n.*?\n## `).FindString(string(text))
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*)").FindAllStringSubmatch(table, -1) {
		for _, name := range regexp.MustCompile("`([a-z_.]+)`").FindAllStringSubmatch(row[1], -1) {
			described = append(described, name[1])
		}
	}
	slices.Sort(described)
	require.Equal(t, described, event.Kinds())
}

package httpapi

import (
	"encoding/json"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/booking"
)

func TestAppendDay_AnyDay_IsTheJSONOfItsBody(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		number := rapid.IntRange(0, 100_000)
		moment := func(name string) time.Time {
			offset := time.FixedZone("", 900*rapid.IntRange(-48, 56).Draw(rt, name+"'s offset"))
			return time.Date(rapid.IntRange(1900, 9000).Draw(rt, name+"'s year"), 1, 1, 0, number.Draw(rt, name), 0, 0, offset)
		}
		d := booking.Day{
			Date: civil.Date{Year: rapid.IntRange(1900, 9000).Draw(rt, "year"),
				Month: time.Month(rapid.IntRange(1, 12).Draw(rt, "month")), Day: 7},
			Available: rapid.Bool().Draw(rt, "available"), Remaining: number.Draw(rt, "remaining"), Slots: []booking.Slot{},
		}
		for range rapid.IntRange(0, 3).Draw(rt, "slots") {
			s := booking.Slot{StartsAt: moment("start"), EndsAt: moment("end"), Remaining: number.Draw(rt, "free"),
				ResourceIDs: []uuid.UUID{}}
			for range rapid.IntRange(0, 3).Draw(rt, "resources") {
				s.ResourceIDs = append(s.ResourceIDs, uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(rt, "resource")))
			}
			d.Slots = append(d.Slots, s)
		}
		want, err := json.Marshal(dayBody{Date: d.Date.String(), Available: d.Available, Remaining: d.Remaining, Slots: d.Slots})
		require.NoError(rt, err)
		require.Equal(rt, string(want), string(appendDay(nil, d)))
	})
}

func TestNoneMatch_ListsAndWeakTags_AreCompared(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"": true, `"a"`: false, `W/"a"`: false, `"b"`: true, `"b", W/"a"`: false, `"b",,W/"c"`: true, "*": false, `a`: true, `"a`: true,
	} {
		require.Equal(t, want, (&availabilityInput{IfNoneMatch: header}).noneMatch(`W/"a"`), header)
	}
}

package timetable

import (
	"encoding/json"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestDay_AppendJSON_IsTheJSONOfItsBody(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		number := rapid.IntRange(0, 100_000)
		moment := func(name string) time.Time {
			offset := time.FixedZone("", 900*rapid.IntRange(-48, 56).Draw(rt, name+"'s offset"))
			return time.Date(rapid.IntRange(1900, 9000).Draw(rt, name+"'s year"), 1, 1, 0, number.Draw(rt, name), 0, 0,
				offset)
		}
		reason := func() Unavailable {
			return rapid.SampledFrom([]Unavailable{"", SoldOut, ClosedOn}).Draw(rt,
				"reason")
		}
		price := func() *int64 {
			if rapid.Bool().Draw(rt, "has a price") {
				return new(int64(number.Draw(rt, "price")))
			}
			return nil
		}
		d := Day{
			Date: civil.Date{Year: rapid.IntRange(1900, 9000).Draw(rt, "year"),
				Month: time.Month(rapid.IntRange(1, 12).Draw(rt, "month")), Day: 7},
			Available:    rapid.Bool().Draw(rt, "available"),
			Remaining:    number.Draw(rt, "remaining"),
			Slots:        []Slot{},
			Reason:       reason(),
			HasSlots:     rapid.Bool().Draw(rt, "sold by the slot"),
			Price:        price(),
			Capacity:     number.Draw(rt, "capacity"),
			LargestParty: number.Draw(rt, "largest party"),
		}
		for range rapid.IntRange(0, 3).Draw(rt, "slots") {
			s := Slot{
				StartsAt:     moment("start"),
				EndsAt:       moment("end"),
				Remaining:    number.Draw(rt, "free"),
				Reason:       reason(),
				Capacity:     number.Draw(rt, "capacity"),
				LargestParty: number.Draw(rt, "largest party"),
				Price:        price(),
				ResourceIDs:  []uuid.UUID{},
			}
			for range rapid.IntRange(0, 3).Draw(rt, "resources") {
				s.ResourceIDs = append(s.ResourceIDs,
					uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(rt, "resource")))
			}
			d.Slots = append(d.Slots, s)
		}
		body := DayBody{Date: d.Date.String(), Available: d.Available, Reason: d.Reason, Remaining: d.Remaining,
			Slots: d.Slots}
		if !d.HasSlots {
			body.Capacity, body.LargestParty, body.Price = &d.Capacity, &d.LargestParty, d.Price
		}
		want, err := json.Marshal(body)
		require.NoError(rt, err)
		require.Equal(rt, string(want), string(d.AppendJSON(nil)))
	})
}

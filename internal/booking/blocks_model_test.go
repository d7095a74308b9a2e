package booking_test

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// blockModel is a plain calendar of one resource: its blocks and bookings as lists of times, without units.
type blockModel struct {
	capacity int
	blocks   map[uuid.UUID][]span
	bookings map[uuid.UUID]partySpan
}

type span struct{ from, until time.Time }

type partySpan struct {
	span
	party int
}

func (s span) touches(o span) bool { return s.from.Before(o.until) && o.from.Before(s.until) }

func (m *blockModel) blocked(s span, except uuid.UUID) bool {
	for id, times := range m.blocks {
		for _, at := range times {
			if id != except && at.touches(s) {
				return true
			}
		}
	}
	return false
}

// free returns how many units are free for all of a time. A booking keeps its unit for all of its time, so what counts is how many bookings
// touch it only if these don't differ in time: the model's are of one grid and length.
func (m *blockModel) free(s span, except uuid.UUID) int {
	if m.blocked(s, uuid.Nil) {
		return 0
	}
	n := m.capacity
	for id, b := range m.bookings {
		if id != except && b.touches(s) {
			n -= b.party
		}
	}
	return n
}

func (m *blockModel) standing(times []span) bool {
	for _, b := range m.bookings {
		for _, at := range times {
			if b.touches(at) {
				return true
			}
		}
	}
	return false
}

// TestBlock_DrawnBlocksAndBookings_AgreeWithAPlainCalendar makes, changes and archives blocks among bookings that come, move and go. Each
// answer, and after each step what is free, is what the plain calendar says.
func TestBlock_DrawnBlocksAndBookings_AgreeWithAPlainCalendar(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Europe/Berlin", "Asia/Kathmandu", "America/New_York"} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.tenant = b.newTenant(t, zone)
			draw := rand.New(rand.NewPCG(7, uint64(len(zone))))
			m := &blockModel{capacity: 2, blocks: map[uuid.UUID][]span{}, bookings: map[uuid.UUID]partySpan{}}
			resource, service := b.newDesk(t, m.capacity)
			loc := b.tenant.Location
			slot := func() span {
				from := testtime.At(draw.IntN(4), 8+draw.IntN(8), 0, loc)
				return span{from, from.Add(time.Hour)}
			}
			// drawBlock returns a block and its times, by the model.
			drawBlock := func() (c catalog.BlockChange, times []span) {
				day, length, repeats := draw.IntN(4), 1+draw.IntN(2), 1+draw.IntN(2)
				if draw.IntN(3) == 0 {
					c = dates(resource, day, day+length-1)
				} else {
					from := 7 + draw.IntN(8)
					c = b.hours(resource, day, from, from+length)
				}
				if repeats > 1 {
					c.RRule = new("FREQ=DAILY;COUNT=2;INTERVAL=2")
				}
				for i := range repeats {
					if c.From != nil {
						times = append(times, span{testtime.At(day+2*i, 0, 0, loc), testtime.At(day+2*i+length, 0, 0, loc)})
						continue
					}
					first, err := time.Parse(time.RFC3339, *c.StartsAt)
					require.NoError(t, err)
					hour := first.In(loc).Hour()
					times = append(times, span{testtime.At(day+2*i, hour, 0, loc), testtime.At(day+2*i, hour+length, 0, loc)})
				}
				c.Force = draw.IntN(2) == 0
				return c, times
			}
			// judge requires the answer to a block that takes some times.
			judge := func(err error, c catalog.BlockChange, times []span, id uuid.UUID) bool {
				for _, at := range times {
					if m.blocked(at, id) {
						require.True(t, problem.Is(err, problem.BlockInTheWay), "%v", err)
						return false
					}
				}
				if m.standing(times) && !c.Force {
					require.True(t, problem.Is(err, problem.BookingsInTheWay), "%v", err)
					return false
				}
				require.NoError(t, err)
				return true
			}
			// oneOf draws from ids, which are made in their order, and returns the nil uuid for none.
			oneOf := func(ids iter.Seq[uuid.UUID]) uuid.UUID {
				sorted := slices.SortedFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
				if len(sorted) == 0 {
					return uuid.Nil
				}
				return sorted[draw.IntN(len(sorted))]
			}
			counts := map[string]int{}
			for step := range testtime.Rounds(150) {
				what := []string{"block", "block", "book", "book", "book", "move", "cancel", "change", "archive"}[draw.IntN(9)]
				switch id := oneOf(maps.Keys(m.blocks)); {
				case what == "block":
					c, times := drawBlock()
					made, err := createBlock(t, b.catalog, b, c)
					if judge(err, c, times, uuid.Nil) {
						m.blocks[made.ID] = times
						counts[fmt.Sprint("block, forced ", c.Force && m.standing(times))]++
					} else {
						counts["block refused"]++
					}
				case what == "change" && id != uuid.Nil:
					c, times := drawBlock()
					patch := fmt.Sprintf(`{"starts_at": %s, "ends_at": %s, "from": %s, "to": %s, "rrule": %s, "force": %v}`,
						orNull(c.StartsAt), orNull(c.EndsAt), orNull(c.From), orNull(c.To), orNull(c.RRule), c.Force)
					before := m.blocks[id]
					_, err := b.patchBlock(t, id, patch)
					if fmt.Sprint(before) == fmt.Sprint(times) {
						require.NoError(t, err)
					} else if judge(err, c, times, id) {
						m.blocks[id] = times
						counts["change"]++
					}
				case what == "archive" && id != uuid.Nil:
					require.NoError(t, b.archiveBlock(t, id, catalog.Archiving{Archived: true}))
					delete(m.blocks, id)
				case what == "book":
					at, party := slot(), 1+draw.IntN(2)
					n := forParty(newBooking(service, atTime(at.from)), party)
					made, _, err := create(t, b.service, b.tenant, newKey(), n)
					if m.free(at, uuid.Nil) >= party {
						require.NoError(t, err)
						m.bookings[made.ID] = partySpan{at, party}
						counts["book"]++
					} else {
						require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
						counts["book refused"]++
					}
				case what == "move" && len(m.bookings) > 0:
					id, at := oneOf(maps.Keys(m.bookings)), slot()
					moved := m.bookings[id]
					_, err := reschedule(t, b.service, b.tenant, id, to(atTime(at.from)))
					switch {
					case at.from.Equal(moved.from):
						require.NoError(t, err)
					case m.free(at, id) >= moved.party:
						require.NoError(t, err)
						m.bookings[id] = partySpan{at, moved.party}
						counts["move"]++
					default:
						require.True(t, problem.Is(err, problem.SlotUnavailable), "%v", err)
						counts["move refused"]++
					}
				case what == "cancel" && len(m.bookings) > 0:
					id := oneOf(maps.Keys(m.bookings))
					_, err := change(t, b.service, b.tenant, id, booking.Cancel)
					require.NoError(t, err)
					delete(m.bookings, id)
				}
				page, err := b.service.Availability(t.Context(), b.tenant, service,
					timetable.AvailabilityQuery{From: future(0), To: future(4), PartySize: 1})
				require.NoError(t, err)
				for day := range page.Days() {
					for _, s := range day.Slots {
						free := max(m.free(span{s.StartsAt, s.EndsAt}, uuid.Nil), 0)
						require.Equal(t, free, s.Remaining, "%v after step %d: %s", s.StartsAt, step, what)
					}
				}
			}
			for _, what := range []string{
				"block, forced false", "block, forced true", "block refused", "change", "book", "book refused", "move", "move refused",
			} {
				require.Positive(t, counts[what], "%s: %v", what, counts)
			}
			b.requireNoOverlap(t)
		})
	}
}

func orNull(text *string) string {
	if text == nil {
		return "null"
	}
	return quoted(*text)
}

package timetable

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
)

// Fingerprint returns a text that is the same as long as the page is: a hash of all that the page is computed from. Of
// a page with slots that can still become too soon to book, it changes every minute. Call it before Days.
func (p *AvailabilityPage) Fingerprint() string { return fingerprint([]*AvailabilityPage{p}) }

func fingerprint(pages []*AvailabilityPage) string {
	h := sha256.New()
	for _, p := range pages {
		p.hash(h)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// hash writes all that the page is computed from.
func (p *AvailabilityPage) hash(h hash.Hash) {
	a := p.times
	buffer := make([]byte, 0, 64)
	write := func(numbers ...int64) {
		buffer = buffer[:0]
		for _, n := range numbers {
			buffer = binary.LittleEndian.AppendUint64(buffer, uint64(n))
		}
		h.Write(buffer)
	}
	day := func(d civil.Date) int64 { return a.days.day(d).Midnight() }

	h.Write(a.rules.Service.ID[:])
	if a.rules.named != nil {
		h.Write(a.rules.named[:])
	}
	asked := int64(0)
	if p.listing.daysOnly {
		asked = 1
	}
	if a.prices {
		asked += 2
	}
	if a.rules.visitors {
		asked += 4
	}
	write(a.rules.Version, int64(a.party), int64(a.length), asked)
	write(day(p.at.Date), p.at.SlotStart.Unix(), p.at.SlotEnd.Unix(), day(p.last), day(p.to))

	// Bookings start at whole minutes. Those before a.earliest, and dates before a.firstDate and after a.lastDate,
	// can't be booked.
	over := p.to.AddDays(1)
	minute := min(max((a.earliest+59)/60*60, a.days.day(p.at.Date).Start()), a.days.day(over).Start())
	write(minute, min(max(day(a.firstDate), day(p.at.Date)), day(over)), min(day(a.lastDate), day(p.to)))

	for i := range a.resources {
		busy := a.resources[i].units.busy
		write(int64(len(busy)))
		for _, b := range busy {
			write(b.From, b.Until, int64(b.Units.From), int64(b.Units.Until))
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(a.sessions),
		func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }) {
		h.Write(id[:])
		write(int64(a.sessions[id].SeatsInUse), int64(len(a.sessions[id].FurtherIDs)))
		for _, further := range a.sessions[id].FurtherIDs {
			h.Write(further[:])
		}
	}
	for d := p.at.Date; len(a.bookings) > 0 && !d.After(p.last); d = d.AddDays(1) {
		write(int64(a.bookings[d]))
	}
}

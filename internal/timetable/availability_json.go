package timetable

import (
	"encoding/hex"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// DayBody is what is free on one date.
type DayBody struct {
	Date         string      `json:"date" format:"date" example:"2027-07-01"`
	Available    bool        `json:"available" doc:"Whether the party can be booked on the date; of a stay, whether it can arrive on it for the nights that were asked for."`
	Reason       Unavailable `json:"reason,omitempty" enum:"too_soon,too_late,closed,no_hours,no_arrival,sold_out,in_the_way" doc:"Why it can't; absent if it can. too_soon: it is over or within the lead time. too_late: beyond the booking window. closed: a closure. no_hours: nothing is open long enough. no_arrival: no stay of so many nights begins on this day of the week. sold_out, in_the_way: as of a slot; of several slots one reason is told."`
	Capacity     *int        `json:"capacity,omitempty" doc:"For a date service and a stay: the units of the resources that are open."`
	LargestParty *int        `json:"largest_party,omitempty" doc:"For a date service and a stay: the largest party that still fits one booking. A publishable key is told no more than limits.units of the tenant's website."`
	Price        *int64      `json:"price,omitempty" doc:"For a date service and a stay: what the party would pay, in minor units; with prices=true, unless the service has unit types."`
	Remaining    int         `json:"remaining" doc:"For a date service the units that are free, for a stay those that are free for all of it; for a slot service the slots that can still take the party. It counts the whole date, also where the date is continued on another page."`
	MaxNights    *int        `json:"max_nights,omitempty" example:"5" doc:"Of a stay: the most nights for which the party can stay from this date on; 0 if it can't arrive. A publishable key is told no more than limits.nights of the tenant's website."`
	Nights       []int       `json:"nights,omitempty" nullable:"false" example:"[2,3,4]" doc:"Of a stay: for how many nights the party can stay from this date on; absent if for none. Some numbers may be missing between others: see arrival_rules. A publishable key is told no more than limits.nights of the tenant's website."`
	Slots        []Slot      `json:"slots" nullable:"false" doc:"The slots of the date, taken ones included; empty for a date service, a stay, and with slots=false."`
}

// AppendJSON appends the JSON of a day, as encoding/json would with its DayBody. It makes nothing for the garbage
// collector.
func (d Day) AppendJSON(b []byte) []byte {
	b = append(b, `{"date":"`...)
	b = d.Date.In(time.UTC).AppendFormat(b, time.DateOnly)
	b = append(b, `","available":`...)
	b = strconv.AppendBool(b, d.Available)
	b = appendReason(b, d.Reason)
	if !d.HasSlots {
		b = appendNumber(b, "capacity", int64(d.Capacity))
		b = appendNumber(b, "largest_party", int64(d.LargestParty))
		b = appendPrice(b, d.Price)
	}
	b = appendNumber(b, "remaining", int64(d.Remaining))
	if d.MaxNights != nil {
		b = appendNumber(b, "max_nights", int64(*d.MaxNights))
	}
	for i, n := range d.Nights {
		if i == 0 {
			b = append(b, `,"nights":[`...)
		} else {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	if len(d.Nights) > 0 {
		b = append(b, ']')
	}
	b = append(b, `,"slots":[`...)
	for i, s := range d.Slots {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"starts_at":"`...)
		b = s.StartsAt.AppendFormat(b, time.RFC3339)
		b = append(b, `","ends_at":"`...)
		b = s.EndsAt.AppendFormat(b, time.RFC3339)
		b = appendReason(append(b, '"'), s.Reason)
		b = appendNumber(b, "capacity", int64(s.Capacity))
		b = appendNumber(b, "remaining", int64(s.Remaining))
		b = appendNumber(b, "largest_party", int64(s.LargestParty))
		b = appendPrice(b, s.Price)
		b = append(b, `,"resource_ids":[`...)
		for j, id := range s.ResourceIDs {
			if j > 0 {
				b = append(b, ',')
			}
			b = appendID(b, id)
		}
		b = append(b, "]}"...)
	}
	return append(b, "]}"...)
}

func appendNumber(b []byte, name string, n int64) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	return strconv.AppendInt(append(b, `":`...), n, 10)
}

// appendReason appends why something isn't available, if it isn't.
func appendReason(b []byte, reason Unavailable) []byte {
	if reason == "" {
		return b
	}
	b = append(b, `,"reason":"`...)
	return append(append(b, reason...), '"')
}

func appendPrice(b []byte, price *int64) []byte {
	if price == nil {
		return b
	}
	return appendNumber(b, "price", *price)
}

func appendID(b []byte, id uuid.UUID) []byte {
	b = hex.AppendEncode(append(b, '"'), id[:4])
	b = hex.AppendEncode(append(b, '-'), id[4:6])
	b = hex.AppendEncode(append(b, '-'), id[6:8])
	b = hex.AppendEncode(append(b, '-'), id[8:10])
	b = hex.AppendEncode(append(b, '-'), id[10:])
	return append(b, '"')
}

package check

import (
	"slices"
	"strings"
	"time"
)

// reminderKind is the kind of the events that remind of bookings, and the type of their notices.
const reminderKind = "booking.reminder"

// notice is a notice about a subject, and the subject's last change before it in the order in which readers see them;
// nil if there is none.
type notice struct {
	*Change
	after *Change
}

// finish is a commit that completed events about a subject.
type finish struct {
	tenant, subject string
	transaction     int64
}

// reminders checks that each reminder was sent at most once, of a booking that was confirmed and had the reminder's
// time then. The commit that completes a reminder's event writes its notice.
//
// The order of the feed says what a booking was then, and no clock. A notice stands between the change of its version
// and the next one, always. The worker reads the booking. Then it writes the notice in a transaction that locks the
// booking's row first, and writes nothing if another transaction has the lock or the version is another one. So the
// change of the notice's version had committed before the transaction began, and has a lower transaction id. The next
// change locks the row before its transaction writes anything: it waits for the notice's commit, and gets its id, which
// is higher, only then.
func (c *checker) reminders() {
	sent := map[scopedKey]bool{} // by tenant, and subject and occurrence
	finished := map[finish][]string{}
	for _, e := range c.end.EventChanges {
		if e.Kind != reminderKind || e.To != "completed" {
			continue
		}
		id := scopedKey{e.Tenant, e.Subject + " " + e.Occurrence}
		if sent[id] {
			c.violate(RuleReminder, nil, "the reminder %s of the booking %s was sent twice", e.Occurrence, e.Subject)
		}
		sent[id] = true
		by := finish{e.Tenant, e.Subject, e.WrittenBy}
		finished[by] = append(finished[by], e.Occurrence)
	}
	for _, n := range c.notices {
		told := read[answer](n.Data)
		by := finish{n.Tenant, n.Subject, n.WrittenBy}
		i := slices.IndexFunc(finished[by], func(occurrence string) bool {
			return strings.HasSuffix(occurrence, "/"+told.StartsAt.UTC().Format(time.RFC3339))
		})
		if n.Type != reminderKind || i < 0 {
			c.violate(RuleReminder, nil,
				"the notice %s (%s) of %s was written in a commit that completed no reminder for %s", n.ID, n.Type,
				n.Subject, told.StartsAt)
			continue
		}
		finished[by] = slices.Delete(finished[by], i, i+1)
		c.reminded(n, told)
	}
	for by, left := range finished {
		for _, occurrence := range left {
			c.violate(RuleReminder, nil, "the reminder %s of the booking %s was completed without a notice", occurrence,
				by.subject)
		}
	}
}

// reminded compares a reminder with the change before it.
func (c *checker) reminded(n notice, told answer) {
	if n.after == nil {
		c.violate(RuleReminder, nil, "the reminder %s was sent before the booking %s was made", n.ID, n.Subject)
		return
	}
	switch last := read[answer](n.after.Data); {
	case last.status() != "confirmed":
		c.violate(RuleReminder, nil,
			"the reminder %s was sent of version %d of the booking %s, which was %s by version %d", n.ID,
			n.Sequence, n.Subject, last.status(), n.after.Sequence)
	case !last.StartsAt.Equal(told.StartsAt):
		c.violate(RuleReminder, nil,
			"the reminder %s was sent for %s, and the booking %s had moved to %s by version %d", n.ID,
			told.StartsAt, n.Subject, last.StartsAt, n.after.Sequence)
	case n.after.Sequence != n.Sequence:
		c.violate(RuleReminder, nil, "the reminder %s was sent of version %d of the booking %s after version %d", n.ID,
			n.Sequence,
			n.Subject, n.after.Sequence)
	}
}

package lockview

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"holdfast/internal/db"
	"holdfast/internal/expiring"
	"holdfast/internal/lock"
	"holdfast/internal/tenant"
)

// What bounds the search for a key's name.
const (
	// Dates from so many years ago to so many years ahead are tried. Bookings lie at most ten years ahead.
	yearsBack, yearsAhead = 10, 20
	// The newest bookings are tried, so many in all, shared among the tenants, for at most searchTime.
	maxBookings = 1_000_000
	searchTime  = 2 * time.Second
	pageRows    = 20_000
	// A key is not searched for again for this time, found or not.
	cacheTime = time.Minute
	maxKnown  = 20_000 // keys; more than a server has room for
)

// Service shows locks. It is safe for concurrent use.
type Service struct {
	db    *db.DB
	known *otter.Cache[int64, []NameBody]
	log   *slog.Logger
}

// NewService shows the locks of the database d. Give it connections of its own: it is needed most when all others wait
// for locks.
func NewService(d *db.DB, log *slog.Logger) *Service {
	return &Service{
		db: d, log: log,
		known: expiring.New(maxKnown, otter.ExpiryWriting[int64, []NameBody](cacheTime)),
	}
}

// View returns the advisory locks of the database. It takes no lock. A key whose name can't be found is shown raw; so
// are all when the search fails, which is logged. Errors: problem.DatabaseUnavailable.
func (s *Service) View(ctx context.Context) (LocksBody, error) {
	table, err := readTable(ctx, s.db)
	if err != nil {
		return LocksBody{}, err
	}
	var ids []int64
	for _, r := range table.requests {
		if k := keyOf(r); k.hashed() {
			ids = append(ids, k.ID())
		}
	}
	names, err := s.Names(ctx, table.now, ids...)
	if err != nil {
		s.log.Warn("names of locks can't be looked up; has the database been migrated?", "error", err)
	}
	return arrange(table, names), nil
}

// Names returns the names of keys, as far as they are known. It tries dates around the day of now. With an
// error it returns the names that could be told without the database. Errors: problem.DatabaseUnavailable, and an
// error without a code when the schema is older than this program.
func (s *Service) Names(ctx context.Context, now time.Time, ids ...int64) (map[int64][]NameBody, error) {
	names := make(map[int64][]NameBody, len(ids))
	var resolver lock.Resolver
	var wanted []int64
	for _, id := range ids {
		if known, ok := s.known.GetIfPresent(id); ok {
			names[id] = known
		} else {
			wanted = append(wanted, id)
		}
	}
	resolver.Want(wanted...)
	slugs, err := s.resolve(ctx, now, &resolver)
	for _, id := range slices.Compact(slices.Sorted(slices.Values(wanted))) {
		for _, m := range resolver.Names(id) {
			names[id] = append(names[id], nameOf(m, slugs))
		}
		if err == nil {
			s.known.Set(id, names[id])
		}
	}
	return names, err
}

// resolve tries the names that the database knows for the keys that have no name yet. It returns the tenants' slugs.
func (s *Service) resolve(ctx context.Context, now time.Time, resolver *lock.Resolver) (map[uuid.UUID]string, error) {
	if len(resolver.Unresolved()) == 0 {
		return nil, nil
	}
	slugs := make(map[uuid.UUID]string)
	var ids []uuid.UUID
	var tenants [][16]byte
	for after := uuid.Nil; ; {
		page, err := tenant.ListNames(ctx, s.db, after, pageRows)
		if err != nil {
			return nil, err
		}
		for _, t := range page {
			slugs[t.TenantID], after = t.Slug, t.TenantID
			ids, tenants = append(ids, t.TenantID), append(tenants, t.TenantID)
		}
		if len(page) < pageRows {
			break
		}
	}
	resolver.TryDates(tenants, date(now.AddDate(-yearsBack, 0, 0)), date(now.AddDate(yearsAhead, 0, 0)))

	each := min(max(maxBookings/max(len(ids), 1), 1), pageRows)
	deadline := time.Now().Add(searchTime)
	for some := range slices.Chunk(ids, max(pageRows/each, 1)) {
		if len(resolver.Unresolved()) == 0 || time.Now().After(deadline) {
			break
		}
		bookings, err := newestBookings(ctx, s.db, some, each)
		if err != nil {
			return slugs, err
		}
		for _, b := range bookings {
			resolver.TryBooking(b.TenantID, b.BookingID)
		}
	}
	return slugs, nil
}

func date(t time.Time) lock.Date {
	year, month, day := t.Date()
	return lock.Date{Year: year, Month: month, Day: day}
}

func nameOf(m lock.Name, slugs map[uuid.UUID]string) NameBody {
	n := NameBody{Name: m.Name(), Pattern: m.Pattern, TenantSlug: slugs[m.Tenant], session: m.Session}
	if id := uuid.UUID(m.Tenant); id != uuid.Nil {
		n.TenantID = &id
	}
	return n
}

// Read returns the lock that an operator names: by its name, by the label of a fixed number, or by its key as a signed
// decimal or as 0x with up to 16 hexadecimal digits. The names of a key are those that are known without a database.
// Anything else is an error.
func Read(text string) (LockBody, error) {
	if id, ok := parseKey(text); ok {
		l := lockOf(KeyOf(id), nil)
		var resolver lock.Resolver
		resolver.Want(id)
		for _, m := range resolver.Names(id) {
			l.Names = append(l.Names, nameOf(m, nil))
		}
		return l, nil
	}
	m, ok := lock.ParseName(text)
	if !ok {
		return LockBody{}, fmt.Errorf("%q is neither a lock's name as docs/locks-registry.md spells it nor a key", text)
	}
	return lockOf(KeyOf(m.ID()), map[int64][]NameBody{m.ID(): {nameOf(m, nil)}}), nil
}

func parseKey(text string) (int64, bool) {
	if digits, hex := strings.CutPrefix(text, "0x"); hex {
		id, err := strconv.ParseUint(digits, 16, 64)
		return int64(id), err == nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil
}

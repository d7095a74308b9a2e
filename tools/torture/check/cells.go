package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/payment"
)

// Database is a database of a run. Cell is the name of its cell, empty for the only database of a run without cells.
// URL is the superuser's.
type Database struct{ Cell, URL string }

// epoch is how many ids of transactions there are before PostgreSQL, which keeps 32 bits of them in rows, uses them
// again. The ids of each further cell are raised by one more epoch: so ids of two cells are never the same.
const epoch = 1 << 32

// arrivedWith stands for the transaction that copied a row from another cell.
const arrivedWith = -1

// recordedOrigins is how a cell notes which transaction wrote a change: the copy in another cell has another number. It
// also notes the transactions that copied a tenant, by the name of their session.
const recordedOrigins = `
	CREATE TABLE torture.copies (tenant_id text, transaction_id xid8, PRIMARY KEY (tenant_id, transaction_id));
	CREATE FUNCTION torture.note_copy() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
	BEGIN
		IF current_setting('application_name') LIKE '% move' THEN
			INSERT INTO torture.copies VALUES (current_setting('holdfast.tenant_id'), pg_current_xact_id()) ON CONFLICT DO NOTHING;
		END IF;
		RETURN NULL;
	END $$;
	DO $$ DECLARE r regclass; BEGIN
		FOR r IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname IN (
			'idempotency_keys', 'customers', 'payments', 'wallets', 'wallet_entries', 'wallet_postings', 'changes', 'bookings', 'claims',
			'scheduled_events') LOOP
			EXECUTE format('CREATE TRIGGER torture_copy AFTER INSERT OR UPDATE ON %s EXECUTE FUNCTION torture.note_copy()', r);
		END LOOP;
	END $$;
	CREATE TABLE torture.origins (tenant_id uuid, change_id uuid, transaction_id xid8);
	CREATE FUNCTION torture.note_origin() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
	BEGIN
		INSERT INTO torture.origins VALUES (NEW.tenant_id, NEW.change_id, pg_current_xact_id());
		RETURN NULL;
	END $$;
	CREATE TRIGGER torture_origin AFTER INSERT ON changes FOR EACH ROW EXECUTE FUNCTION torture.note_origin();`

// origin is the transaction that wrote a change.
type origin struct {
	Tenant, Change string
	Transaction    int64
}

// arrival is a transaction that copied rows of a tenant to a cell, as rows have its id.
type arrival struct {
	Tenant      string
	Transaction int64
}

// cellState is the state of one cell.
type cellState struct {
	State

	origins  []origin
	arrivals []arrival
}

// ReadAll reads the state that a run ended in, as Read does: of each tenant, what is in the cell in which the directory
// has it.
func ReadAll(ctx context.Context, databases []Database, provider payment.Provider) (State, error) {
	first, err := Read(ctx, databases[0].URL, provider)
	if err != nil || databases[0].Cell == "" {
		return first, err
	}
	all := State{TimeZones: map[string]string{}, Movements: first.Movements}
	directory, err := readCell(ctx, databases[0], readDirectory)
	if err != nil {
		return all, err
	}
	written := map[scopedKey]int64{} // by tenant and change
	for i, d := range databases {
		state := first
		if i > 0 {
			if state, err = Read(ctx, d.URL, nil); err != nil {
				return all, err
			}
		}
		one, err := readCell(ctx, d, func(ctx context.Context, conn *pgx.Conn) (one cellState, err error) {
			one.State = state
			if one.origins, one.arrivals, err = readOrigins(ctx, conn); err == nil {
				one.WrongCells, err = compareWithDirectory(ctx, conn, d.Cell, directory)
			}
			return one, err
		})
		if err != nil {
			return all, err
		}
		for id, transaction := range one.number(int64(i) * epoch) {
			written[id] = transaction
		}
		all.add(&one.State, func(tenant string) bool { return directory[tenant] == d.Cell })
	}
	for i := range all.Changes {
		if c := &all.Changes[i]; c.WrittenBy == arrivedWith {
			c.Transaction = written[scopedKey{c.Tenant, c.ID}]
			c.WrittenBy = c.Transaction
		}
	}
	slices.SortStableFunc(all.Stays, func(a, b Stay) int { return a.At.Compare(b.At) })
	slices.SortStableFunc(all.EventChanges, func(a, b EventChange) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Version, b.Version),
			a.At.Compare(b.At))
	})
	return all, nil
}

func readCell[T any](ctx context.Context, d Database, do func(context.Context, *pgx.Conn) (T, error),
) (found T, err error) {
	conn, err := pgx.Connect(ctx, d.URL)
	if err != nil {
		return found, fmt.Errorf("read the cell %s: %w", d.Cell, err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if found, err = do(ctx, conn); err != nil {
		return found, fmt.Errorf("read the cell %s: %w", d.Cell, err)
	}
	return found, nil
}

// readDirectory returns the cell of each tenant.
func readDirectory(ctx context.Context, conn *pgx.Conn) (map[string]string, error) {
	rows, err := conn.Query(ctx, `SELECT tenant_id::text, cell FROM cell_directory`)
	if err != nil {
		return nil, err
	}
	cells, tenant, cell := map[string]string{}, "", ""
	_, err = pgx.ForEachRow(rows, []any{&tenant, &cell}, func() error {
		cells[tenant] = cell
		return nil
	})
	return cells, err
}

func readOrigins(ctx context.Context, conn *pgx.Conn) (origins []origin, arrivals []arrival, err error) {
	rows, err := conn.Query(ctx, `
		SELECT tenant_id::text AS tenant, change_id::text AS change, transaction_id::text::bigint AS transaction FROM torture.origins`)
	if err == nil {
		origins, err = pgx.CollectRows(rows, pgx.RowToStructByName[origin])
	}
	if err != nil {
		return nil, nil, err
	}
	rows, err = conn.Query(ctx, `
		SELECT tenant_id AS tenant, transaction_id::text::bigint % 4294967296 AS transaction FROM torture.copies`)
	if err == nil {
		arrivals, err = pgx.CollectRows(rows, pgx.RowToStructByName[arrival])
	}
	return origins, arrivals, err
}

// compareWithDirectory says which tenants have rows in a cell in which the directory doesn't have them, and which have
// none in the cell in which it has them.
func compareWithDirectory(ctx context.Context, conn *pgx.Conn, cell string, directory map[string]string,
) (found []string, err error) {
	rows, err := conn.Query(ctx, `
		SELECT DISTINCT quote_ident(table_name) FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name = 'tenant_id'
			AND table_name NOT IN ('tenant_moves', 'tenant_arrivals', 'cell_directory')
		ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	here := map[string]bool{}
	for _, table := range tables {
		rows, err := conn.Query(ctx, `SELECT tenant_id::text, count(*) FROM public.`+table+`
			WHERE tenant_id <> '00000000-0000-0000-0000-000000000000' GROUP BY 1 ORDER BY 1`)
		if err != nil {
			return nil, err
		}
		var tenant string
		var n int64
		if _, err := pgx.ForEachRow(rows, []any{&tenant, &n}, func() error {
			here[tenant] = here[tenant] || table == "tenants"
			if in := directory[tenant]; in != cell {
				found = append(found,
					fmt.Sprintf("the tenant %s has %d rows of %s in the cell %s, and the directory has it in %q",
						tenant, n, table, cell, in))
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	for tenant, in := range directory {
		if in == cell && !here[tenant] {
			found = append(found,
				fmt.Sprintf("the directory has the tenant %s in the cell %s, and it isn't there", tenant, cell))
		}
	}
	return found, nil
}

// number raises the ids of the cell's transactions by base, and marks the rows that came with their tenant. It returns
// which transaction wrote which change, and leaves out the stays that only say where bookings were when they came.
func (s *cellState) number(base int64) (written map[scopedKey]int64) {
	copies := map[arrival]bool{}
	for _, a := range s.arrivals {
		copies[a] = true
	}
	number := func(tenant string, writtenBy *int64) {
		if copies[arrival{tenant, *writtenBy}] {
			*writtenBy = arrivedWith
		} else {
			*writtenBy += base
		}
	}
	for i := range s.Keys {
		number(s.Keys[i].Tenant, &s.Keys[i].WrittenBy)
	}
	for i := range s.Customers {
		number(s.Customers[i].Tenant, &s.Customers[i].WrittenBy)
	}
	for i := range s.Payments {
		number(s.Payments[i].Tenant, &s.Payments[i].WrittenBy)
	}
	for i := range s.Wallets {
		number(s.Wallets[i].Tenant, &s.Wallets[i].WrittenBy)
	}
	for i := range s.Entries {
		number(s.Entries[i].Tenant, &s.Entries[i].WrittenBy)
	}
	for i := range s.Postings {
		number(s.Postings[i].Tenant, &s.Postings[i].WrittenBy)
	}
	for i := range s.Changes {
		number(s.Changes[i].Tenant, &s.Changes[i].WrittenBy)
		s.Changes[i].Transaction += base
	}
	s.EventChanges = slices.DeleteFunc(s.EventChanges,
		func(one EventChange) bool { return copies[arrival{one.Tenant, one.WrittenBy}] })
	for i := range s.EventChanges {
		s.EventChanges[i].WrittenBy += base
	}
	s.Stays = slices.DeleteFunc(s.Stays, func(one Stay) bool { return copies[arrival{one.Tenant, one.Transaction}] })
	for i := range s.Stays {
		s.Stays[i].Transaction += base
	}
	written = map[scopedKey]int64{}
	for _, o := range s.origins {
		if !copies[arrival{o.Tenant, o.Transaction}] {
			written[scopedKey{o.Tenant, o.Change}] = o.Transaction + base
		}
	}
	return written
}

// add adds the state of a cell: of its rows those of the tenants that are in it, and all that was recorded.
func (s *State) add(one *State, here func(tenant string) bool) {
	if one.Now.After(s.Now) {
		s.Now = one.Now
	}
	for tenant, zone := range one.TimeZones {
		if here(tenant) {
			s.TimeZones[tenant] = zone
		}
	}
	s.Resources = addHere(s.Resources, one.Resources, func(r *Resource) bool { return here(r.Tenant) })
	s.Services = addHere(s.Services, one.Services, func(r *Service) bool { return here(r.Tenant) })
	s.Bookings = addHere(s.Bookings, one.Bookings, func(r *Booking) bool { return here(r.Tenant) })
	s.Keys = addHere(s.Keys, one.Keys, func(r *Key) bool { return here(r.Tenant) })
	s.Payments = addHere(s.Payments, one.Payments, func(r *Payment) bool { return here(r.Tenant) })
	s.Customers = addHere(s.Customers, one.Customers, func(r *Customer) bool { return here(r.Tenant) })
	s.Wallets = addHere(s.Wallets, one.Wallets, func(r *Wallet) bool { return here(r.Tenant) })
	s.Entries = addHere(s.Entries, one.Entries, func(r *WalletEntry) bool { return here(r.Tenant) })
	s.Postings = addHere(s.Postings, one.Postings, func(r *WalletPosting) bool { return here(r.Tenant) })
	s.Changes = addHere(s.Changes, one.Changes, func(r *Change) bool { return here(r.Tenant) })
	s.Scheduled = addHere(s.Scheduled, one.Scheduled, func(r *ScheduledEvent) bool { return here(r.Tenant) })
	s.Stays, s.EventChanges = append(s.Stays, one.Stays...), append(s.EventChanges, one.EventChanges...)
	s.Overlaps, s.WrongClaims = append(s.Overlaps, one.Overlaps...), append(s.WrongClaims, one.WrongClaims...)
	s.Left, s.WrongCells = append(s.Left, one.Left...), append(s.WrongCells, one.WrongCells...)
}

func addHere[T any](all, rows []T, here func(*T) bool) []T {
	for i := range rows {
		if here(&rows[i]) {
			all = append(all, rows[i])
		}
	}
	return all
}

// cells reports tenants that aren't in one cell alone, the one that the directory names.
func (c *checker) cells() {
	for _, text := range c.end.WrongCells {
		c.violate(RuleCell, nil, "%s", text)
	}
}

package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"example.com/other"
)

const prefix = "pg_try_adv"

var query = "SELECT PG_Advisory_Xact_Lock($1)" // want `pg_advisory_xact_lock is named here.*list .store/bad.go:query.`

func everywhere(ctx context.Context, tx pgx.Tx, key int64, kind string) {
	_, _ = tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", key) // want `pg_advisory_xact_lock is named here.*list .store/bad.go:everywhere.`
}

func concatenated(ctx context.Context, tx pgx.Tx, kind string) []string {
	half := "isory_xact_lock($1)"
	return []string{
		"SELECT " + prefix + "isory_xact_lock($1)",                       // want `pg_try_advisory_xact_lock is named here`
		"SELECT " + prefix + half,                                        // want `pg_try_advisory_xact_lock is named here`
		"SELECT pg_" + kind + "advisory_lock($1)",                        // want `pg_\*advisory_lock is named here`
		fmt.Sprintf("SELECT pg_%s_lock($1)", "advisory"),                 // want `pg_advisory_lock is named here`
		strings.Join([]string{"SELECT pg", "advisory", "lock($1)"}, "_"), // want `pg_advisory_lock is named here`
		other.Lock,               // want `pg_advisory_xact_lock is named here`
		`pg_advisory_unlock_all`, // want `pg_advisory_unlock_all is named here`
	}
}

func message() error {
	return fmt.Errorf("pg_advisory_lock failed: %d", 1) // want `pg_advisory_lock is named here`
}

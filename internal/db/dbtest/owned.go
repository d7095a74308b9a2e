package dbtest

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// Owned gives the database at an address to a new login, which is no superuser, so that row-level security binds it. It
// returns the address with that login.
func Owned(t testing.TB, database string) string {
	t.Helper()
	sql := SQL(t, database)
	login := "holdfast_test_login_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	exec := func(statements string) {
		_, err := sql.Exec(context.Background(), strings.ReplaceAll(statements, "login", login))
		require.NoError(t, err)
	}
	exec(`CREATE ROLE login LOGIN; GRANT holdfast_app, holdfast_cleanup,
		holdfast_deleter, holdfast_operator, holdfast_worker TO login;
		DO $$ DECLARE r regclass; BEGIN
			EXECUTE format('ALTER DATABASE %I OWNER TO login', current_database());
			FOR r IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
				EXECUTE format('ALTER TABLE %s OWNER TO login', r);
			END LOOP;
		END $$`)
	t.Cleanup(func() { exec("REASSIGN OWNED BY login TO CURRENT_USER; DROP OWNED BY login; DROP ROLE login") })
	u, err := url.Parse(database)
	require.NoError(t, err)
	u.User = url.User(login)
	return u.String()
}

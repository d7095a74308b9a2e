package pgtest_test

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/testtime"
)

func query[T any](t *testing.T, url, sql string) T {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	var value T
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&value))
	return value
}

func exec(ctx context.Context, url, sql string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	return errors.Join(err, conn.Close(ctx))
}

func TestDatabase_ManyParallelTests_EachHaveTheirOwn(t *testing.T) {
	t.Parallel()
	var prepared atomic.Int32
	prepare := func(ctx context.Context, url string) error {
		prepared.Add(1)
		return exec(ctx, url,
			"CREATE EXTENSION btree_gist; CREATE TABLE note (body text); INSERT INTO note VALUES ('template')")
	}
	t.Run("group", func(t *testing.T) {
		for i := range testtime.Rounds(30) {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				url := pgtest.Database(t, prepare)
				require.NoError(t, exec(t.Context(), url, "INSERT INTO note VALUES ('"+strconv.Itoa(i)+"')"))
				require.Equal(t, "template,"+strconv.Itoa(i),
					query[string](t, url, "SELECT string_agg(body, ',') FROM note"))
			})
		}
	})
	require.EqualValues(t, 1, prepared.Load(), "the template is filled once")
}

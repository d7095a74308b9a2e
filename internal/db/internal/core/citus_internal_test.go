package core

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestParseConfig_SeveralHosts_AreAskedWhichOneHasTheSchema(t *testing.T) {
	t.Parallel()
	for url, asked := range map[string]bool{
		"postgres://one/db": false, "postgres://one:5432,one:5432/db": false,
		"postgres://one,two/db": true, "postgres://one:1,one:2/db": true,
	} {
		cfg, err := ParseConfig(url)
		require.NoError(t, err)
		require.Equal(t, asked, cfg.ValidateConnect != nil, url)
	}
}

func TestEachHost_SeveralWaysToAHost_AreOne(t *testing.T) {
	t.Parallel()
	cfg, err := pgx.ParseConfig("postgres://one:1,two:2,one:3,two:2/db?sslmode=prefer")
	require.NoError(t, err)
	var hosts []string
	var ports []uint16
	for _, one := range EachHost(cfg) {
		require.Empty(t, one.Fallbacks)
		hosts, ports = append(hosts, one.Host), append(ports, one.Port)
	}
	require.Equal(t, []string{"one", "two", "one"}, hosts)
	require.Equal(t, []uint16{1, 2, 3}, ports)
}

func TestIsBeforeCommit_ErrorOfTheCommitOrOfNoStatement_MayBeAfterIt(t *testing.T) {
	t.Parallel()
	failed := errors.New("the node can't be reached")
	require.True(t, isBeforeCommit(&statementError{name: "insert a booking", err: failed}))
	require.False(t, isBeforeCommit(&statementError{name: commitSQL, err: failed}))
	require.False(t, isBeforeCommit(&statementError{name: endOfBatch, err: failed}))
	require.False(t, isBeforeCommit(failed))
}

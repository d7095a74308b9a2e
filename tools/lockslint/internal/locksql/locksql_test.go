package locksql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/tools/lockslint/internal/locksql"
)

func TestCalls_AStatementThatOnlyLocks_IsAlone(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"SELECT pg_advisory_xact_lock($1)",
		"select PG_CATALOG.pg_advisory_xact_lock($1::bigint) AS locked;",
		"SELECT pg_try_advisory_lock(sqlc.arg(key)::bigint)",
		"SELECT pg_advisory_lock(CAST(:key AS bigint))",
		"SELECT pg_advisory_unlock_all()",
		"-- name: A :exec\nSELECT /* why */ pg_advisory_lock(@key)",
		"BEGIN; SELECT pg_advisory_xact_lock($1); SELECT free FROM days",
	} {
		calls := locksql.Calls(sql)
		require.Len(t, calls, 1, sql)
		require.True(t, calls[0].Alone, sql)
		require.False(t, calls[0].Made || calls[0].Pair, sql)
	}
}

func TestCalls_AStatementThatDoesMore_IsNotAlone(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{
		"SELECT pg_advisory_xact_lock($1), free FROM days",
		"SELECT free, pg_advisory_xact_lock($1) FROM days",
		"SELECT pg_advisory_xact_lock($1), book($2)",
		"SELECT book(pg_advisory_xact_lock($1))",
		"WITH l AS MATERIALIZED (SELECT pg_advisory_xact_lock($1)) SELECT 1 FROM l",
		"SELECT pg_advisory_xact_lock(id) FROM days ORDER BY id LIMIT 5",
		"SELECT pg_advisory_xact_lock((SELECT id FROM days))",
		"INSERT INTO t SELECT pg_advisory_xact_lock(1)",
		"UPDATE days SET sold = true WHERE pg_try_advisory_xact_lock(id)",
	} {
		calls := locksql.Calls(sql)
		require.Len(t, calls, 1, sql)
		require.False(t, calls[0].Alone, sql)
	}
}

func TestCalls_WhatCallsNothing_HasNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"SELECT pid FROM pg_locks WHERE locktype = 'advisory'",
		"SELECT to_regprocedure('pg_advisory_lock(bigint)')",
		"-- pg_advisory_lock(1)\nSELECT 1",
		"pg_advisory_lock doesn't exclude",
		"pg_advisory_lock(",
	} {
		require.Empty(t, locksql.Calls(text), text)
	}
}

func TestCalls_Keys_AreReadFromTheText(t *testing.T) {
	t.Parallel()
	number := locksql.Calls("SELECT 1;\n\nSELECT pg_advisory_lock(-42::bigint)")
	require.Equal(t, []locksql.Call{{Function: "pg_advisory_lock", Line: 2, Alone: true, Keys: []int64{-42}}}, number)
	require.True(t, locksql.Calls("SELECT pg_advisory_lock(hashtext($1))")[0].Made)
	require.True(t, locksql.Calls("SELECT pg_advisory_lock($1, $2)")[0].Pair)
}

func TestKind_IsThatOfTheFunction(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{
		"pg_advisory_xact_lock": "transaction", "pg_try_advisory_xact_lock_shared": "transaction", "pg_advisory_lock_shared": "session",
		"pg_try_advisory_lock": "session", "pg_advisory_unlock_shared": "release", "pg_advisory_unlock_all": "release",
	} {
		require.Equal(t, kind, locksql.Kind(name), name)
	}
}

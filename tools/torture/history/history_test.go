package history_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/tools/torture/history"
)

func TestWriter_ManyClients_EveryOperationIsReadAsItEnded(t *testing.T) {
	t.Parallel()
	const clients, each = 8, 50
	path := filepath.Join(t.TempDir(), "history")
	w, err := history.Create(path)
	require.NoError(t, err)
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for i := range each {
				op, err := w.Invoke(history.Operation{Client: client, Kind: "create",
					Request: json.RawMessage(`{"a":1}`)})
				if err != nil {
					t.Errorf("invoke: %v", err)
					return
				}
				if i == each-1 {
					continue // stays open
				}
				op.Outcome, op.Status, op.Response = history.Done, 201, json.RawMessage(`{"id":"x"}`)
				if _, err := w.Return(op); err != nil {
					t.Errorf("return: %v", err)
				}
			}
		})
	}
	all.Wait()
	require.NoError(t, w.Close())

	ops, err := history.Read(path)
	require.NoError(t, err)
	require.Len(t, ops, clients*each)
	open := 0
	for i, op := range ops {
		require.EqualValues(t, i+1, op.ID)
		require.JSONEq(t, `{"a":1}`, string(op.Request))
		if op.Returned == 0 {
			open++
			require.Equal(t, history.Unknown, op.Outcome)
			continue
		}
		require.Equal(t, history.Done, op.Outcome)
		require.Greater(t, op.Returned, op.Invoked)
		require.JSONEq(t, `{"id":"x"}`, string(op.Response))
	}
	require.Equal(t, clients, open)
}

func TestWriter_InvocationHasReturned_ItIsInTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history")
	w, err := history.Create(path)
	require.NoError(t, err)
	for range 20 {
		op, err := w.Invoke(history.Operation{Kind: "create"})
		require.NoError(t, err)
		ops, err := history.Read(path)
		require.NoError(t, err)
		require.Equal(t, op.ID, ops[len(ops)-1].ID)
	}
	require.NoError(t, w.Close())
}

func TestRead_TornEnd_IsAsIfNotWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history")
	w, err := history.Create(path)
	require.NoError(t, err)
	op, err := w.Invoke(history.Operation{Kind: "create"})
	require.NoError(t, err)
	op.Outcome = history.Done
	_, err = w.Return(op)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, content[:len(content)-5], 0o600))

	ops, err := history.Read(path)
	require.NoError(t, err)
	require.Len(t, ops, 1)
	require.Equal(t, history.Unknown, ops[0].Outcome)

	require.NoError(t, os.WriteFile(path, append([]byte("{torn\n"), content...), 0o600))
	_, err = history.Read(path)
	require.ErrorContains(t, err, "line 1")
}

package cell_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/cell"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cells.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestReadSpecs_TwoCells_AreReadInTheirOrder(t *testing.T) {
	t.Parallel()
	specs, err := cell.ReadSpecs(write(t, `{"cells": [
		{"name": "eu1", "database_url": "postgres://u:secret@127.0.0.1/a", "direct_database_url": "postgres://u@127.0.0.1:5433/a",
			"database_conns": 8},
		{"name": "eu2", "database_url": "postgres://u@127.0.0.1/a?search_path=eu2", "standby_url": "postgres://u@127.0.0.2/a"}]}`))
	require.NoError(t, err)
	require.Equal(t, []cell.Spec{
		{
			Name: "eu1", DatabaseURL: "postgres://u:secret@127.0.0.1/a",
			DirectDatabaseURL: "postgres://u@127.0.0.1:5433/a",
			DatabaseConns:     8,
		},
		{
			Name: "eu2", DatabaseURL: "postgres://u@127.0.0.1/a?search_path=eu2",
			DirectDatabaseURL: "postgres://u@127.0.0.1/a?search_path=eu2", StandbyURL: "postgres://u@127.0.0.2/a",
		},
	}, specs)
}

func TestReadSpecs_FileThatCannotBeUsed_IsRefusedWithoutItsPasswords(t *testing.T) {
	t.Parallel()
	const good = `"database_url": "postgres://u:secret@127.0.0.1/a"`
	for name, test := range map[string]struct{ text, says string }{
		"no cells":             {`{"cells": []}`, "lists 0 cells"},
		"a name with capitals": {`{"cells": [{"name": "EU", ` + good + `}]}`, "the name of cell 1"},
		"no name":              {`{"cells": [{` + good + `}]}`, "the name of cell 1"},
		"a name twice": {`{"cells": [{"name": "a", ` + good + `}, {"name": "a", ` + good + `}]}`,
			"lists the cell a twice"},
		"no URL": {`{"cells": [{"name": "a"}]}`, "cell a: expected a PostgreSQL URL"},
		"a URL without a port": {
			`{"cells": [{"name": "a", "database_url": "postgres://u:secret@host:port/a"}]}`,
			"cell a: expected a PostgreSQL URL",
		},
		"a standby's URL without a port": {
			`{"cells": [{"name": "a", ` + good + `, "standby_url": "postgres://u:secret@host:port/a"}]}`,
			"cell a: expected a PostgreSQL URL",
		},
		"an unknown field":    {`{"cells": [{"name": "a", "url": "x"}]}`, `unknown field "url"`},
		"too few connections": {`{"cells": [{"name": "a", "database_conns": -1, ` + good + `}]}`, "database_conns"},
		"something after it":  {`{"cells": [{"name": "a", ` + good + `}]} {}`, "something after"},
		"no JSON":             {`cells: []`, "invalid character"},
		"a list":              {`[]`, `expected {"cells": [`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := cell.ReadSpecs(write(t, test.text))
			require.ErrorContains(t, err, test.says)
			require.NotContains(t, err.Error(), "secret")
		})
	}
	_, err := cell.ReadSpecs(filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

package lock_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/lock"
)

const registryPath = "../../docs/locks-registry.md" // tools/lockslint checks its other tables

func TestRegistry_WorkedExamples_HashToThePrintedNumbers(t *testing.T) {
	t.Parallel()
	days, err := lock.Dates(tenantID, date(2026, time.July, 14))
	require.NoError(t, err)
	wallets, err := lock.Wallets(tenantID, walletID)
	require.NoError(t, err)
	want := map[string]lock.Key{
		"Balance": lock.Balance(tenantID, bookingID).Keys()[0],
		"Dates":   days.Keys()[0],
		"Wallets": wallets.Keys()[0],
	}
	examples := registryTable(t, "constructor", "name", "fnv1a64", "bigint")
	require.Len(t, examples, len(want))
	for _, row := range examples {
		key, known := want[code(t, row["constructor"])]
		require.True(t, known, row["constructor"])
		require.Equal(t, key.Name(), code(t, row["name"]))
		require.Equal(t, fmt.Sprintf("%016x", uint64(key.ID())), code(t, row["fnv1a64"]))
		require.Equal(t, strconv.FormatInt(key.ID(), 10), code(t, row["bigint"]))
	}
	hashed := 0
	for _, row := range registryTable(t, "name", "key") {
		if row["key"] == "`fnv1a64(name)`" {
			hashed++
		}
	}
	require.Len(t, examples, hashed, "every hashed name has an example")
}

func TestRegistry_CollisionFigures_AreThoseOfTheBirthdayBound(t *testing.T) {
	t.Parallel()
	rows := registryTable(t, "names", "64 bits", "32 bits")
	require.NotEmpty(t, rows)
	for _, row := range rows {
		n, err := strconv.ParseFloat(strings.ReplaceAll(row["names"], ",", ""), 64)
		require.NoError(t, err)
		require.Equal(t, threeDigits(collision(n, 64)), row["64 bits"], "%.0f names", n)
		require.Equal(t, threeDigits(collision(n, 32)), row["32 bits"], "%.0f names", n)
	}
}

// collision is the chance that any two of n names have the same hash.
func collision(n float64, bits int) float64 { return -math.Expm1(-n * (n - 1) / math.Ldexp(2, bits)) }

// threeDigits prints three digits, as a percentage where that is readable.
func threeDigits(p float64) string {
	switch {
	case p < 1e-6:
		s := fmt.Sprintf("%.2e", p)
		return strings.Replace(s, "e-0", "e-", 1)
	case p > 0.9995:
		return "100%"
	}
	percent := 100 * p
	decimals := 2 - int(math.Floor(math.Log10(percent)+1e-3)) // 0.99979% is rounded before its digits are counted
	return strconv.FormatFloat(percent, 'f', decimals, 64) + "%"
}

// registryTable returns the rows of the one table of the registry whose first columns are the given ones.
func registryTable(t *testing.T, columns ...string) []map[string]string {
	t.Helper()
	text, err := os.ReadFile(registryPath)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	start := slices.IndexFunc(lines, func(line string) bool {
		cells := cellsOf(line)
		return len(cells) >= len(columns) && slices.Equal(cells[:len(columns)], columns)
	})
	require.GreaterOrEqual(t, start, 0, "the registry has a table with the columns %v", columns)
	header := cellsOf(lines[start])
	require.Equal(t, "|"+strings.Repeat("---|", len(header)), lines[start+1])
	var rows []map[string]string
	for _, line := range lines[start+2:] {
		cells := cellsOf(line)
		if cells == nil {
			break
		}
		require.Len(t, cells, len(header), line)
		row := make(map[string]string, len(header))
		for i, column := range header {
			row[column] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func cellsOf(line string) []string {
	if !strings.HasPrefix(line, "| ") || !strings.HasSuffix(line, " |") {
		return nil
	}
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
}

// code returns what stands between the backticks of a cell.
func code(t *testing.T, cell string) string {
	t.Helper()
	inner, found := strings.CutPrefix(cell, "`")
	require.True(t, found, "%s is in backticks", cell)
	inner, found = strings.CutSuffix(inner, "`")
	require.True(t, found, "%s is in backticks", cell)
	return inner
}

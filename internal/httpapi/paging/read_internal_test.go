package paging

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead_EndsWithItsLimitOrWithLargeRows_AndReadsInSteps(t *testing.T) {
	t.Parallel()
	const all = 300
	for _, c := range []struct {
		name                     string
		limit, size, page, reads int
	}{
		{"small rows", 50, 10, 50, 1},
		{"many small rows", 200, 10, 200, 2},
		{"one row", 1, 10, 1, 1},
		{"rows without large parts", 200, 0, 200, 2},
		{"large rows", 200, 60_000, 18, 1},
		{"rows that end the page in the second step", 200, 10_000, 105, 2},
		{"a row larger than a page", 200, 3 << 20, 1, 1},
	} {
		reads, most, told := 0, 0, 0
		for told < all {
			pageReads := 0
			start := told
			rows, n, err := Read(c.limit, func(int) int { return c.size },
				func(last *int, limit int) ([]int, error) {
					pageReads++
					from := start
					if last != nil {
						from = *last + 1
					}
					var rows []int
					for i := from; i < min(from+limit, all); i++ {
						rows = append(rows, i)
					}
					most = max(most, len(rows))
					return rows, nil
				})
			require.NoError(t, err)
			for i, row := range rows {
				require.Equal(t, told+i, row, c.name)
			}
			require.Equal(t, told+n < all, len(rows) > n, "%s: one row more says that there is another page", c.name)
			if reads == 0 {
				require.Equal(t, c.page, n, c.name)
				reads = pageReads
			}
			told += n
		}
		require.Equal(t, c.reads, reads, c.name)
		if c.size > 10_000 {
			require.LessOrEqual(t, most, firstRows+1, c.name)
		}
	}
	broken := errors.New("broken")
	_, _, err := Read(1, func(int) int { return 1 }, func(*int, int) ([]int, error) { return nil, broken })
	require.ErrorIs(t, err, broken)
	rows, n, err := Read(1, func(int) int { return 1 }, func(*int, int) ([]int, error) { return nil, nil })
	require.NoError(t, err)
	require.Empty(t, rows)
	require.Zero(t, n)
}

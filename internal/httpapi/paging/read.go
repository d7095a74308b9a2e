package paging

// Bounds of a page of rows of any size.
const (
	// MaxBytes ends a page, whatever its limit, when the large parts of its rows have so many bytes.
	MaxBytes = 1 << 20
	// firstRows is how many rows are read before it is known how large they are.
	firstRows = 50
)

// Read reads a page of up to limit rows: n of the returned ones, of which one more says that there is another page.
// A page of large rows has fewer. It reads in steps, so that memory is bounded by the page and not by what its rows may
// hold. size returns about how many bytes the large parts of a row have, and is nil if no row has such parts; read
// returns up to limit rows behind last, or the first ones if last is nil.
func Read[Row any](limit int, size func(Row) int, read func(last *Row, limit int) ([]Row, error),
) (rows []Row, n int, err error) {
	bytes := 0
	for step := min(limit, firstRows); ; {
		var last *Row
		if n > 0 {
			last = &rows[n-1]
		}
		next, err := read(last, step+1)
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows[:n:n], next...)
		for read := n + min(len(next), step); n < read && bytes < MaxBytes; n++ {
			if size != nil {
				bytes += size(rows[n])
			}
		}
		if len(next) <= step || n == limit || bytes >= MaxBytes {
			return rows, n, nil
		}
		step = min(limit-n, 1+(MaxBytes-bytes)*n/max(bytes, 1))
	}
}

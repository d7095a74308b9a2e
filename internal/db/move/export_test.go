package move

import "holdfast/internal/db"

// MovedTables lists the names of the tables whose rows go with their tenant, in the order in which they are copied.
func MovedTables() []string {
	return db.Convert(movedTables, func(t movedTable) string { return t.Name })
}

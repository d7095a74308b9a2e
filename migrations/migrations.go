// Package migrations embeds the database's schema: goose SQL files, which sqlc reads too. A file that
// was released is never edited; a new one works with the code before and after it.
package migrations

import "embed"

// FS holds the migration files.
//
//go:embed *.sql
var FS embed.FS

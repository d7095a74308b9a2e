// Package migrations embeds the database's schema: goose SQL files, which sqlc reads too. A file that
// was released is never edited. Numbers may be missing: those of files that were never released.
package migrations

import "embed"

// FS holds the migration files.
//
//go:embed *.sql
var FS embed.FS

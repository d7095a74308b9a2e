package store

import "github.com/jackc/pgx/v5/pgxpool"

// CanReadURL reports whether a database URL can be read. It connects to nothing.
func CanReadURL(url string) bool {
	_, err := pgxpool.ParseConfig(url)
	return err == nil
}

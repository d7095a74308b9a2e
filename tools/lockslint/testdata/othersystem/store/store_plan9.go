package store

const other = "SELECT pg_advisory_lock($1)" // want "pg_advisory_lock is named in a file for another system"

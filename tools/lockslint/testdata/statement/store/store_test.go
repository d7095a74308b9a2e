package store

// A test acts as another program.
const held = "SELECT pg_advisory_lock(1)"

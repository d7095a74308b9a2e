// Package docs carries those documents that the binary shows, so that what it says is what is written there.
package docs

import _ "embed"

// LockRegistry is docs/locks-registry.md.
//
//go:embed locks-registry.md
var LockRegistry string

// Errors is docs/errors.md.
//
//go:embed errors.md
var Errors string

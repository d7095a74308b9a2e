// Package prometheus carries the alerts, so that the operator's console shows the figures and the limits that are
// written there.
package prometheus

import _ "embed"

// Rules is holdfast.rules.yml.
//
//go:embed holdfast.rules.yml
var Rules []byte

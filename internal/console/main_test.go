package console_test

import (
	"os"
	"testing"

	"holdfast/internal/pages/pagetest"
)

// TestMain ends the browser, and deletes what tests have built.
func TestMain(m *testing.M) {
	code := m.Run()
	pagetest.StopBrowser()
	if providerDir != "" {
		_ = os.RemoveAll(providerDir)
	}
	os.Exit(code)
}

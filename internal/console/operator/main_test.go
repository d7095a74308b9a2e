package operator_test

import (
	"os"
	"testing"

	"holdfast/internal/pages/pagetest"
)

// TestMain ends the browser.
func TestMain(m *testing.M) {
	code := m.Run()
	pagetest.StopBrowser()
	os.Exit(code)
}

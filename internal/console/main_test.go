package console_test

import (
	"os"
	"testing"

	"holdfast/internal/pages/pagetest"
)

// TestMain ends the browser, if a test started one.
func TestMain(m *testing.M) {
	code := m.Run()
	pagetest.StopBrowser()
	os.Exit(code)
}

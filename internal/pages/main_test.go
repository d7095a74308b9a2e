package pages_test

import (
	"os"
	"testing"
)

// TestMain ends the browser, if a test started one.
func TestMain(m *testing.M) {
	code := m.Run()
	stopBrowser()
	os.Exit(code)
}

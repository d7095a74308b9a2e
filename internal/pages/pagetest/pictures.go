package pagetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// Everywhere returns the devices on which each page is checked. In make soak three more follow.
func Everywhere() []Device {
	devices := []Device{Desktop, {Name: "a small dark window at 200%", Width: 320, Height: 512, Dark: true}}
	if !testtime.Soaks() {
		return devices
	}
	return append(devices, Phone,
		Device{Name: "phone, dark", Width: Phone.Width, Height: Phone.Height, Dark: true},
		Device{Name: "desktop, dark", Width: Desktop.Width, Height: Desktop.Height, Dark: true})
}

// Look is done with each state of a page. Its name is that of its pictures.
type Look func(b *Browser, name string)

// picturesVariable is the directory to which pictures are written. make pictures sets it.
const picturesVariable = "HOLDFAST_TEST_PICTURES"

// TakePictures has walk open each page in each state on a phone and on a desktop, and keeps a picture of each. It is
// skipped unless make pictures asks for it.
func TakePictures(t *testing.T, walk func(*testing.T, Device, Look)) {
	t.Helper()
	dir := os.Getenv(picturesVariable)
	if dir == "" {
		t.Skip("make pictures asks for pictures")
	}
	for _, d := range []Device{Phone, Desktop} {
		d.Zone = "Europe/Berlin"
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			walk(t, d, func(b *Browser, name string) {
				file := filepath.Join(dir, name+"-"+d.Name+".webp")
				require.NoError(t, os.WriteFile(file, b.Picture(t), 0o600)) //nolint:gosec // tests name it
			})
		})
	}
}

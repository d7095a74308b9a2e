package history

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func syncData(file *os.File) error {
	for {
		if err := unix.Fdatasync(int(file.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

package email

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Directory is a Sender that keeps each email as a file instead of sending it. A mail program opens the files.
type Directory struct{ path string }

// OpenDirectory returns a Sender that writes to the directory, which it makes if needed.
func OpenDirectory(path string) (*Directory, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of emails: %w", err)
	}
	return &Directory{path: path}, nil
}

// Send writes the email to a file named for its time and ID. A file that is there is whole. An email that is
// sent twice is one file.
func (d *Directory) Send(ctx context.Context, m Message) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	e, err := m.encode()
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(d.path, ".email-*")
	if err != nil {
		return fmt.Errorf("write an email: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(e.data)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write an email: %w", err)
	}
	name := m.Date.UTC().Format("20060102T150405.000Z") + "-" + m.ID.String() + ".eml"
	if err := os.Rename(file.Name(), filepath.Join(d.path, name)); err != nil {
		return fmt.Errorf("write an email: %w", err)
	}
	return nil
}

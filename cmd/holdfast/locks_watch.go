package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// What a terminal does for a picture that replaces the one before without flicker.
const (
	cursorHome     = "\x1b[H"
	clearLineEnd   = "\x1b[K"
	clearScreenEnd = "\x1b[J"
	clearScreen    = "\x1b[2J"
)

// screen is the size of the terminal that a command writes to, nil if it writes elsewhere.
type screen func() (width, height int, ok bool)

func screenOf(f *os.File) screen {
	fd := int(f.Fd())
	if !term.IsTerminal(fd) {
		return nil
	}
	return func() (width, height int, ok bool) {
		width, height, err := term.GetSize(fd)
		return width, height, err == nil
	}
}

// watch writes what show returns, again after each interval, until ctx ends. On a terminal each picture takes the place
// of the one before; elsewhere they follow one another. What fails is said and tried again: a database that is away for
// a moment doesn't end the watch.
func watch(ctx context.Context, w io.Writer, size screen, interval time.Duration, show func() ([]byte, error)) error {
	if size != nil {
		if _, err := io.WriteString(w, clearScreen); err != nil {
			return err
		}
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		picture, err := show()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			picture = fmt.Appendf(nil, "%s  %v\n", time.Now().UTC().Format(timeFormat), err)
		}
		if size != nil {
			picture = fitted(picture, size)
		}
		if _, err := w.Write(picture); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// fitted cuts a picture to the screen and draws it over the one before.
func fitted(picture []byte, size screen) []byte {
	width, height, ok := size()
	lines := strings.Split(strings.TrimSuffix(string(picture), "\n"), "\n")
	if ok && len(lines) > height-1 {
		lines = lines[:max(height-1, 1)]
	}
	var b bytes.Buffer
	b.WriteString(cursorHome)
	for _, line := range lines {
		if ok {
			line = shortened(line, width)
		}
		b.WriteString(line + clearLineEnd + "\n")
	}
	b.WriteString(clearScreenEnd)
	return b.Bytes()
}

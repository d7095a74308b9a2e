// Package timezone holds the IANA time zones, and finds the moments at which their clocks show a time. The zones' data
// are in the binary. The host's files are never read: they differ between hosts, and some of them are no IANA zones.
package timezone

import (
	"archive/zip"
	_ "embed" // the data
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// archive has a compiled file for each zone, and tzdata.zi, the text that they were compiled from.
// make generate/timezone writes it.
//
//go:embed zoneinfo.zip
var archive string

const source = "tzdata.zi"

// placeholder is the zone of machines that have not been given one.
const placeholder = "Factory"

// ErrUnknown is returned for a name that no IANA time zone has.
var ErrUnknown = errors.New("unknown time zone")

type database struct {
	version string
	zones   map[string]func() (*time.Location, error)
}

var release = regexp.MustCompile(`^# version (\S+)\n`)

// data is the database. A zone is read when it is first asked for.
var data = sync.OnceValues(func() (database, error) {
	d := database{zones: map[string]func() (*time.Location, error){}}
	r, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		return d, fmt.Errorf("read the time zone data: %w", err)
	}
	text, err := fs.ReadFile(r, source)
	if err != nil {
		return d, fmt.Errorf("read the time zone data: %w", err)
	}
	named := release.FindSubmatch(text)
	if named == nil {
		return d, errors.New("the time zone data have no version line")
	}
	d.version = string(named[1])
	for _, f := range r.File {
		if f.Name != source && f.Name != placeholder {
			d.zones[f.Name] = sync.OnceValues(func() (*time.Location, error) { return read(r, f.Name) })
		}
	}
	return d, nil
})

func read(r *zip.Reader, name string) (*time.Location, error) {
	if name == time.UTC.String() {
		return time.UTC, nil
	}
	file, err := fs.ReadFile(r, name)
	if err != nil {
		return nil, fmt.Errorf("read time zone %s: %w", name, err)
	}
	return time.LoadLocationFromTZData(name, file)
}

// Version returns the release of the IANA time zone database, such as 2026f.
func Version() (string, error) {
	d, err := data()
	return d.version, err
}

// Names returns the names that Load takes, sorted: the zones of the IANA database and the links (older names).
func Names() ([]string, error) {
	d, err := data()
	return slices.Sorted(maps.Keys(d.zones)), err
}

// Load returns the IANA time zone of a name, which must be spelled exactly as IANA spells it. It returns ErrUnknown for
// every other name, such as Local, Factory, localtime, posixrules, posix/UTC and right/UTC.
func Load(name string) (*time.Location, error) {
	d, err := data()
	if err != nil {
		return nil, err
	}
	load, ok := d.zones[name]
	if !ok {
		return nil, ErrUnknown
	}
	return load()
}

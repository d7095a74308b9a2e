package timezone_test

import (
	"archive/zip"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/timezone"
)

// declared is what tzdata.zi says of a zone: its standard offset from now on, and whether that is its only one.
type declared struct {
	offset time.Duration
	fixed  bool
}

// source reads tzdata.zi as zic's manual describes it: the zones and links by name, and the version.
func source(t *testing.T) (zones map[string]declared, version string) {
	t.Helper()
	archive, err := zip.OpenReader("zoneinfo.zip")
	require.NoError(t, err)
	defer func() { require.NoError(t, archive.Close()) }()
	text, err := fs.ReadFile(archive, "tzdata.zi")
	require.NoError(t, err)
	zones = map[string]declared{}
	zone := ""
	links := map[string]string{}
	for i, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		switch {
		case i == 0:
			version = fields[2]
		case len(fields) == 0 || fields[0] == "#" || fields[0] == "R":
			zone = ""
		case fields[0] == "L":
			links[fields[2]], zone = fields[1], ""
		case fields[0] == "Z":
			zone, fields = fields[1], fields[2:]
			fallthrough
		default: // the last line of a zone is the one that holds for good
			require.NotEmpty(t, zone, line)
			zones[zone] = declared{offset(t, fields[0]), fields[1] == "-"}
		}
	}
	for name, target := range links {
		for links[target] != "" {
			target = links[target]
		}
		zones[name] = zones[target]
	}
	return zones, version
}

// offset reads an offset such as -3:30.
func offset(t *testing.T, text string) time.Duration {
	t.Helper()
	units := []string{"h", "m", "s"}
	written := ""
	for i, part := range strings.Split(text, ":") {
		written += part + units[i]
	}
	d, err := time.ParseDuration(written)
	require.NoError(t, err, text)
	return d
}

func TestVersion_IsThatOfTheZones(t *testing.T) {
	t.Parallel()
	zones, version := source(t)
	got, err := timezone.Version()
	require.NoError(t, err)
	require.Equal(t, version, got)
	require.Regexp(t, `^20\d\d[a-z]$`, got)
	delete(zones, "Factory")
	names, err := timezone.Names()
	require.NoError(t, err)
	require.Len(t, names, len(zones))
	for _, name := range names {
		want, ok := zones[name]
		require.True(t, ok, name)
		loc, err := timezone.Load(name)
		require.NoError(t, err, name)
		require.Equal(t, name, loc.String())
		// What a release changes is what a zone does from now on, and that the text and the file both say.
		offsets := map[time.Duration]bool{}
		for month := time.January; month <= time.December; month++ {
			_, seconds := time.Date(2080, month, 15, 0, 0, 0, 0, loc).Zone()
			offsets[time.Duration(seconds)*time.Second] = true
		}
		require.True(t, offsets[want.offset], "%s: %v", name, offsets)
		require.True(t, !want.fixed || len(offsets) == 1, "%s: %v", name, offsets)
	}
}

func TestLoad_NamesOfZonesAndLinks_GiveTheZone(t *testing.T) {
	t.Parallel()
	summer := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"Europe/Berlin": "14:00", "Europe/Kyiv": "15:00", "Europe/Kiev": "15:00", "US/Eastern": "08:00",
		"America/St_Johns": "09:30",
		"Asia/Calcutta":    "17:30", "Etc/GMT+3": "09:00", "Etc/UTC": "12:00", "UTC": "12:00", "GMT": "12:00",
		"Australia/Lord_Howe": "22:30",
	} {
		loc, err := timezone.Load(name)
		require.NoError(t, err, name)
		require.Equal(t, want, summer.In(loc).Format("15:04"), name)
		again, err := timezone.Load(name)
		require.NoError(t, err)
		require.Same(t, loc, again)
	}
}

// notZones are names of files that hosts have beside the zones, and spellings that are not IANA's.
func notZones() []string {
	return []string{
		"", "Local", "Factory", "localtime", "posixrules", "right/Europe/Berlin", "posix/UTC", "posix/Factory",
		"tzdata.zi", "zone.tab",
		"leapseconds",
		"europe/berlin", "EUROPE/BERLIN", "Europe/Berlin ", " UTC", "Europe", "Europe/", "Europe/Atlantis", "../UTC",
		"./UTC",
		"/etc/localtime",
		"Europe//Berlin", `Europe\Berlin`, "UTC\x00", "+02:00", "Z",
	}
}

func TestLoad_OtherNames_AreUnknown(t *testing.T) {
	t.Parallel()
	for _, name := range notZones() {
		_, err := timezone.Load(name)
		require.ErrorIs(t, err, timezone.ErrUnknown, "%q", name)
	}
	names, err := timezone.Names()
	require.NoError(t, err)
	require.True(t, slices.IsSorted(names))
	require.NotContains(t, names, "Factory")
}

// TestLoad_ReadsNoFileOfTheHost lays files out that time.LoadLocation would read first.
func TestLoad_ReadsNoFileOfTheHost(t *testing.T) {
	host := t.TempDir()
	t.Setenv("ZONEINFO", host)
	archive, err := zip.OpenReader("zoneinfo.zip")
	require.NoError(t, err)
	defer func() { require.NoError(t, archive.Close()) }()
	utc, err := fs.ReadFile(archive, "Etc/UTC")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(host, "Pacific"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(host, "Pacific", "Chatham"), utc, 0o600))
	loc, err := timezone.Load("Pacific/Chatham")
	require.NoError(t, err)
	require.Equal(t, "12:45", time.Date(2027, 7, 1, 0, 0, 0, 0, time.UTC).In(loc).Format("15:04"))
}

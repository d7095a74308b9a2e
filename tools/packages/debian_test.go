package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/servertest"
)

// buildDebian builds the package of a version with a program, and returns its path.
func buildDebian(t *testing.T, version, program string) string {
	t.Helper()
	need(t, "dpkg-deb", "dpkg")
	build := exec.Command(filepath.Join(root, "deploy/debian/build"), version, runtime.GOARCH, program, t.TempDir())
	build.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000")
	printed, err := build.CombinedOutput()
	require.NoError(t, err, "%s", printed)
	return strings.TrimSpace(string(printed))
}

func TestDebian_SameCommit_IsTheSamePackage(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "holdfast")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700))
	output(t, "cmp", buildDebian(t, "v0.9.0", program), buildDebian(t, "v0.9.0", program))
}

func TestDebian_Versions_AreOrderedAsCommitsAre(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "holdfast")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700))
	before := "0~"
	for _, version := range []string{"58cf2db8", "v0.1.0", "v0.1.0-2-gffcf2db8", "v0.1.0-15-g58cf2db8", "v0.1.1"} {
		now := strings.TrimSpace(output(t, "dpkg-deb", "--field", buildDebian(t, version, program), "Version"))
		output(t, "dpkg", "--compare-versions", before, "lt", now)
		before = now
	}
}

func TestDebian_Package_HasNoErrorForLintian(t *testing.T) {
	t.Parallel()
	need(t, "lintian", "lintian")
	output(t, "lintian", "--allow-root", "--fail-on=error", "--suppress-tags=bad-distribution-in-changes-file",
		built(t, ".deb"))
}

// machine runs shell commands on a copy of this machine's files, which are not changed.
type machine struct {
	dir string // overlay's directories
}

// inMachine mounts the copy, for the command alone, and enters it.
const inMachine = `mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes/upper,workdir=$1/changes/work" "$1/merged" &&
	mount -t proc proc "$1/merged/proc" && mount --bind /dev "$1/merged/dev" && exec chroot "$1/merged" sh -euc "$2"`

// newMachine returns a copy of this machine. Its changes are kept in memory.
func newMachine(t *testing.T) machine {
	t.Helper()
	needRoot(t)
	m := machine{dir: t.TempDir()}
	require.NoError(t, os.Mkdir(filepath.Join(m.dir, "merged"), 0o755))
	changes := filepath.Join(m.dir, "changes")
	require.NoError(t, os.Mkdir(changes, 0o755))
	output(t, "mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", changes)
	t.Cleanup(func() { output(t, "umount", "--lazy", changes) })
	for _, of := range []string{"upper", "work"} {
		require.NoError(t, os.Mkdir(filepath.Join(changes, of), 0o755))
	}
	return m
}

// copied puts a file into the machine.
func (m machine) copied(t *testing.T, file, to string) {
	t.Helper()
	output(t, "install", "-D", "-m", "644", file, filepath.Join(m.dir, "changes/upper", to))
}

func (m machine) command(commands string) []string {
	return []string{"--mount", "--pid", "--fork", "--kill-child", "sh", "-c", inMachine, "sh", m.dir, commands}
}

// run runs commands and returns what they print. The test fails if one does.
func (m machine) run(t *testing.T, commands string) string {
	t.Helper()
	return output(t, "unshare", m.command(commands)...)
}

func TestDebian_InstalledUpgradedRemovedPurged_KeepsSettingsAndBookings(t *testing.T) {
	t.Parallel()
	need(t, "dpkg", "dpkg")
	m := newMachine(t)
	m.copied(t, built(t, ".deb"), "root/holdfast.deb")
	upgrade := filepath.Join(t.TempDir(), "holdfast")
	require.NoError(t, os.WriteFile(upgrade, []byte("#!/bin/sh\necho upgraded\n"), 0o700))
	m.copied(t, buildDebian(t, "v999.0.0", upgrade), "root/upgrade.deb")

	m.run(t, "DEBIAN_FRONTEND=noninteractive dpkg --install /root/holdfast.deb")
	require.Regexp(t, `^holdfast:x:\d+:\d+:Holdfast:/var/lib/holdfast:\S*nologin\n$`,
		m.run(t, "getent passwd holdfast"))
	require.Equal(t, "600 root\n700 holdfast\n",
		m.run(t, "stat --format='%a %U' /etc/holdfast/holdfast.env /var/lib/holdfast"))
	require.Contains(t, m.run(t, "holdfast version"), "time zones")
	require.Contains(t, m.run(t, "dpkg --verify holdfast; ls /usr/share/doc/holdfast"), "deploy.md")
	require.Equal(t, "/usr/share/holdfast/grafana/holdfast.json\n/usr/share/holdfast/prometheus/holdfast.rules.yml\n"+
		"/usr/share/holdfast/prometheus/prometheus.yml\n", m.run(t, "find /usr/share/holdfast -type f | LC_ALL=C sort"))
	require.Empty(t, m.run(t, "find /etc/systemd/system -name 'holdfast*'"),
		"it isn't started before somebody wants it")

	// The settings as they are installed, but for the port.
	m.run(t, "echo HOLDFAST_ADDR=127.0.0.1:0 >>/etc/holdfast/holdfast.env")
	server, err := servertest.Start(servertest.Config{
		Binary: "unshare", OutputDir: t.TempDir(),
		Args: m.command("set -a; . /etc/holdfast/holdfast.env; cd /var/lib/holdfast; exec runuser -u holdfast -- holdfast serve"),
	})
	require.NoError(t, err)
	t.Cleanup(server.Kill)
	address, err := server.Address(limited(t))
	require.NoError(t, err)
	book(t, "http://"+address, strings.TrimSpace(m.run(t, "cat /var/lib/holdfast/admin-key")))
	server.Kill()

	m.run(t, "DEBIAN_FRONTEND=noninteractive dpkg --install /root/upgrade.deb")
	require.Equal(t, "upgraded\n", m.run(t, "holdfast"))
	require.Contains(t, m.run(t, "tail -n 1 /etc/holdfast/holdfast.env"), "127.0.0.1:0",
		"an upgrade keeps the settings")
	m.run(t, "systemctl enable holdfast && test -L /etc/systemd/system/multi-user.target.wants/holdfast.service")
	m.run(t, "dpkg --remove holdfast")
	m.run(t, "test ! -e /usr/bin/holdfast && test -e /etc/holdfast/holdfast.env")
	require.Regexp(t, "/var/lib/holdfast has bookings or keys and stays", m.run(t, "dpkg --purge holdfast"))
	m.run(t, "test ! -e /etc/holdfast && test -e /var/lib/holdfast/admin-key")
	require.Empty(t, m.run(t, "find /etc/systemd/system -name 'holdfast*'"))
	require.NoFileExists(t, "/usr/bin/holdfast", "the machine itself isn't changed")
}

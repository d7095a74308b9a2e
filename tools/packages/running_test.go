package main

import (
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres"
	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/servertest"
)

// container is the files of an image, and what an engine adds to them.
type container struct {
	files, data string
	env         []string
}

// unpack unpacks the image that make packages has built. A new volume for the data directory is a copy of the image's.
func unpack(t *testing.T) container {
	t.Helper()
	image, err := tarball.ImageFromPath(built(t, ".docker.tar"), nil)
	require.NoError(t, err)
	config, err := image.ConfigFile()
	require.NoError(t, err)
	require.Equal(t, []string{program}, config.Config.Entrypoint)
	dir := t.TempDir()
	c := container{files: filepath.Join(dir, "files"), data: filepath.Join(dir, "data"), env: config.Config.Env}
	require.NoError(t, os.Mkdir(c.files, 0o755))
	files := mutate.Extract(image)
	untar := exec.Command("tar", "--extract", "--numeric-owner", "--same-owner", "--preserve-permissions",
		"--directory", c.files)
	untar.Stdin = files
	printed, err := untar.CombinedOutput()
	require.NoError(t, err, "%s", printed)
	require.NoError(t, files.Close())
	output(t, "cp", "-a", filepath.Join(c.files, dataDir), c.data)
	return c
}

// start starts the image's program as an engine does: as the image's user, without privileges, on a root that is
// read-only.
func (c container) start(t *testing.T, env []string, args ...string) *servertest.Process {
	t.Helper()
	const script = `mount --bind "$1" "$1" && mount --bind "$2" "$1/var/lib/holdfast" && mount -o remount,bind,ro "$1" && cd / &&
		root=$1 && shift 2 && exec setpriv --no-new-privs chroot --userspec=65532:65532 --groups= "$root" "$@"`
	p, err := servertest.Start(servertest.Config{
		Binary: "unshare", Args: append([]string{"--mount", "sh", "-c", script, "sh", c.files, c.data, program},
			args...),
		Env: append(append([]string{}, c.env...), env...), OutputDir: t.TempDir(),
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("%s\n%s", args, p.Stderr)
		}
	})
	return p
}

// run runs a command of the image's program to its end, and returns its exit status.
func (c container) run(t *testing.T, env []string, args ...string) (*servertest.Process, int) {
	t.Helper()
	p := c.start(t, env, args...)
	select {
	case <-p.Exited():
	case <-limited(t).Done():
		require.FailNow(t, "the command doesn't end", "%s", p.Stderr)
	}
	return p, p.State().ExitCode()
}

// overTCP returns an address of 127.0.0.1 that leads to a database that listens on a socket only.
func overTCP(t *testing.T, database *postgres.Server) string {
	t.Helper()
	address, err := url.Parse(database.URL())
	require.NoError(t, err)
	socket := filepath.Join(address.Query().Get("host"), ".s.PGSQL.5432")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = client.Close() }()
				server, err := net.Dial("unix", socket)
				if err != nil {
					return
				}
				go func() {
					_, _ = io.Copy(server, client)
					_ = server.Close()
				}()
				_, _ = io.Copy(client, server)
			}()
		}
	}()
	return listener.Addr().String()
}

var servingJSON = regexp.MustCompile(`"msg":"serving","addr":"([^"]+)"`)

// This is what docker compose up does with deploy/compose, without an engine.
func TestImage_WithTheSettingsOfCompose_ServesTheFirstBooking(t *testing.T) {
	t.Parallel()
	needRoot(t)
	need(t, "psql", "postgresql-client")
	c := unpack(t)
	project, err := loadCompose(t, composeSecrets)
	require.NoError(t, err)
	cluster := pgtest.Cluster(t)
	address := overTCP(t, cluster)

	// The image of PostgreSQL runs this script in the same way.
	host, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	script := exec.Command(filepath.Join(root, "deploy/compose/initdb/holdfast.sh"))
	script.Env = append(os.Environ(), "PGHOST="+host, "PGPORT="+port)
	for _, name := range []string{"HOLDFAST_DB_PASSWORD", "POSTGRES_PASSWORD"} {
		script.Env = append(script.Env, name+"="+*project.Services["postgres"].Environment[name])
	}
	printed, err := script.CombinedOutput()
	require.NoError(t, err, "%s", printed)

	var env []string
	var adminKey string
	for name, value := range project.Services["holdfast"].Environment {
		if value == nil { // .env doesn't set it
			continue
		}
		switch name {
		case "HOLDFAST_ADMIN_KEY":
			adminKey = *value
		case "HOLDFAST_ADDR":
			require.Equal(t, ":8080", *value)
			*value = "127.0.0.1:0"
		case "HOLDFAST_DATABASE_URL":
			database, err := url.Parse(*value)
			require.NoError(t, err)
			require.Equal(t, "postgres:5432", database.Host)
			database.Host = address
			*value = database.String()
		}
		env = append(env, name+"="+*value)
	}
	migrated, status := c.run(t, env, "migrate")
	require.Zero(t, status, "%s", migrated.Stderr)
	server := c.start(t, env, "serve")
	serving, err := server.Await(limited(t), server.Stderr, servingJSON)
	require.NoError(t, err)
	asked, status := c.run(t, append(env, "HOLDFAST_ADDR="+serving[1]),
		project.Services["holdfast"].HealthCheck.Test[2:]...)
	require.Zero(t, status, "%s", asked.Stderr)
	book(t, "http://"+serving[1], adminKey)
	require.NoError(t, server.Stop(time.Duration(*project.Services["holdfast"].StopGracePeriod)))
	require.True(t, server.State().Success(), "%s", server.Stderr)
	_, status = c.run(t, append(env, "HOLDFAST_ADDR="+serving[1]), "healthcheck")
	require.Equal(t, 1, status)
}

func TestImage_KeyThatIsUnset_IsMadeInTheVolumeAndNowhereElse(t *testing.T) {
	t.Parallel()
	needRoot(t)
	c := unpack(t)
	env := []string{"HOLDFAST_SANDBOX_ADDR=127.0.0.1:0"}
	p := c.start(t, env, "sandbox")
	_, err := p.Await(limited(t), p.Stdout, regexp.MustCompile("The sandbox serves"))
	require.NoError(t, err)
	require.NoError(t, p.Stop(startLimit))
	info, err := os.Stat(filepath.Join(c.data, "sandbox-key"))
	require.NoError(t, err)
	require.Equal(t, "65532:65532",
		strings.TrimSpace(output(t, "stat", "--format=%u:%g", filepath.Join(c.data, "sandbox-key"))))
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	p, status := c.run(t, append(env, "HOLDFAST_DATA_DIR=/"), "sandbox")
	require.Equal(t, 1, status)
	require.Contains(t, p.Stderr.String(), "read-only file system")
}

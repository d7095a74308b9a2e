package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/postgres"
	"holdfast/internal/servertest"
	"holdfast/internal/testtime"
)

// The tests here run main in real processes, because what they are about happens to processes: they are killed, told to
// stop, started twice.

const (
	testAdminKey = "the-admin-key-of-the-tests"
	poll         = 2 * time.Millisecond
	waitLimit    = time.Minute
	// A process may make its database first. Eight at once took more than a minute for that on a slow machine.
	processLimit = 3 * time.Minute
)

// mainVariable makes the test binary run main instead of tests, so that no second program has to be built, and races in
// it are detected.
const mainVariable = "HOLDFAST_TEST_MAIN"

// sharedDir holds what several tests use.
var sharedDir string

// testsAtOnce is how many tests there are at once, whatever number of cores there is: most of the time they wait for
// processes.
const testsAtOnce = 8

func TestMain(m *testing.M) {
	if os.Getenv(mainVariable) != "" {
		main()
		return
	}
	flag.Parse()
	err := flag.Set("test.parallel", strconv.Itoa(testsAtOnce))
	if err != nil {
		panic(err)
	}
	if sharedDir, err = os.MkdirTemp("", "hfshared"); err != nil {
		panic(err)
	}
	code := m.Run()
	pagetest.StopBrowser()
	_ = os.RemoveAll(sharedDir)
	os.Exit(code)
}

// released builds the program as it is released, once for the tests that measure it: without the race detector,
// whatever GOFLAGS says.
var released = sync.OnceValues(func() (string, error) {
	return servertest.Build(context.Background(), sharedDir, "-race=false")
})

// filled makes a data directory with an empty database of the newest schema, once for all tests.
var filled = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(sharedDir, "data")
	if err = os.Chmod(sharedDir, 0o711); err != nil {
		return "", err
	}
	cfg, err := processConfig(dir, nil, "migrate")
	if err != nil {
		return "", err
	}
	cfg.OutputDir = filepath.Join(sharedDir, "migrate")
	p, err := servertest.Start(cfg)
	if err == nil && !p.State().Success() {
		err = errors.New(p.Stderr.String())
	}
	return dir, err
})

// filledDir is newDir with the database that a first start makes, which takes longer than any other part of most tests.
func filledDir(t testing.TB) string {
	t.Helper()
	dir := newDir(t)
	from, err := filled()
	require.NoError(t, err)
	output, err := exec.Command("cp", "-a", from, dir).CombinedOutput()
	require.NoError(t, err, "%s", output)
	return dir
}

// skipProcesses skips the test under make quick, which is for every save: a process takes seconds to start, and make
// test runs them all. A test that starts a server of its own before a process calls it first.
func skipProcesses(t testing.TB) {
	t.Helper()
	if testtime.Quick() {
		t.Skip("a server process takes seconds to start: make test runs this")
	}
}

// newDir returns a data directory, which doesn't exist yet. It and the database in it end with the test, after the
// processes that the test starts.
func newDir(t testing.TB) string {
	t.Helper()
	skipProcesses(t)
	dir, err := os.MkdirTemp("", "hf") //nolint:usetesting // t.TempDir is too long for a socket, which has 107 bytes
	require.NoError(t, err)
	dir, err = filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	t.Cleanup(func() {
		endDatabase(t, filepath.Join(dir, "data"))
		require.NoError(t, os.RemoveAll(dir))
	})
	require.NoError(t, os.Chmod(dir, 0o711)) // the database's user has to pass through
	return filepath.Join(dir, "data")
}

// proc is a process of the binary under test.
type proc struct {
	*servertest.Process // nil until it is launched

	url string // of the API; empty unless it serves

	client *http.Client
	config servertest.Config
	dir    string
}

// command returns a process that is about to be started, with nothing in its environment but what is said here.
func command(t testing.TB, dir string, env []string, args ...string) *proc {
	t.Helper()
	cfg, err := processConfig(dir, env, args...)
	require.NoError(t, err)
	cfg.OutputDir = t.TempDir()
	return &proc{
		client: &http.Client{Timeout: waitLimit, Transport: &http.Transport{MaxIdleConnsPerHost: 256}}, dir: dir,
		config: cfg,
	}
}

func processConfig(dir string, env []string, args ...string) (servertest.Config, error) {
	self, err := os.Executable()
	// A process that ends doesn't sleep before, as the race detector has it otherwise.
	own := []string{mainVariable + "=1", "GORACE=atexit_sleep_ms=0", "HOLDFAST_ADDR=127.0.0.1:0",
		"HOLDFAST_DATA_DIR=" + dir}
	return servertest.Config{Binary: self, Args: args, Env: slices.Concat(own, env)}, err
}

// launch starts the process, which ends with the test.
func (p *proc) launch(t testing.TB) {
	t.Helper()
	var err error
	p.Process, err = servertest.Start(p.config)
	require.NoError(t, err)
	t.Cleanup(func() {
		p.Kill()
		p.client.CloseIdleConnections()
		if strings.Contains(p.log(), "WARNING: DATA RACE") {
			t.Error("a data race")
		}
		if t.Failed() {
			t.Logf("the log of process %d:\n%s", p.PID(), p.log())
		}
	})
}

// start runs a server with the sandbox as its provider and returns when it serves. Servers on the same dir follow one
// another.
func start(t testing.TB, dir string, env ...string) *proc {
	t.Helper()
	p := server(t, dir, env...)
	p.launch(t)
	p.awaitServing(t)
	return p
}

// server returns a server that is about to be started.
func server(t testing.TB, dir string, env ...string) *proc {
	t.Helper()
	return command(t, dir, append([]string{
		// machines are busy
		"HOLDFAST_ADMIN_KEY=" + testAdminKey, "HOLDFAST_PROVIDER=sandbox", "HOLDFAST_QUEUE_TIMEOUT=30s",
	}, env...), "serve")
}

// awaitServing returns when the server serves.
func (p *proc) awaitServing(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), processLimit)
	defer cancel()
	address, err := p.Address(ctx)
	require.NoError(t, err)
	p.url = "http://" + address
}

// await waits until the process has printed what matches and returns the match.
func (p *proc) await(t testing.TB, pattern *regexp.Regexp, where servertest.Output) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), processLimit)
	defer cancel()
	match, err := p.Await(ctx, where, pattern)
	require.NoError(t, err)
	return match
}

// run runs a command to its end and returns its exit code.
func run(t testing.TB, dir string, env []string, args ...string) (p *proc, code int) {
	t.Helper()
	p = command(t, dir, env, args...)
	p.launch(t)
	code = p.wait(t)
	return p, code
}

// wait waits until the process ends and returns its exit code.
func (p *proc) wait(t testing.TB) int {
	t.Helper()
	select {
	case <-p.Exited():
	case <-time.After(processLimit):
		require.FailNow(t, "the process doesn't end", "%s", p.log())
	}
	return p.State().ExitCode()
}

// stop asks the server to end and asserts that it does so without complaint.
func (p *proc) stop(t testing.TB) {
	t.Helper()
	require.NoError(t, p.Signal(syscall.SIGTERM))
	require.Zero(t, p.wait(t), "%s", p.log())
}

// log returns what the process has written to its standard error output.
func (p *proc) log() string { return p.Stderr.String() }

// alive reports whether the process hasn't ended.
func (p *proc) alive() bool {
	select {
	case <-p.Exited():
		return false
	default:
		return true
	}
}

// databaseURL returns the address of the server's embedded database.
func (p *proc) databaseURL(t testing.TB) string {
	t.Helper()
	url, ok := postgres.Running(p.dir)
	require.True(t, ok, "the embedded database runs")
	return url
}

// answer is what a server answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) String() string { return strconv.Itoa(a.status) + " " + string(a.body) }

// outcome is the status, followed by the problem's code if there is one.
func (a answer) outcome() string {
	if a.status < http.StatusBadRequest {
		return strconv.Itoa(a.status)
	}
	if a.header.Get("Content-Type") != "application/problem+json" {
		return a.String()
	}
	var problem struct{ Code string }
	_ = json.Unmarshal(a.body, &problem)
	return strconv.Itoa(a.status) + " " + problem.Code
}

// code returns the code of the booking that was answered.
func (a answer) code() string {
	var booking struct{ Code string }
	_ = json.Unmarshal(a.body, &booking)
	return booking.Code
}

// id returns the id of what was answered.
func (a answer) id() string {
	var thing struct{ ID string }
	_ = json.Unmarshal(a.body, &thing)
	return thing.ID
}

// send makes one request: with the bearer's key, with an idempotency key unless it is empty, with a body unless
// it is nil. header has names and values of further headers. It fails where there is no answer.
func (p *proc) send(method, path, bearer, key string, body any, header ...string) (answer, error) {
	return sendTo(p.client, p.url, method, path, bearer, key, body, header...)
}

func sendTo(client *http.Client, url, method, path, bearer, key string, body any, header ...string,
) (a answer, err error) {
	var sent io.Reader = http.NoBody
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return a, err
		}
		sent = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, url+path, sent)
	if err != nil {
		return a, err
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		return a, err
	}
	defer func() { _ = response.Body.Close() }()
	a.status, a.header = response.StatusCode, response.Header
	a.body, err = io.ReadAll(response.Body)
	return a, err
}

// shop is a tenant that sells the hours of one always-open room, one customer an hour.
type shop struct {
	tenant  uuid.UUID
	key     string // API key
	service string
}

// newShop makes a shop. header has names and values of further headers of the requests.
func newShop(t testing.TB, p *proc, header ...string) shop {
	t.Helper()
	create := func(path, bearer string, body map[string]any) answer {
		a, err := p.send(http.MethodPost, path, bearer, uuid.NewString(), body, header...)
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, a.status, "%s", a)
		return a
	}
	tenant := create("/admin/v1/tenants", testAdminKey, map[string]any{
		"slug": "shop-" + uuid.NewString(), "name": "Shop", "time_zone": "UTC", "currency": "EUR",
	})
	var made struct {
		APIKey string `json:"api_key"`
	}
	require.NoError(t, json.Unmarshal(tenant.body, &made))
	room := create("/v1/resources", made.APIKey, map[string]any{"name": "Room", "capacity": 1})
	service := create("/v1/services", made.APIKey, map[string]any{
		"name": "Hour", "kind": "slot", "resource_ids": []string{room.id()}, "duration_minutes": 60,
		"slot_interval_minutes": 60, "booking_window_days": 3650, "price": 4500,
	})
	return shop{tenant: uuid.MustParse(tenant.id()), key: made.APIKey, service: service.id()}
}

// slot is an hour that a shop sells.
func slot(day, hour int) time.Time { return testtime.At(day, hour, 0, time.UTC) }

// order is the request for a slot. The same key always asks for it in the same words.
func (s shop) order(key string, at time.Time) map[string]any {
	return map[string]any{
		"service_id": s.service, "starts_at": at.Format(time.RFC3339),
		"customer": map[string]any{"name": "Ada", "email": key + "@example.com"},
	}
}

// book asks for a slot.
func (s shop) book(p *proc, key string, at time.Time) (answer, error) {
	return p.send(http.MethodPost, "/v1/bookings", s.key, key, s.order(key, at))
}

// mustBook books a slot and returns the answer.
func (s shop) mustBook(t testing.TB, p *proc, key string, at time.Time) answer {
	t.Helper()
	a, err := s.book(p, key, at)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, a.status, "%s", a)
	return a
}

// requireSold asserts that the shop's bookings in the database at url are those with the given ids: none is
// lost, none was made twice, none overlaps another.
func (s shop) requireSold(t testing.TB, url string, ids []string) {
	t.Helper()
	require.ElementsMatch(t, ids,
		query[string](t, url, "SELECT booking_id::text FROM bookings WHERE tenant_id = $1", s.tenant))
	overlaps := query[int](t, url, dbtest.Overlaps+" WHERE a.tenant_id = $1", s.tenant)
	require.Equal(t, []int{0}, overlaps, "claims that overlap")
	require.Equal(t, []int{0}, query[int](t, url, dbtest.WrongClaims),
		"bookings with other claims than they should have")
}

// query returns a column of the database at url, as its owner sees it.
func query[T any](t testing.TB, url, sql string, args ...any) []T {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, sql, args...)
	require.NoError(t, err)
	values, err := pgx.CollectRows(rows, pgx.RowTo[T])
	require.NoError(t, err)
	return values
}

// databaseProcesses returns the pids of the embedded database in dir. All its processes bear the name of the
// cluster, which is made of the directory.
func databaseProcesses(t testing.TB, dir string) (pids []int) {
	t.Helper()
	hash := sha256.Sum256([]byte(dir))
	name := "holdfast-" + hex.EncodeToString(hash[:8])
	if runtime.GOOS != "linux" {
		list, err := exec.Command("ps", "-axwwo", "pid=,command=").Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(list)) {
			if strings.Contains(line, name) {
				pid, err := strconv.Atoi(strings.Fields(line)[0])
				require.NoError(t, err)
				pids = append(pids, pid)
			}
		}
		return pids
	}
	entries, err := os.ReadDir("/proc")
	require.NoError(t, err)
	for _, entry := range entries {
		line, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		if pid, notPID := strconv.Atoi(entry.Name()); err == nil && notPID == nil &&
			bytes.Contains(line, []byte(name)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// postmaster returns the pid of the first process of the database in dir.
func postmaster(t testing.TB, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "data-*", "postmaster.pid"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	content, err := os.ReadFile(files[0])
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	require.NoError(t, err)
	return pid
}

// endDatabase returns when no process of the database in dir is left. Linux ends them with the server, by
// itself; elsewhere they are ended here.
func endDatabase(t testing.TB, dir string) {
	t.Helper()
	grace := time.After(waitLimit)
	if runtime.GOOS != "linux" {
		grace = time.After(0)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		pids := databaseProcesses(t, dir)
		if len(pids) == 0 {
			return
		}
		select {
		case <-tick.C:
			continue
		case <-grace:
		}
		grace = time.After(0)
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Logf("end process %d of the database: %v", pid, err)
			}
		}
	}
}

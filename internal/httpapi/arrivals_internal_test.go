package httpapi

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
)

// A half of a request, and the rest of it.
const (
	half = "POST " + someThing + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"
	rest = `"name":"ab"}`
)

// mostArriving is how many bodies of an address may be on their way.
const mostArriving = 64

// patientServer returns a server that waits for bodies for an hour.
func patientServer(t *testing.T, setup ...func(*testServer)) *testServer {
	t.Helper()
	return newTestServer(t, append(setup, func(s *testServer) { s.http.ReadTimeout = time.Hour })...)
}

// awaitInFlight returns when a number of requests is being answered.
func (s *testServer) awaitInFlight(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		families, err := s.registry.Gather()
		require.NoError(t, err)
		for _, family := range families {
			if family.GetName() == "holdfast_http_requests_in_flight" {
				return family.GetMetric()[0].GetGauge().GetValue() == float64(n)
			}
		}
		return false
	}, patient, 2*time.Millisecond)
}

func TestBodies_ThatAreOnTheirWayFromOneAddress_AreBounded(t *testing.T) {
	t.Parallel()
	s := patientServer(t)
	conns := make([]net.Conn, mostArriving)
	for i := range conns {
		conns[i] = dial(t, s.addr)
		send(t, conns[i], half)
	}
	s.awaitInFlight(t, mostArriving)
	refused := dial(t, s.addr)
	send(t, refused, half)
	a := receive(t, refused)
	requireProblem(t, a, http.StatusTooManyRequests, problem.RateLimited)
	require.Equal(t, "1", a.header.Get("Retry-After"))
	require.Equal(t, http.StatusOK, s.request(t, http.MethodPost, someThing, "{"+rest).status,
		"one that arrives as a whole")

	send(t, conns[0], rest)
	require.Equal(t, http.StatusOK, receive(t, conns[0]).status)
	s.awaitInFlight(t, mostArriving-1)
	send(t, conns[0], half)
	s.awaitInFlight(t, mostArriving)
	send(t, conns[0], rest)
	require.Equal(t, http.StatusOK, receive(t, conns[0]).status, "one more has found its place")
}

func TestRefusal_OfARequestWhoseBodyDoesNotArrive_DoesNotWaitForIt(t *testing.T) {
	t.Parallel()
	s := patientServer(t, func(s *testServer) {
		s.routes.POST("/v1/page",
			func(c *gin.Context) { c.String(http.StatusTooManyRequests, strings.Repeat("x", 100_000)) })
	})
	for path, status := range map[string]int{
		"/v1/nothing": http.StatusNotFound, "/healthz": http.StatusMethodNotAllowed,
		"/v1/page": http.StatusTooManyRequests,
	} {
		conn := dial(t, s.addr)
		send(t, conn, strings.Replace(half, someThing, path, 1))
		in := bufio.NewReader(conn)
		res, err := http.ReadResponse(in, nil)
		require.NoError(t, err, path)
		require.Equal(t, status, answerOf(t, res).status, path)
		_, err = in.ReadByte()
		require.ErrorIs(t, err, io.EOF, "the connection is free for others")
	}
}

func TestConnections_OfOneAddress_LeaveSomeToOthers(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(s.log, nil))
	server, served := edge.NewHTTPServer(s.api.Edge.Engine(), log), make(chan error, 1)
	go func() { served <- server.Serve(edge.LimitListener(inner, edge.ConnectionLimits{Most: 8, Log: log})) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
	open := func() net.Conn { return dial(t, inner.Addr().String()) }
	kept := []net.Conn{open(), open()} // a quarter
	for range 20 {
		_, err := open().Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	}
	require.Contains(t, s.log.String(), "address=127.0.0.1/32 connections=2")
	const health = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	other, err := from.DialContext(t.Context(), "tcp", inner.Addr().String())
	require.NoError(t, err)
	defer func() { _ = other.Close() }()
	send(t, other, health)
	require.Equal(t, http.StatusOK, receive(t, other).status)
	send(t, kept[0], health)
	require.Equal(t, http.StatusOK, receive(t, kept[0]).status)

	require.NoError(t, kept[1].Close())
	require.Eventually(t, func() bool {
		conn := open()
		_, _ = io.WriteString(conn, health)
		_, err := conn.Read(make([]byte, 1))
		return err == nil
	}, patient, 2*time.Millisecond, "another connection of the address is taken")
}

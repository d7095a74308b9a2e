package httpapi

import (
	"bufio"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

const (
	plainGet = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	thing    = "POST " + someThing +
		" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"name\":\"ab\"}"
	chunkedThing = "POST " + someThing +
		" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nd\r\n{\"name\":\"ab\"}\r\n0\r\n\r\n"
	smuggled = "DELETE /v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
)

// ambiguous has requests whose end is another one for a reader of the one header than for a reader of the other.
var ambiguous = map[string]string{
	"length first": "POST " + someThing +
		" HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"coding first": "POST " + someThing +
		" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
	"another case": "POST " + someThing +
		" HTTP/1.1\r\nHost: x\r\ntransfer-encoding: Chunked\r\ncontent-length:5\r\n\r\n0\r\n\r\n",
	"lines without CR": "POST " + someThing +
		" HTTP/1.1\nHost: x\nContent-Length: 5\nTransfer-Encoding: chunked\n\n0\r\n\r\n",
	"without a body": "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n" +
		"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"equal lengths twice": "POST " + someThing +
		" HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.0": "POST " + someThing +
		" HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
}

func TestFraming_LengthAndTransferEncoding_Is400AndTheConnectionEnds(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for name, request := range ambiguous {
		for before, first := range map[string]string{"on a new connection": "", "after a request": plainGet,
			"after a body":                 thing,
			"after a body and line breaks": thing + "\r\n"} {
			for _, pipelined := range []bool{true, false} {
				conn := dial(t, s.addr)
				in := bufio.NewReader(conn)
				if pipelined {
					send(t, conn, first+request+smuggled)
				} else {
					send(t, conn, first)
				}
				if first != "" {
					res, err := http.ReadResponse(in, nil)
					require.NoError(t, err)
					require.Equal(t, http.StatusOK, answerOf(t, res).status)
				}
				if !pipelined {
					send(t, conn, request+smuggled)
				}
				res, err := http.ReadResponse(in, nil)
				require.NoError(t, err, "%s %s", name, before)
				require.True(t, res.Close, "%s %s", name, before)
				requireProblem(t, answerOf(t, res), http.StatusBadRequest, problem.MalformedRequest)
				_, err = in.ReadByte()
				require.ErrorIs(t, err, io.EOF, "%s %s: the connection ends", name, before)
			}
		}
	}
	require.NotContains(t, s.log.String(), "/v1/smuggled")
}

func TestFraming_ChunkedBody_IsReadAndIsTheLastOnItsConnection(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	conn := dial(t, s.addr)
	in := bufio.NewReader(conn)
	send(t, conn, thing+chunkedThing+smuggled)
	for _, last := range []bool{false, true} {
		res, err := http.ReadResponse(in, nil)
		require.NoError(t, err)
		require.Equal(t, last, res.Close)
		require.Equal(t, http.StatusOK, answerOf(t, res).status)
	}
	_, err := in.ReadByte()
	require.ErrorIs(t, err, io.EOF)
	require.NotContains(t, s.log.String(), "/v1/smuggled")
}

func TestFraming_HeadersInABody_AreNoHeaders(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	conn := dial(t, s.addr)
	in := bufio.NewReader(conn)
	body := strings.Repeat("\r\n\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", 2000)
	request := "POST /v1/nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	for range 2 {
		send(t, conn, request+thing)
		for _, status := range []int{http.StatusNotFound, http.StatusOK} {
			res, err := http.ReadResponse(in, nil)
			require.NoError(t, err)
			require.Equal(t, status, answerOf(t, res).status)
		}
	}
}

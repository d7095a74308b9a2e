package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// answerLimit is how long a client waits for an answer.
const answerLimit = 30 * time.Second

// client is one persistent connection to the server. It sends bytes that were prepared and keeps nothing of the answers
// but their status, which costs the processors that are being measured less than net/http's client. It never sends a
// request again.
type client struct {
	addr   string
	conn   net.Conn
	reader *bufio.Reader
}

// connections returns clients of the server, and what closes them.
func (b *bench) connections(n int) (all []client, closeAll func()) { return connectionsTo(b.server, n) }

// connectionsTo returns clients of a server, and what closes them.
func connectionsTo(s *server, n int) (all []client, closeAll func()) {
	all = make([]client, n)
	for i := range all {
		all[i].addr = s.addr
	}
	return all, func() {
		for i := range all {
			all[i].close()
		}
	}
}

// send sends a request and returns the status of the answer. It connects when there is no connection.
func (c *client) send(ctx context.Context, request []byte) (status int, err error) {
	if c.conn == nil {
		if c.conn, err = new(net.Dialer).DialContext(ctx, "tcp", c.addr); err != nil {
			return 0, err
		}
		c.reader = bufio.NewReader(c.conn)
	}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if err := c.conn.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		return 0, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return 0, fmt.Errorf("send a request: %w", err)
	}
	answer, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return 0, fmt.Errorf("read an answer: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return 0, fmt.Errorf("read an answer: %w", err)
	}
	if answer.Close {
		c.close()
	}
	return answer.StatusCode, nil
}

func (c *client) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// post returns the bytes of a POST under an idempotency key.
func post(path, apiKey, key string, body []byte) []byte {
	return fmt.Appendf(nil,
		"POST %s HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\n"+
			"Idempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s", path, apiKey, key, len(body), body)
}

// get returns the bytes of a GET.
func get(path, apiKey string) []byte {
	return []byte("GET " + path + " HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer " + apiKey + "\r\n\r\n")
}

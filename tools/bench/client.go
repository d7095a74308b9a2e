package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
	"time"
)

// answerLimit is how long a client waits for an answer.
const answerLimit = 30 * time.Second

// client is one persistent connection to the server. It sends bytes that were prepared and keeps nothing of the answers but
// their status, which costs the processors that are being measured less than net/http's client. It never sends a request again.
type client struct {
	addr   string
	conn   net.Conn
	reader *bufio.Reader
	until  time.Time // the connection's deadline
}

// connections returns clients of the server, and what closes them.
func (b *bench) connections(n int) (all []client, closeAll func()) {
	all = make([]client, n)
	for i := range all {
		all[i].addr = b.server.addr
	}
	return all, func() {
		for i := range all {
			all[i].close()
		}
	}
}

// send sends a request and returns the status of the answer. It connects when there is no connection.
// An answer that takes longer than half of answerLimit may be given up.
func (c *client) send(ctx context.Context, request []byte) (status int, err error) {
	if c.conn == nil {
		if c.conn, err = new(net.Dialer).DialContext(ctx, "tcp", c.addr); err != nil {
			return 0, err
		}
		c.reader, c.until = bufio.NewReader(c.conn), time.Time{}
	}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if now := time.Now(); now.Add(answerLimit / 2).After(c.until) {
		c.until = now.Add(answerLimit)
		if err := c.conn.SetDeadline(c.until); err != nil {
			return 0, err
		}
	}
	if _, err := c.conn.Write(request); err != nil {
		return 0, fmt.Errorf("send a request: %w", err)
	}
	status, last, err := c.receive()
	if err != nil {
		return 0, fmt.Errorf("read an answer: %w", err)
	}
	if last {
		c.close()
	}
	return status, nil
}

// receive reads an answer as net/http writes it, and whether it is the last one on its connection.
func (c *client) receive() (status int, last bool, err error) {
	line, err := c.reader.ReadSlice('\n')
	if err != nil {
		return 0, false, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return 0, false, fmt.Errorf("%q is no status line", line)
	}
	if status, err = strconv.Atoi(string(line[len("HTTP/1.1 "):len("HTTP/1.1 200")])); err != nil {
		return 0, false, err
	}
	length, chunked := 0, false
	for err == nil {
		if line, err = c.reader.ReadSlice('\n'); err != nil {
			break
		}
		name, value, found := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
		if !found {
			break
		}
		switch string(name) {
		case "Connection":
			last = string(value) == "close"
		case "Content-Length":
			length, err = strconv.Atoi(string(value))
		case "Transfer-Encoding":
			chunked = true
		}
	}
	if err == nil {
		err = c.skipBody(length, chunked)
	}
	return status, last, err
}

func (c *client) skipBody(length int, chunked bool) (err error) {
	if !chunked {
		_, err = c.reader.Discard(length)
		return err
	}
	if _, err = io.Copy(io.Discard, httputil.NewChunkedReader(c.reader)); err == nil {
		_, err = c.reader.Discard(len("\r\n")) // behind the last chunk
	}
	return err
}

func (c *client) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// post returns the bytes of a POST under an idempotency key.
func post(path, apiKey, key string, body []byte) []byte {
	b := make([]byte, 0, 640)
	b = append(b, "POST "...)
	b = append(b, path...)
	b = append(b, " HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nAuthorization: Bearer "...)
	b = append(b, apiKey...)
	b = append(b, "\r\nIdempotency-Key: "...)
	b = append(b, key...)
	b = append(b, "\r\nContent-Length: "...)
	b = strconv.AppendInt(b, int64(len(body)), 10)
	b = append(b, "\r\n\r\n"...)
	return append(b, body...)
}

// get returns the bytes of a GET.
func get(path, apiKey string) []byte {
	return []byte("GET " + path + " HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer " + apiKey + "\r\n\r\n")
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// healthcheckLimit is more of an answer than a reason has, in bytes.
const healthcheckLimit = 4 << 10

type healthcheckCmd struct {
	URL     string        `name:"url" range:"an http or https URL" help:"What to ask. Unset: /readyz of the server at HOLDFAST_ADDR."`
	Timeout time.Duration `default:"4s" range:"1ms to 1m" help:"How long the server may take to answer."`
}

// Run asks a server whether it is ready, and returns an error with its answer if it isn't. It is for container engines
// and service managers: an image without a shell has no other program that could ask.
func (cmd *healthcheckCmd) Run(ctx context.Context, c *Config) error {
	ctx, cancel := context.WithTimeout(ctx, cmd.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, cmp.Or(cmd.URL, readyURL(c.Addr)), http.NoBody)
	if err != nil {
		return unusableError{err}
	}
	// without a proxy: the server is on this machine
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, healthcheckLimit))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", request.URL, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %s", request.URL, response.Status, body)
	}
	_, err = fmt.Printf("%s\n", body)
	return err
}

// readyURL returns the URL of /readyz on a server that listens on addr. One that listens on all addresses is asked on
// the loopback.
func readyURL(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil { // checkSettings has refused it
		host, port = addr, ""
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1" // an image has no file that says where localhost is
	case "::":
		host = "::1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/readyz"
}

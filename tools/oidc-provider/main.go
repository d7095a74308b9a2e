// Command oidc-provider is an OpenID Connect provider for the tests of the console, with the users of a file. It
// listens on a port of loopback that is free, prints its issuer, and ends when its standard input does.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
)

func main() {
	if err := run(os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "oidc-provider:", err)
		os.Exit(1)
	}
}

// run serves the users of a file to the client web, whose secret is "secret" and whose users come back to redirectURL.
// It writes its issuer to w once it listens.
func run(w io.Writer, usersFile, redirectURL string) error {
	users, err := storage.StoreFromFile(usersFile)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	// The library allows http for this name only.
	issuer := fmt.Sprintf("http://localhost:%d/", l.Addr().(*net.TCPAddr).Port)
	storage.RegisterClients(storage.WebClient("web", "secret", redirectURL))
	server := &http.Server{
		Handler: exampleop.SetupServer(issuer, storage.NewStorage(users), slog.New(slog.DiscardHandler),
			false),
		ReadHeaderTimeout: time.Minute,
	}
	if _, err := fmt.Fprintln(w, issuer); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

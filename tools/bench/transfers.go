package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"

	"holdfast/internal/wallet"
	"holdfast/tools/bench/strategies"
)

// measureTransfers measures transfers between random wallets beside pgbench's own TPC-B-like script on the same server.
func measureTransfers(ctx context.Context, cfg walletConfig, out io.Writer) (*turns, error) {
	d, err := startWalletDatabase(ctx)
	if err != nil {
		return nil, err
	}
	defer d.stop()
	var binDir string
	if err := d.conn.QueryRow(ctx, "SELECT setting FROM pg_config WHERE name = 'BINDIR'").Scan(&binDir); err != nil {
		return nil, fmt.Errorf("ask the database: %w", err)
	}
	path := findPgbench(binDir)
	if path == "" {
		return nil, errors.New("there is no pgbench on this machine")
	}
	c := &turns{title: "transfers", clients: clients, rounds: cfg.rounds, duration: cfg.duration, machine: describeMachine(ctx, d.versions)}
	holdfast := func(to int) *turn {
		return &turn{name: "Holdfast", to: to, run: func(ctx context.Context) (measurement, error) {
			m := meter{postmaster: d.postmaster, process: selfCPU}
			return measureLoad(ctx, clients, cfg.duration, m, func(ctx context.Context, _ int) error { return d.transfer(ctx, cfg.wallets) })
		}}
	}
	for i, scale := range cfg.scales {
		p := pgbenchRun{path: path, dir: d.dir, postmaster: d.postmaster, duration: cfg.duration}
		if p.url, err = d.fillPgbench(ctx, path, scale); err != nil {
			return nil, err
		}
		c.strategies = append(c.strategies, &turn{
			name: fmt.Sprintf("pgbench, scale %d", scale), to: 2 * i, run: func(ctx context.Context) (measurement, error) {
				return p.measure(ctx, "-b", "tpcb-like")
			},
		}, holdfast(2*i))
	}
	if err := d.fillWallets(ctx, cfg.wallets); err != nil {
		return nil, err
	}
	err = c.measure(ctx, d.tidy, out)
	return c, err
}

// transfer moves a small amount from one random wallet to another.
func (d *walletDatabase) transfer(ctx context.Context, wallets int) error {
	r, err := newRequest()
	if err != nil {
		return err
	}
	from := rand.IntN(wallets)
	to := (from + 1 + rand.IntN(wallets-1)) % wallets
	resp, err := d.service.Transfer(ctx, d.tenant, r, strategies.ID(from+1), strategies.ID(to+1), 1+rand.Int64N(100), wallet.Description{})
	if err == nil && resp.Status != http.StatusCreated {
		err = fmt.Errorf("a transfer got %d: %s", resp.Status, resp.Body)
	}
	return err
}

// fillPgbench makes a database of its own for a scale of pgbench, and returns its URL.
func (d *walletDatabase) fillPgbench(ctx context.Context, path string, scale int) (string, error) {
	name := fmt.Sprintf("pgbench_%d", scale)
	if err := d.exec(ctx, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	u, err := url.Parse(d.server.URL())
	if err != nil {
		return "", fmt.Errorf("read the database URL: %w", err)
	}
	u.Path = "/" + name
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, path, "-i", "-q", "-s", strconv.Itoa(scale), u.String())
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("fill a database with pgbench: %w: %s", err, &output)
	}
	return u.String(), nil
}

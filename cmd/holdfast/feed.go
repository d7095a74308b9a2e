package main

import (
	"context"
	"fmt"

	"holdfast/internal/app"
	"holdfast/internal/db"
)

type feedCmd struct {
	ExpireCursors feedExpireCursorsCmd `cmd:"" help:"Have all readers of /v1/events begin anew: they get 410 cursor_expired."`
}

type feedExpireCursorsCmd struct{}

// Run ends the validity of all cursors. Servers that run notice it with the next read.
func (feedExpireCursorsCmd) Run(ctx context.Context, c *Config) error {
	log := c.logger()
	local, err := connectExisting(ctx, c, log)
	if err != nil {
		return err
	}
	defer local.close()
	st, err := app.OpenDB(ctx, db.Config{URL: local.url, MaxConns: 1, Logger: log})
	if err != nil {
		return err
	}
	defer st.Close()
	if err := st.ExpireCursors(ctx); err != nil {
		return err
	}
	_, err = fmt.Println("All cursors of /v1/events have expired.")
	return err
}

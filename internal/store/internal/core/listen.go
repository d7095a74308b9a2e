package core

import (
	"context"
	"fmt"
	"strings"

	"holdfast/internal/store/internal/dbsqlc"
)

// Listen calls woken with the kinds of which events are due, and once without kinds when it begins to listen, until ctx ends. It has a
// connection of its own. Errors: ErrPooled behind a transaction pooler, which loses notifications; others when the connection is
// lost.
func (d *DB) Listen(ctx context.Context, woken func(kinds []string)) error {
	conn, err := d.openSession(ctx, "notifications")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	schema, err := dbsqlc.New(conn).EventSchema(ctx)
	if err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	if err := dbsqlc.New(conn).EventListen(ctx); err != nil {
		return fmt.Errorf("listen for notifications: %w", err)
	}
	woken(nil)
	for {
		n, err := conn.WaitForNotification(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("wait for a notification: %w", err)
		default:
			if kinds, ours := strings.CutPrefix(n.Payload, schema+" "); ours {
				woken(strings.Fields(kinds))
			}
		}
	}
}

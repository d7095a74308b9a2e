package core

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/internal/db/internal/dbsqlc"
)

// citusLookAgain is how long nothing may be heard of a schema that Citus may have moved.
const citusLookAgain = 5 * time.Second

// Listen calls woken with the kinds of which events are due, and once without kinds when it begins to listen, until ctx
// ends. It has a connection of its own. Errors: ErrPooled behind a transaction pooler, which loses notifications;
// others when the connection is lost.
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
		n, err := notificationHere(ctx, conn)
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

// notificationHere waits for a notification. On Citus it looks now and then whether the schema is still on this node.
func notificationHere(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	for OnCitus(conn) {
		limited, cancel := context.WithTimeout(ctx, citusLookAgain)
		n, err := conn.WaitForNotification(limited)
		cancel()
		if err == nil || ctx.Err() != nil || limited.Err() == nil {
			return n, err
		}
		switch here, err := isTrue(ctx, conn.PgConn(), schemaIsHere); {
		case err != nil:
			return nil, err
		case !here:
			return nil, errSchemaElsewhere
		}
	}
	return conn.WaitForNotification(ctx)
}

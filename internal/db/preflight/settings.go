package preflight

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// durability reads the settings without which a crash of the database's machine loses what was committed.
func (p *probe) durability(ctx context.Context) (string, error) {
	s, err := p.settings(ctx)
	if err != nil {
		return "", err
	}
	for _, setting := range []struct{ name, value, meaning string }{
		{"fsync", s.Fsync, "a crash of the machine can destroy the database"},
		{"full_page_writes", s.FullPageWrites, "a crash of the machine can destroy the database"},
		{"synchronous_commit", s.SynchronousCommit,
			"a crash can lose the last bookings and payments that were answered"},
	} {
		if setting.value == "off" {
			return "", &failedCheck{meaning: setting.name + " is off: " + setting.meaning,
				advice: "set " + setting.name + " = on"}
		}
	}
	return "what is committed is on disk", nil
}

// logCompression reads how images of pages in the write-ahead log are compressed. docs/benchmarks.md has a measurement
// of what pglz costs.
func (p *probe) logCompression(ctx context.Context) (string, error) {
	s, err := p.settings(ctx)
	if err != nil {
		return "", err
	}
	if s.WalCompression == "pglz" || s.WalCompression == "on" {
		better := "off"
		if s.HasLz4 {
			better = "lz4"
		}
		return "", &failedCheck{
			meaning: fmt.Sprintf("wal_compression is %s, which slows bookings after each checkpoint", s.WalCompression),
			advice: fmt.Sprintf("as a superuser: ALTER SYSTEM SET wal_compression = %s, then SELECT pg_reload_conf(), unless the "+
				"database or the role sets it", better),
		}
	}
	return "wal_compression is " + s.WalCompression, nil
}

// enoughLog is a max_wal_size, in bytes, with which a busy database has minutes between checkpoints. docs/benchmarks.md
// has a measurement.
const enoughLog = 4 << 30

// checkpoints reads how far the write-ahead log may grow until a checkpoint comes before its time.
func (p *probe) checkpoints(ctx context.Context) (string, error) {
	s, err := p.settings(ctx)
	if err != nil {
		return "", err
	}
	if s.MaxWalBytes < enoughLog {
		return "", &failedCheck{
			meaning: fmt.Sprintf("max_wal_size is %s: while many bookings come, so do checkpoints, and each makes the log grow faster",
				s.MaxWalSize),
			advice: "as a superuser, if the disk has the room: ALTER SYSTEM SET max_wal_size = '4GB', then SELECT pg_reload_conf()",
		}
	}
	return "max_wal_size is " + s.MaxWalSize, nil
}

func (p *probe) settings(ctx context.Context) (s dbsqlc.PreflightSettingsRow, err error) {
	err = core.WithConns(ctx, p.url, 1, func(conns []*pgx.Conn) (err error) {
		s, err = dbsqlc.New(conns[0]).PreflightSettings(ctx)
		return err
	})
	return s, err
}

package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/internal/store/internal/dbsqlc"
)

const minServerVersion = 14_00_00 // multiranges

// proofPause is how long a lock must keep a second connection out to count as excluding.
const proofPause = 50 * time.Millisecond

// Prove shows that this database keeps Holdfast's promises, and returns an error that says which it doesn't:
// that it is a primary; that a transaction lock keeps a second connection out until the first commits; that
// the second then sees what the first wrote; that a session lock excludes. Engines and poolers exist whose
// lock functions answer and do nothing.
func (s *Store) Prove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	facts, err := dbsqlc.New(s.pool).ProofFacts(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("prove the database: %w", err)
	case facts.Standby:
		return errors.New("prove the database: it is a standby, which can't be written to; use the primary's address")
	case facts.Version < minServerVersion:
		return fmt.Errorf("prove the database: it is version %d; Holdfast needs PostgreSQL 14 or later", facts.Version/10_000)
	}
	a, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("prove the locks: connect: %w", err)
	}
	defer func() { _ = a.Close(context.WithoutCancel(ctx)) }()
	b, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("prove the locks: connect again: %w", err)
	}
	defer func() { _ = b.Close(context.WithoutCancel(ctx)) }()
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	key := int64(binary.BigEndian.Uint64(random[:]))
	if err := proveTransactionLock(ctx, a, b, key); err != nil {
		return fmt.Errorf("prove the transaction locks: %w", err)
	}
	if err := proveSessionLock(ctx, a, b, key); err != nil {
		return fmt.Errorf("prove the session locks: %w", err)
	}
	return nil
}

func proveTransactionLock(ctx context.Context, a, b *pgx.Conn, key int64) error {
	first, err := a.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return err
	}
	defer func() { _ = first.Rollback(context.WithoutCancel(ctx)) }()
	second, err := b.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return err
	}
	defer func() { _ = second.Rollback(context.WithoutCancel(ctx)) }()
	q1, q2 := dbsqlc.New(first), dbsqlc.New(second)
	if err := q1.ProofLock(ctx, key); err != nil {
		return err
	}
	locked := make(chan error, 1)
	go func() { locked <- q2.ProofLock(ctx, key) }()
	select {
	case err := <-locked:
		return errors.Join(errors.New("a second connection got a lock that another one holds; this server's advisory locks don't exclude"), err)
	case <-time.After(proofPause):
	}
	// The row is an idempotency key of nobody, which no request can have.
	name := "proof " + uuid.NewString()
	if err := q1.SessionTenant(ctx, uuid.Nil.String()); err != nil {
		return err
	}
	now := time.Now()
	if err := q1.IdempotencyInsert(ctx, dbsqlc.IdempotencyInsertParams{
		TenantID: uuid.Nil, Key: name, Fingerprint: make([]byte, 32), Body: []byte{}, CreatedAt: now, ExpiresAt: now,
	}); err != nil {
		return err
	}
	if err := first.Commit(ctx); err != nil {
		return err
	}
	if err := <-locked; err != nil {
		return err
	}
	if err := q2.SessionTenant(ctx, uuid.Nil.String()); err != nil {
		return err
	}
	if _, err := q2.IdempotencyGet(ctx, uuid.Nil, name); err != nil {
		return fmt.Errorf("what was committed under a lock isn't seen by the next holder; the connections reach different servers or snapshots: %w", err)
	}
	if err := q2.IdempotencyDeleteExpired(ctx, dbsqlc.IdempotencyDeleteExpiredParams{TenantID: uuid.Nil, Key: name, Now: now}); err != nil {
		return err
	}
	return second.Commit(ctx)
}

func proveSessionLock(ctx context.Context, a, b *pgx.Conn, key int64) error {
	q1, q2 := dbsqlc.New(a), dbsqlc.New(b)
	mine, err := q1.ProofSessionTry(ctx, key)
	if err != nil {
		return err
	}
	theirs, err := q2.ProofSessionTry(ctx, key)
	if err != nil {
		return err
	}
	unlocked, err := q1.ProofSessionUnlock(ctx, key)
	if err != nil {
		return err
	}
	if !mine || theirs || !unlocked {
		return errors.New("a session lock doesn't stay with its connection; is there a transaction pooler in between?")
	}
	return nil
}

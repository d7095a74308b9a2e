package preflight

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// Results of a check.
const (
	OK      = "ok"
	Failed  = "failed"
	Skipped = "skipped" // because one before it failed
	Advice  = "advice"  // Holdfast works, but not as well as it could
)

// Result is the result of one preflight check.
type Result struct {
	Check  string `json:"check"`
	Result string `json:"result"` // OK, Failed, Skipped or Advice
	// Meaning says what was found. Advice says what to do, if there is something.
	Meaning string `json:"meaning"`
	Advice  string `json:"advice,omitempty"`
}

// check is one thing that a database must do before Holdfast serves on it.
type check struct {
	name string
	// run returns what it found, or an error, preferably a failedCheck.
	run func(ctx context.Context) (string, error)
	// vital says that the checks after it can't be made if it fails.
	vital bool
	// early says that a database must pass before it is migrated: the check needs no tables, and what it finds would
	// spoil the migrations.
	early bool
	// advises says that a server serves all the same if it fails.
	advises bool
}

// probe makes the checks on one database.
type probe struct {
	url, direct *pgx.ConnConfig // direct is url if there is no other way
	standby     *pgx.ConnConfig // nil without one
	migrating   bool            // a schema that Citus hasn't distributed yet is good enough
	conns       int32           // of the pool
	newer       bool            // a newer version migrated it
	// facts are what connection and directConnection were told.
	facts, directFacts dbsqlc.PreflightFactsRow
}

// find runs the check.
func (c check) find(ctx context.Context) (string, error) {
	found, err := c.run(ctx)
	return found, explainDenied(err)
}

// explainDenied adds to an error of a login that lacks a right how it gets all of them.
func explainDenied(err error) error {
	var failed *failedCheck
	if core.StateOf(err) != core.InsufficientPrivilege || errors.As(err, &failed) {
		return err
	}
	return &failedCheck{
		meaning: "the login lacks a right",
		advice: "let it own its database and the tables, with CREATEROLE or the membership of Holdfast's roles: docs/operations.md, " +
			"PostgreSQL of your own",
		cause: err,
	}
}

// result runs the check.
func (c check) result(ctx context.Context) Result {
	found, err := c.find(ctx)
	if err == nil {
		return Result{Check: c.name, Result: OK, Meaning: found}
	}
	var failed *failedCheck
	result := Failed
	switch {
	case !errors.As(err, &failed):
		failed = &failedCheck{meaning: err.Error()}
	case c.advises:
		result = Advice
	}
	return Result{Check: c.name, Result: result, Meaning: failed.problem(), Advice: failed.advice}
}

// sameDatabase compares the moments at which the servers started: two servers can have the same system identifier, if
// one was copied from the other, and to read that may need a privilege.
func sameDatabase(a, b dbsqlc.PreflightFactsRow) bool {
	return a.ServerStarted.Equal(b.ServerStarted) && a.Database == b.Database && a.Schema == b.Schema
}

func differentServers(a, b dbsqlc.PreflightFactsRow) error {
	if b.ServerStarted.Before(a.ServerStarted) {
		a, b = b, a // the message doesn't depend on which server answered first
	}
	return &failedCheck{
		meaning: fmt.Sprintf("one address leads to different servers: %s and %s", describe(a), describe(b)),
		advice:  "use the address of one server: a lock on one means nothing on another",
	}
}

func describe(facts dbsqlc.PreflightFactsRow) string {
	return fmt.Sprintf("%s of the server that started at %s", databaseName(facts), started(facts))
}

// databaseName names the database, and the schema if it isn't the usual one.
func databaseName(facts dbsqlc.PreflightFactsRow) string {
	if facts.Schema == "public" {
		return "database " + facts.Database
	}
	return fmt.Sprintf("schema %s of database %s", facts.Schema, facts.Database)
}

func started(facts dbsqlc.PreflightFactsRow) string {
	return facts.ServerStarted.UTC().Format(time.RFC3339Nano)
}

// failedCheck says what is wrong with a database and what to do about it.
type failedCheck struct {
	meaning, advice string
	cause           error // may be nil
}

func (u *failedCheck) Error() string {
	if u.advice == "" {
		return u.problem()
	}
	return u.problem() + "; " + u.advice
}

// problem is the error without the advice, on one line: causes may have several.
func (u *failedCheck) problem() string {
	text := u.meaning
	if u.cause != nil {
		text += ": " + u.cause.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}

func (u *failedCheck) Unwrap() error { return u.cause }

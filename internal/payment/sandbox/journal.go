package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// journal stores all of the provider's state. A write is one transaction and durable when it returns.
type journal struct{ db *bbolt.DB }

const (
	bucketCharges      = "charges"
	bucketRefunds      = "refunds"
	bucketKeys         = "keys"
	bucketTransactions = "movements" // by time
	bucketPending      = "pending"   // webhooks, by due time
	bucketByCharge     = "charges_by_reference"
	bucketByRefund     = "refunds_by_reference"
	bucketAccounts     = "accounts"
	bucketLinks        = "onboarding_links"
)

// batchDelay is how long a write waits for further writes to share its transaction.
const batchDelay = time.Millisecond

// fileWait is how long to wait for another sandbox to close the file.
const fileWait = 2 * time.Second

// ErrInUse means that another sandbox has the journal open.
var ErrInUse = errors.New("another sandbox uses it")

var errNotFound = &apiError{errorDetail{codeNotFound, "There is no such thing."}, http.StatusNotFound}

func openJournal(path string) (*journal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o711); err != nil {
		return nil, fmt.Errorf("make the directory of the sandbox's journal: %w", err)
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: fileWait, FreelistType: bbolt.FreelistMapType})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		err = ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("open the sandbox's journal %s: %w", path, err)
	}
	db.MaxBatchDelay = batchDelay
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range []string{
			bucketCharges, bucketRefunds, bucketKeys, bucketTransactions, bucketPending, bucketByCharge, bucketByRefund,
			bucketAccounts, bucketLinks,
		} {
			if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the sandbox's journal: %w", err), db.Close())
	}
	return &journal{db: db}, nil
}

func (j *journal) close() error { return j.db.Close() }

// write runs fn in a transaction and returns when it is durable. fn may run twice, so it must have no other effects.
// Writes run one after the other.
func (j *journal) write(fn func(entries) error) error {
	return j.db.Batch(func(tx *bbolt.Tx) error { return fn(entries{tx}) })
}

// read runs fn on the last committed state.
func read[T any](j *journal, fn func(entries) (T, error)) (v T, err error) {
	err = j.db.View(func(tx *bbolt.Tx) (err error) {
		v, err = fn(entries{tx})
		return err
	})
	return v, err
}

func (j *journal) charge(id string) (charge, error) {
	return read(j, func(e entries) (charge, error) { return e.charge(id) })
}

// entries is the journal in a transaction.
type entries struct{ tx *bbolt.Tx }

func (e entries) write(bucket string, key []byte, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return e.tx.Bucket([]byte(bucket)).Put(key, raw)
}

// get returns errNotFound if the key doesn't exist.
func get[T any](e entries, bucket, key string) (v T, err error) {
	raw := e.tx.Bucket([]byte(bucket)).Get([]byte(key))
	if raw == nil {
		return v, errNotFound
	}
	err = json.Unmarshal(raw, &v)
	return v, err
}

func (e entries) charge(id string) (charge, error) { return get[charge](e, bucketCharges, id) }

func (e entries) putCharge(c charge) error {
	return e.putIndexed(bucketByCharge, bucketCharges, c.Reference, c.ID, c)
}

// putIndexed stores a charge or a refund, so that get and byReference find it.
func (e entries) putIndexed(index, bucket string, ref reference, id string, v any) error {
	if err := e.tx.Bucket([]byte(index)).Put(append(ref.bytes(), id...), []byte(id)); err != nil {
		return err
	}
	return e.write(bucket, []byte(id), v)
}

func (r reference) bytes() []byte { return append(r.TenantID[:], r.ID[:]...) }

// byReference returns all charges or refunds of a reference. There can be several: an order sent after its key expired
// is carried out again.
func byReference[T any](e entries, index, bucket string, ref reference) (found []T, err error) {
	prefix := ref.bytes()
	c := e.tx.Bucket([]byte(index)).Cursor()
	for k, id := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, id = c.Next() {
		v, err := get[T](e, bucket, string(id))
		if err != nil {
			return nil, err
		}
		found = append(found, v)
	}
	return found, nil
}

// putByTime stores v under a new key, in a bucket that is ordered by time.
func (e entries) putByTime(bucket string, at time.Time, v any) error {
	n, err := e.tx.Bucket([]byte(bucket)).NextSequence()
	if err != nil {
		return err
	}
	return e.write(bucket, binary.BigEndian.AppendUint64(timePrefix(at), n), v)
}

// transactions returns up to limit transactions of an account in [start, end), and the next page's first key, which is
// nil after the last page.
func (e entries) transactions(account string, start, end []byte, limit int,
) (page []transaction, next []byte, err error) {
	c := e.tx.Bucket([]byte(bucketTransactions)).Cursor()
	for k, raw := c.Seek(start); k != nil && bytes.Compare(k, end) < 0; k, raw = c.Next() {
		if len(page) == limit {
			return page, bytes.Clone(k), nil
		}
		var m transaction
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, nil, err
		}
		if m.Account != account {
			continue
		}
		page = append(page, m)
	}
	return page, nil, nil
}

// timePrefix returns a prefix that is at most the keys of at and greater than all earlier keys.
func timePrefix(at time.Time) []byte {
	var nanos int64 // 0 before 1970
	switch {
	case at.After(maxTime):
		nanos = math.MaxInt64
	case at.Unix() > 0:
		nanos = at.UnixNano()
	}
	return binary.BigEndian.AppendUint64(nil, uint64(nanos))
}

// maxTime is the last time that fits in a key, in the year 2262.
var maxTime = time.Unix(0, math.MaxInt64)

// result is the stored response of an idempotency key.
type result struct {
	Fingerprint string         `json:"fingerprint"`
	Status      int            `json:"status"`
	Body        jsontext.Value `json:"body"`
	FirstUsedAt time.Time      `json:"first_used_at"`
}

// delivery is a webhook that its receiver has not acknowledged.
type delivery struct {
	EventID  string         `json:"event_id"`
	Body     jsontext.Value `json:"body"`
	Attempts int            `json:"attempts"`
	Since    time.Time      `json:"since"`

	key []byte
}

func (e entries) dropDelivery(d delivery) error {
	return e.tx.Bucket([]byte(bucketPending)).Delete(d.key)
}

// deliveries returns up to limit webhooks that are due at now. If none is due, it returns the next due time, or zero if
// there is none.
func (e entries) deliveries(now time.Time, limit int) (due []delivery, next time.Time, err error) {
	c := e.tx.Bucket([]byte(bucketPending)).Cursor()
	for k, raw := c.First(); k != nil && len(due) < limit; k, raw = c.Next() {
		if at := time.Unix(0, int64(binary.BigEndian.Uint64(k))); at.After(now) {
			return due, at, nil
		}
		d := delivery{key: bytes.Clone(k)}
		if err := json.Unmarshal(raw, &d); err != nil {
			return nil, time.Time{}, err
		}
		due = append(due, d)
	}
	return due, time.Time{}, nil
}

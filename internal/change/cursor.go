package change

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

const (
	cursorVersion = 1
	epochBytes    = 4
	cursorBytes   = 1 + epochBytes + 8 + 16
)

// cursor is a position in the feed, with the beginning of the epoch in which it is valid.
type cursor struct {
	epoch [epochBytes]byte
	at    Position
}

// check returns problem.CursorExpired unless a read of the feed after the cursor has all events after it.
func (c cursor) check(read FeedPage) error {
	if c.epoch != epochOf(read.Epoch) || c.at.Compare(read.Deleted) < 0 || c.at.Compare(read.End) > 0 {
		return problem.New(problem.CursorExpired, "The feed can't be continued from this cursor.")
	}
	return nil
}

func epochOf(id uuid.UUID) [epochBytes]byte { return [epochBytes]byte(id[:epochBytes]) }

// String returns the cursor as readers keep it.
func (c cursor) String() string {
	b := append(make([]byte, 0, cursorBytes), cursorVersion)
	b = append(b, c.epoch[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.at.TransactionID))
	b = append(b, c.at.ChangeID[:]...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// parseCursor reads what String returned. Errors: problem.ValidationFailed for anything else.
func parseCursor(text string) (c cursor, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != cursorBytes || b[0] != cursorVersion ||
		base64.RawURLEncoding.EncodedLen(cursorBytes) != len(text) {
		return c, problem.Invalid("after", "invalid_format",
			"Expected a cursor of the feed, such as the next_cursor of a page.")
	}
	c.epoch = [epochBytes]byte(b[1:])
	c.at.TransactionID = int64(binary.BigEndian.Uint64(b[1+epochBytes:]))
	copy(c.at.ChangeID[:], b[1+epochBytes+8:])
	return c, nil
}

package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Read returns the operations of a history in the order of their IDs, those without an answer as Unknown. A line that
// was torn at the end of the file counts as not written; one in the middle is an error.
func Read(path string) ([]Operation, error) {
	file, err := os.Open(path) //nolint:gosec // G304: the caller's file
	if err != nil {
		return nil, fmt.Errorf("open the history: %w", err)
	}
	defer func() { _ = file.Close() }()
	var ops []Operation
	lines := bufio.NewReader(file)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return closed(ops), nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the history: %w", err)
		}
		var op Operation
		if err := json.Unmarshal(bytes.TrimSpace(line), &op); err != nil {
			return nil, fmt.Errorf("read line %d of the history: %w", number, err)
		}
		switch invoked := int64(len(ops)); {
		case op.Returned == 0 && op.ID == invoked+1:
			ops = append(ops, op)
		case op.Returned != 0 && op.ID >= 1 && op.ID <= invoked && ops[op.ID-1].Returned == 0:
			op.Request = ops[op.ID-1].Request
			ops[op.ID-1] = op
		default:
			return nil, fmt.Errorf("line %d of the history is out of order: operation %d", number, op.ID)
		}
	}
}

// closed marks what has no end as unknown.
func closed(ops []Operation) []Operation {
	for i := range ops {
		if ops[i].Returned == 0 {
			ops[i].Outcome = Unknown
		}
	}
	return ops
}

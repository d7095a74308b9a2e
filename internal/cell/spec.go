package cell

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"holdfast/internal/db"
)

// maxCells is how many cells one server works for.
const maxCells = 64

// Spec says where a cell is.
type Spec struct {
	// Name is lower-case letters, digits and hyphens, at most 32. It stands in the directory: a cell keeps its name.
	Name string `json:"name"`
	// DatabaseURL may name a schema with search_path=…; migrations make it.
	DatabaseURL string `json:"database_url"`
	// DirectDatabaseURL leads to the same database and schema without a transaction pooler. Default DatabaseURL.
	DirectDatabaseURL string `json:"direct_database_url,omitempty"`
	// StandbyURL leads to a standby of the same database and schema, which serves reads that may be stale. Empty for
	// none.
	StandbyURL string `json:"standby_url,omitempty"`
	// DatabaseConns bounds the server's connections to the cell, and those to its standby; 0 is the server's setting.
	DatabaseConns int `json:"database_conns,omitempty"`
}

var cellName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// ValidName reports whether a cell can have a name.
func ValidName(name string) bool { return cellName.MatchString(name) }

// ReadSpecs reads the file that lists the cells: {"cells": [{"name": …, "database_url": …}, …]}. The first one is the
// home cell. The error of a file that can't be used names the cell, and no URL.
func ReadSpecs(file string) ([]Spec, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the cells: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var list struct {
		Cells []Spec `json:"cells"`
	}
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf(`read the cells: %s: expected {"cells": [{"name": …, "database_url": …}, …]}: %w`, file,
			err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the cells: %s: there is something after the JSON object", file)
	}
	if len(list.Cells) == 0 || len(list.Cells) > maxCells {
		return nil, fmt.Errorf("read the cells: %s lists %d cells, expected 1 to %d", file, len(list.Cells), maxCells)
	}
	names := make(map[string]bool)
	for i := range list.Cells {
		s := &list.Cells[i]
		switch {
		case !cellName.MatchString(s.Name):
			return nil, fmt.Errorf("read the cells: %s: the name of cell %d: expected lower-case letters, digits and hyphens, at most 32",
				file, i+1)
		case names[s.Name]:
			return nil, fmt.Errorf("read the cells: %s lists the cell %s twice", file, s.Name)
		case s.DatabaseURL == "" || !db.CanReadURL(s.DatabaseURL),
			s.DirectDatabaseURL != "" && !db.CanReadURL(s.DirectDatabaseURL),
			s.StandbyURL != "" && !db.CanReadURL(s.StandbyURL):
			return nil, fmt.Errorf("read the cells: %s: cell %s: expected a PostgreSQL URL", file, s.Name)
		case s.DatabaseConns < 0 || s.DatabaseConns > 10_000:
			return nil, fmt.Errorf("read the cells: %s: cell %s: expected database_conns from 1 to 10000", file, s.Name)
		}
		names[s.Name] = true
		if s.DirectDatabaseURL == "" {
			s.DirectDatabaseURL = s.DatabaseURL
		}
	}
	return list.Cells, nil
}

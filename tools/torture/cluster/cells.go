package cluster

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// cellsVariable names the file that lists the cells.
const cellsVariable = "HOLDFAST_CELLS="

// writeCells writes the file that lists the cells as a process reaches them at urls, and returns the variable that
// names it.
func writeCells(dir, process string, databases []*Database, urls []string) (variable string, err error) {
	type cell struct {
		Name        string `json:"name"`
		DatabaseURL string `json:"database_url"`
	}
	cells := make([]cell, len(databases))
	for i, d := range databases {
		cells[i] = cell{Name: d.Name, DatabaseURL: urls[i]}
	}
	text, err := json.Marshal(map[string]any{"cells": cells})
	if err != nil {
		return "", fmt.Errorf("encode the cells: %w", err)
	}
	file := filepath.Join(dir, "cells-"+process+".json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", fmt.Errorf("write the cells: %w", err)
	}
	return cellsVariable + file, nil
}

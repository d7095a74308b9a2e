package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const adminKeyFile = "admin-key"

// adminKey returns the configured admin key, or the one kept in the data directory, which is made on first use. It
// returns an error for a kept key that somebody has replaced with a weak one.
func (c *Config) adminKey() (string, error) {
	key, err := c.loadOrCreateSecret(c.AdminKey, adminKeyFile, "hfa_")
	if err == nil && !strongKey(key) {
		return "", fmt.Errorf("the admin key in %s is too weak: %s", c.file(adminKeyFile), howToMakeAKey)
	}
	return key, err
}

// file returns the path of a file of the data directory.
func (c *Config) file(name string) string { return filepath.Join(c.DataDir, name) }

// loadOrCreateSecret returns a secret: the configured one, or else that of the data directory, which is made on first
// use.
func (c *Config) loadOrCreateSecret(configured, name, prefix string) (string, error) {
	if configured != "" {
		return configured, nil
	}
	secret, err := c.readSecret(name)
	if err != nil || secret != "" {
		return secret, err
	}
	secret = prefix + rand.Text() + rand.Text()
	return secret, c.writeSecret(name, secret)
}

// readSecret returns a file of the data directory, "" if there is none.
func (c *Config) readSecret(name string) (string, error) {
	raw, err := os.ReadFile(c.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read a key: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// writeSecret writes a file of the data directory that only its owner can read.
func (c *Config) writeSecret(name, secret string) error {
	if err := os.MkdirAll(c.DataDir, 0o711); err != nil { // the embedded database's user has to pass through
		return fmt.Errorf("keep a key: %w", err)
	}
	if err := os.WriteFile(c.file(name), []byte(secret+"\n"), 0o600); err != nil {
		return fmt.Errorf("keep a key: %w", err)
	}
	return nil
}

package postgres

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	logName    = "postgresql.log"
	maxLogSize = 16 << 20
	maxTail    = 4 << 10
)

// logFile is PostgreSQL's log and where this start's part of it begins.
type logFile struct {
	file  *os.File
	begin int64
}

// openLog opens the log to be handed to a postmaster, which appends to it.
func openLog(dir string) (*logFile, error) {
	if err := boundLog(dir); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, logName), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o640)
	if err != nil {
		return nil, fmt.Errorf("open the database's log: %w", err)
	}
	begin, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("open the database's log: %w", err)
	}
	return &logFile{file: file, begin: begin}, nil
}

// tail returns the end of what was logged since openLog.
func (l *logFile) tail() string {
	info, err := l.file.Stat()
	if err != nil {
		return err.Error()
	}
	begin := max(l.begin, info.Size()-maxTail)
	content, err := io.ReadAll(io.NewSectionReader(l.file, begin, maxTail))
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(content))
}

// boundLog moves the log's content to postgresql.log.1 once it has grown too long. It copies and
// truncates, because the running database keeps the file open.
func boundLog(dir string) error {
	path := filepath.Join(dir, logName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() <= maxLogSize {
		return nil
	}
	if err == nil {
		err = copyFile(path, path+".1")
	}
	if err == nil {
		err = os.Truncate(path, 0)
	}
	if err != nil {
		return fmt.Errorf("rotate the database's log: %w", err)
	}
	return nil
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o640)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

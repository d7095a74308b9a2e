// Package asset serves the files that pages load: style sheets and scripts. They are part of the program.
package asset

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"holdfast/internal/httpapi/edge"
)

// Set are the files of a directory.
type Set struct {
	path  string
	files func() map[string]file
}

// file has a hash of its content in its URL, so browsers may keep it for good.
type file struct {
	media string
	text  []byte
	url   string
}

// New returns the files of a directory that are served below a path, such as /pages/. They are read when the first
// one is asked for: a server that shows no page needs no memory for them.
func New(files fs.ReadFileFS, directory, below string, names ...string) *Set {
	return &Set{path: below, files: sync.OnceValue(func() map[string]file {
		media := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
		found := make(map[string]file, len(names))
		for _, name := range names {
			text, err := files.ReadFile(directory + "/" + name)
			if err != nil {
				panic(err) // it is part of the program
			}
			sum := sha256.Sum256(text)
			found[name] = file{media: media[path.Ext(name)], text: text,
				url: below + name + "?v=" + hex.EncodeToString(sum[:6])}
		}
		return found
	})}
}

// With returns a set that has the files of another one as well, which are below the same path.
func (s *Set) With(more *Set) *Set {
	return &Set{path: s.path, files: sync.OnceValue(func() map[string]file {
		found := maps.Clone(s.files())
		maps.Copy(found, more.files())
		return found
	})}
}

// URL returns the path of a file, with its hash.
func (s *Set) URL(name string) string { return s.files()[name].url }

// Serve adds the files to e.
func (s *Set) Serve(e *edge.Edge) {
	e.Routes(strings.TrimSuffix(s.path, "/"), edge.NoTenant).GET("/:name", func(c *gin.Context) {
		found, ok := s.files()[c.Param("name")]
		if !ok {
			edge.NotFound(c)
			return
		}
		c.Header("Cache-Control", "public, max-age=31536000, immutable")
		c.Data(http.StatusOK, found.media, found.text)
	})
}

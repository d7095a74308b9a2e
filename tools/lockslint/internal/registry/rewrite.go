package registry

import (
	"bytes"
	"os"
)

// Rewrite replaces references in the page and writes it. Each old reference is replaced in its own line only.
func (r *Registry) Rewrite(fixes map[Ref]Ref) error {
	lines := r.Lines()
	for from, to := range fixes {
		line := &lines[from.Line-1]
		*line = bytes.ReplaceAll(*line, []byte("`"+from.String()+"`"), []byte("`"+to.String()+"`"))
	}
	r.Text = bytes.Join(lines, []byte("\n"))
	info, err := os.Stat(r.File)
	if err != nil {
		return err
	}
	return os.WriteFile(r.File, r.Text, info.Mode().Perm())
}

package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	repository = "holdfast" // of the image, without a registry
	program    = "/holdfast"
	dataDir    = "/var/lib/holdfast"
	// account is the user and the group of the server. It has a number and no name: the image has no /etc/passwd, and
	// Kubernetes can check only a number.
	account = 65532
)

// release is what images are built from.
type release struct {
	version   string
	committed time.Time
	license   []byte
}

// platformImage is the image for one platform.
type platformImage struct {
	v1.Image

	platform v1.Platform
}

// image returns the image for one platform. The same release and program give the same bytes.
func (r release) image(platform v1.Platform, binary []byte) (platformImage, error) {
	files, err := r.layer(binary)
	if err != nil {
		return platformImage{}, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files)),
			nil
	},
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
	if err != nil {
		return platformImage{}, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	built, err := mutate.ConfigFile(base, &v1.ConfigFile{
		Architecture: platform.Architecture, OS: platform.OS, Variant: platform.Variant,
		Created: v1.Time{Time: r.committed},
		RootFS:  v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{}},
		Config: v1.Config{
			Entrypoint:   []string{program},
			Cmd:          []string{"serve"},
			User:         strconv.Itoa(account) + ":" + strconv.Itoa(account),
			WorkingDir:   "/",
			Env:          []string{"HOLDFAST_ADDR=:8080", "HOLDFAST_DATA_DIR=" + dataDir},
			ExposedPorts: map[string]struct{}{"8080/tcp": {}},
			Labels:       r.labels(),
			Healthcheck: &v1.HealthConfig{
				Test: []string{"CMD", program, "healthcheck"}, Interval: 10 * time.Second, Timeout: 5 * time.Second,
				Retries:     3,
				StartPeriod: 5 * time.Minute, // migrations wait for other transactions for so long
			},
		},
	})
	if err != nil {
		return platformImage{}, err
	}
	built, err = mutate.Append(built, mutate.Addendum{
		Layer: layer, History: v1.History{Created: v1.Time{Time: r.committed}, CreatedBy: "holdfast " + r.version},
	})
	return platformImage{Image: built, platform: platform}, err
}

// labels are annotations of the OCI image specification.
func (r release) labels() map[string]string {
	return map[string]string{
		"org.opencontainers.image.created":     r.committed.Format(time.RFC3339),
		"org.opencontainers.image.description": "A booking backend that never sells a date twice",
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.title":       "Holdfast",
		"org.opencontainers.image.version":     r.version,
	}
}

// layer returns the image's files as an archive. The data directory is there so that a new volume belongs to the
// server.
func (r release) layer(binary []byte) ([]byte, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, entry := range []struct {
		tar.Header

		content []byte
	}{
		{tar.Header{Name: "LICENSE", Mode: 0o644}, r.license},
		{tar.Header{Name: "holdfast", Mode: 0o755}, binary},
		{tar.Header{Name: "var/", Mode: 0o755}, nil},
		{tar.Header{Name: "var/lib/", Mode: 0o755}, nil},
		{tar.Header{Name: dataDir[1:] + "/", Mode: 0o700, Uid: account, Gid: account}, nil},
	} {
		header := entry.Header
		header.Typeflag, header.ModTime, header.Size = tar.TypeDir, r.committed, int64(len(entry.content))
		if entry.content != nil {
			header.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := w.Write(entry.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return archive.Bytes(), err
}

// write writes the OCI layout of an image for all platforms to out/image, and for each platform an archive that docker
// load reads.
func (r release) write(out string, images []platformImage) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, i := range images {
		index = mutate.AppendManifests(index,
			mutate.IndexAddendum{Add: i.Image, Descriptor: v1.Descriptor{Platform: &i.platform}})
		tag, err := name.NewTag(repository + ":" + r.version)
		if err != nil {
			return fmt.Errorf("name the image: %w", err)
		}
		file := fmt.Sprintf("holdfast_%s_%s_%s.docker.tar", r.version, i.platform.OS, i.platform.Architecture)
		if err := tarball.WriteToFile(filepath.Join(out, file), tag, i.Image); err != nil {
			return fmt.Errorf("write %s: %w", file, err)
		}
	}
	index, _ = mutate.Annotations(index, r.labels()).(v1.ImageIndex) // what is an index stays one
	path, err := layout.Write(filepath.Join(out, "image"), empty.Index)
	if err != nil {
		return fmt.Errorf("write the layout: %w", err)
	}
	tag := map[string]string{"org.opencontainers.image.ref.name": r.version}
	if err := path.AppendIndex(index, layout.WithAnnotations(tag)); err != nil {
		return fmt.Errorf("write the layout: %w", err)
	}
	return nil
}

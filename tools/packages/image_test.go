package main

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/require"
)

// buildImage builds the image of two small programs and returns the directory with it.
func buildImage(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, architecture := range []string{"amd64", "arm64"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, architecture), []byte("the program for "+architecture),
			0o600))
	}
	require.NoError(t, run([]string{
		"-version", "0.9.0", "-committed", "1700000000", "-license", filepath.Join(root, "LICENSE"), "-out", dir,
		"linux/amd64=" + filepath.Join(dir, "amd64"), "linux/arm64=" + filepath.Join(dir, "arm64"),
	}))
	return dir
}

func TestRun_TwoPlatforms_WritesOneValidImageForBoth(t *testing.T) {
	t.Parallel()
	dir := buildImage(t)
	outer, err := layout.ImageIndexFromPath(filepath.Join(dir, "image"))
	require.NoError(t, err)
	require.NoError(t, validate.Index(outer))
	manifest, err := outer.IndexManifest()
	require.NoError(t, err)
	require.Len(t, manifest.Manifests, 1, "one image, for all platforms")
	require.Equal(t, "0.9.0", manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"])
	index, err := outer.ImageIndex(manifest.Manifests[0].Digest)
	require.NoError(t, err)
	manifest, err = index.IndexManifest()
	require.NoError(t, err)
	require.Equal(t, "0.9.0", manifest.Annotations["org.opencontainers.image.version"])
	var platforms []string
	for _, m := range manifest.Manifests {
		platforms = append(platforms, m.Platform.String())
		image, err := index.Image(m.Digest)
		require.NoError(t, err)
		config, err := image.ConfigFile()
		require.NoError(t, err)
		require.Equal(t, m.Platform.Architecture, config.Architecture)
		require.Equal(t, "65532:65532", config.Config.User, "Kubernetes can tell only of a number that it isn't root's")
		require.Equal(t, "2023-11-14T22:13:20Z", config.Config.Labels["org.opencontainers.image.created"])
	}
	require.Equal(t, []string{"linux/amd64", "linux/arm64"}, platforms)
}

func TestRun_FileForDocker_HoldsTheProgramAndNoShell(t *testing.T) {
	t.Parallel()
	image, err := tarball.ImageFromPath(filepath.Join(buildImage(t), "holdfast_0.9.0_linux_arm64.docker.tar"), nil)
	require.NoError(t, err)
	require.NoError(t, validate.Image(image))
	layers, err := image.Layers()
	require.NoError(t, err)
	require.Len(t, layers, 1)
	files, err := layers[0].Uncompressed()
	require.NoError(t, err)
	found := map[string]tar.Header{}
	for r := tar.NewReader(files); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		found[header.Name] = *header
		if header.Name == "holdfast" {
			content, err := io.ReadAll(r)
			require.NoError(t, err)
			require.Equal(t, "the program for arm64", string(content))
			require.EqualValues(t, 0o755, header.Mode)
			require.Zero(t, header.Uid, "the server can't change its program")
		}
	}
	require.Len(t, found, 5)
	require.Contains(t, found, "LICENSE")
	data := found["var/lib/holdfast/"]
	require.Equal(t, []int{account, account, 0o700}, []int{data.Uid, data.Gid, int(data.Mode)},
		"a new volume belongs to the server")
}

func TestRun_SameRelease_WritesTheSameBytes(t *testing.T) {
	t.Parallel()
	first, second := buildImage(t), buildImage(t)
	output(t, "diff", "--recursive", first, second)
}

func TestRun_UnusableArguments_Fails(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{},
		{"-version", "0.9.0"},
		{"-version", "0.9.0", "-license", os.DevNull, "linux/amd64=/nowhere"},
		{"-version", "0.9.0", "-license", os.DevNull, "linux/a/b/c=" + os.DevNull},
		{"-version", "not a tag", "-license", os.DevNull, "-out", t.TempDir(), "linux/amd64=" + os.DevNull},
	} {
		require.Error(t, run(args), "%q", args)
	}
}

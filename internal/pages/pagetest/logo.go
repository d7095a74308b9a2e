package pagetest

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// LargestLogo returns a PNG of as many bytes as a logo may have, which can't be compressed. Another seed gives another
// image.
func LargestLogo(t testing.TB, seed uint64) []byte {
	t.Helper()
	const size = 32 << 10
	noise := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // no secret
	m := image.NewGray(image.Rect(0, 0, 180, 180))
	for i := range m.Pix {
		m.Pix[i] = byte(noise.Uint32())
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	require.LessOrEqual(t, b.Len(), size)
	for b.Len() < size { // decoders stop at the end of the image
		require.NoError(t, b.WriteByte(byte(noise.Uint32())))
	}
	return b.Bytes()
}

package store_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBookTx_WithoutTheLock_DoesNotCompile(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "build", "-o", t.TempDir(), "./testdata/nolock").CombinedOutput()
	require.Error(t, err, "a program that writes a booking without its lock compiled")
	for _, refusal := range []string{
		"s.InsertBooking undefined",
		"tx.InsertBooking undefined",
		"cannot refer to unexported field keys in struct literal",
		"new(store.BookTx).Exec undefined",
	} {
		require.Contains(t, string(out), refusal)
	}
}

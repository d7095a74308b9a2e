package wallet

import (
	"testing"

	"holdfast/internal/testtime"
)

func TestMain(m *testing.M) {
	testtime.FixDraws(60)
	m.Run()
}

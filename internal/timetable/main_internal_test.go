package timetable

import (
	"testing"

	"holdfast/internal/testtime"
)

func TestMain(m *testing.M) {
	testtime.FixDraws(100)
	m.Run()
}

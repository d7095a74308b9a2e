package timetable

import (
	"fmt"
	"strconv"
	"strings"
)

// MinuteOf reads HH:MM; the schema has checked its form.
func MinuteOf(text string) int {
	hours, minutes, _ := strings.Cut(text, ":")
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi(minutes)
	return h*60 + m
}

// ClockOf writes a minute after midnight as HH:MM.
func ClockOf(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

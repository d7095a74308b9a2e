package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"holdfast/internal/cell"
	"holdfast/internal/db"
	"holdfast/internal/tracing/otlp"
	"holdfast/internal/webhook"
)

const howToMakeAKey = "expected 128 bits, such as 32 hexadecimal digits or 22 letters of both cases and digits: openssl rand -hex 32 " +
	"makes one"

// textRanges are the ranges of settings that are text. The range tag of a setting names one.
var textRanges = map[string]struct {
	allows   func(string) bool
	expected string
}{
	"a key of 128 bits": {strongKey, howToMakeAKey},
	"a cell's name": {cell.ValidName,
		"expected the name of a cell: lower-case letters, digits and hyphens, at most 32"},
	"a path": {func(s string) bool { return len(s) <= 4096 && !strings.ContainsRune(s, 0) },
		"expected a path"},
	"a PostgreSQL URL or key=value string": {
		db.CanReadURL,
		"expected a PostgreSQL URL or key=value string, such as postgres://user@host:5432/database or host=/run/postgresql " +
			"dbname=database; " +
			"files that it names must be readable",
	},
	"an email address": {isEmail, "expected an address such as console@example.com"},
	"an SMTP URL": {canOpenSMTP,
		"expected a URL such as smtp://user:password@host:587 or smtps://user:password@host"},
	"domains": {
		areSenderDomains,
		"expected domains with commas in between, each for one tenant as in harbour=harbour.example, or for all",
	},
	"an http or https URL": {isWebURL, "expected a URL such as https://host/path"},
	"host:port":            {isAddress, "expected host:port, such as 127.0.0.1:8080; the port is from 0 to 65535"},
	"name=value pairs":     {arePairs, expectedPairs},
	"networks":             {isNetworks, "expected networks, such as 127.0.0.0/8, fd00::/8"},
	"a sampler": {
		otlp.IsSampler, "expected always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off or " +
			"parentbased_traceidratio",
	},
	"visible ASCII": {isVisible, "expected at most 1000 visible ASCII characters, without spaces"},
}

const logLevels = "debug, info, warn, error"

// checkSettings returns an error that names the first setting that is out of its range. The message never holds the
// value, which may be a secret.
func checkSettings(flags []*kong.Flag) error {
	for _, f := range flags {
		if err := checkSetting(f); err != nil {
			return fmt.Errorf("%s: %w", settingName(f), err)
		}
	}
	return nil
}

// settingName returns the variable of a setting, if it has one, and its flag.
func settingName(f *kong.Flag) string {
	if len(f.Envs) == 0 {
		return "--" + f.Name
	}
	return fmt.Sprintf("%s (--%s)", f.Envs[0], f.Name)
}

// rangeOf returns the range of a setting as people read it.
func rangeOf(f *kong.Flag) string {
	switch {
	case f.IsBool():
		return "true, false"
	case f.Enum != "":
		// a leading comma permits leaving it unset
		return strings.ReplaceAll(strings.TrimPrefix(f.Enum, ","), ",", ", ")
	case f.Target.Type() == reflect.TypeFor[slog.Level]():
		return logLevels
	}
	return f.Tag.Get("range")
}

func checkSetting(f *kong.Flag) error {
	if level, ok := f.Target.Interface().(slog.Level); ok { // slog also reads levels in between, such as info+2
		if !slices.Contains(strings.Split(logLevels, ", "), strings.ToLower(level.String())) {
			return fmt.Errorf("expected one of %s", logLevels)
		}
		return nil
	}
	tag := f.Tag.Get("range")
	if tag == "" {
		return nil // the type or the enum bounds it
	}
	value := f.Target
	if value.Kind() == reflect.String {
		text := value.String()
		if text == "" && f.Default == "" {
			return nil // unset
		}
		known, ok := textRanges[tag]
		switch {
		case !ok:
			return fmt.Errorf("the range %q is unknown", tag)
		case text == "" || !known.allows(text):
			return errors.New(known.expected)
		}
		return nil
	}
	ok, err := inRange(value, tag)
	if err == nil && !ok {
		err = fmt.Errorf("expected %s", strings.ReplaceAll(tag, ", ", " or "))
	}
	return err
}

// inRange reports whether a number or a duration is one of the alternatives of a tag, such as "0, 10ms to 168h".
func inRange(value reflect.Value, tag string) (bool, error) {
	for alternative := range strings.SplitSeq(tag, ", ") {
		low, high, isRange := strings.Cut(alternative, " to ")
		if !isRange {
			high = low
		}
		least, err1 := numberOf(value.Type(), low)
		most, err2 := numberOf(value.Type(), high)
		if err := cmp.Or(err1, err2); err != nil {
			return false, fmt.Errorf("the range %q can't be read: %w", tag, err)
		}
		// false for NaN
		if given := value.Convert(reflect.TypeFor[float64]()).Float(); given >= least && given <= most {
			return true, nil
		}
	}
	return false, nil
}

// numberOf reads one end of a range for a setting of type t.
func numberOf(t reflect.Type, text string) (float64, error) {
	if t == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(text)
		return float64(d), err
	}
	return strconv.ParseFloat(text, 64)
}

// strongKey estimates the entropy of a key of visible ASCII: length × log2(size of the smallest known alphabet that
// contains all characters). It wants 128 bits and 8 different characters. The alphabets are digits, hexadecimal digits,
// digits with letters of one case, and 64 characters for every other key.
func strongKey(key string) bool {
	const letters, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	different := make(map[rune]bool)
	for _, r := range key {
		different[r] = true
	}
	alphabet := 64
	for _, known := range []string{digits, digits + "abcdef", digits + "ABCDEF", digits + letters,
		digits + strings.ToUpper(letters)} {
		if strings.Trim(key, known) == "" {
			alphabet = len(known)
			break
		}
	}
	return isVisible(key) && len(different) >= 8 && float64(len(key))*math.Log2(float64(alphabet)) >= 128
}

func isNetworks(text string) bool {
	_, err := webhook.ParseNetworks(text)
	return err == nil
}

func isVisible(text string) bool {
	return len(text) <= 1000 && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

func isWebURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

func isAddress(text string) bool {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

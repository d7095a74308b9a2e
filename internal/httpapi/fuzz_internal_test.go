package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

func FuzzCursor(f *testing.F) {
	id := "01890a5d-ac96-774b-bcce-b302099a8057"
	for _, text := range []string{"", id, "2027-07-01|" + id, "|", "||", "x|" + id, strings.ToUpper(id),
		"ff" + id[2:35] + "x", "{" + id +
			"}", "urn:uuid:" + id, "\xff"} {
		f.Add(text, base64.RawURLEncoding.EncodeToString([]byte(text)))
	}
	f.Fuzz(func(t *testing.T, position, cursor string) {
		rows := paging.Of([]string{position, position}, 1, func(s string) string { return s },
			func(s string) string { return s })
		require.Len(t, rows.Data, 1)
		if n := strings.Count(position, "|") + 1; position != "" {
			parts, err := paging.CursorInput{Cursor: *rows.NextCursor}.Parts(n)
			require.NoError(t, err)
			require.Equal(t, position, strings.Join(parts, "|"), "a cursor leads to where its page ended")
		}
		if after, err := (paging.CursorInput{Cursor: cursor}).AfterID(); err != nil {
			require.True(t, problem.Is(err, problem.ValidationFailed), err)
			require.Equal(t, uuid.Nil, after)
		}
		in := listBookingsInput{Input: paging.Input{Limit: 1, CursorInput: paging.CursorInput{Cursor: cursor}}}
		if filter, err := in.filter(); err == nil && cursor != "" {
			require.True(t, filter.AfterDate.IsValid(), filter.AfterDate)
		}
	})
}

func FuzzParseDate(f *testing.F) {
	for _, text := range []string{"", "2027-07-01", "2027-02-29", "0000-01-01", "9999-12-31", "+2027-07-01", "2027-7-1",
		"20270701",
		"2027-07-01T00:00:00Z"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := datetime.ParseDate("date", text)
		if err != nil {
			require.True(t, problem.Is(err, problem.ValidationFailed), err)
			return
		}
		require.True(t, d.IsValid())
		require.Equal(t, text, d.String(), "a date has one spelling")
		optional, err := datetime.ParseOptionalDate("date", text)
		require.NoError(t, err)
		require.Equal(t, d, *optional)
	})
}

func FuzzParseOptionalID(f *testing.F) {
	id := "01890a5d-ac96-774b-bcce-b302099a8057"
	for _, text := range []string{"", id, strings.ToUpper(id), "{" + id + "}", "urn:uuid:" + id,
		strings.ReplaceAll(id, "-", ""), "x" + id +
			"x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := schema.ParseOptionalID("id", text)
		if err != nil {
			require.True(t, problem.Is(err, problem.ValidationFailed), err)
			return
		}
		require.Equal(t, text == "", got == nil)
		if got != nil {
			again, err := schema.ParseOptionalID("id", got.String())
			require.NoError(t, err)
			require.Equal(t, got, again)
		}
	})
}

func FuzzMetadata_IsKeptAsItWasSent(f *testing.F) {
	for _, text := range []string{`{}`, `null`, ` {"a" : 1e2} `, `{"a":"\u2028"}`, `{"a":9007199254740993}`, `[]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var body struct {
			Metadata catalog.Metadata `json:"metadata"`
		}
		if !json.Valid(raw) || schema.Unmarshal([]byte(`{"metadata":`+string(raw)+`}`), &body) != nil {
			return
		}
		err := body.Metadata.Check()
		kept, _ := body.Metadata.MarshalJSON()
		if err != nil {
			require.Greater(t, len(raw), 16<<10)
			return
		}
		if text := strings.TrimSpace(string(raw)); text == "null" {
			require.Equal(t, "{}", string(kept))
		} else {
			require.Equal(t, strings.Trim(string(raw), " \t\r\n"), string(kept))
		}
	})
}

// FuzzHours reads hours as set-hours does: what the schema lets through is either refused or given back as it was.
func FuzzHours(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"inherited":true,"overrides":[{"date":"2027-12-24","closed":true}]}`, `{"inherited":true,"seasons":[]}`,
		`{"weekly":[]}`, `{"always_open":true}`, `{"weekly":[{"weekday":"monday","opens":"22:00","closes":"02:00"}]}`,
		`{"weekly":[{"weekday":"monday","opens":"09:00","closes":"24:00"}]}`,
		`{"overrides":[{"date":"2027-12-24","closed":true}]}`,
		`{"overrides":[{"date":"2027-12-24","opens":"10:00","closes":"14:00"},{"date":"2027-12-24","opens":"14:00","closes":"15:00"}]}`,
		`{"weekly":[{"weekday":"monday","opens":"09:00","closes":"10:00"},{"weekday":"monday","opens":"09:59","closes":"11:00"}]}`,
		`{"weekly":[{"weekday":"monday","opens":"10:00","closes":"09:00"}]}`,
		`{"overrides":[{"date":"0000-01-01","closed":false}]}`,
		`{"weekly":null,"overrides":[{"date":"9999-12-31","closed":true,"opens":null}]}`,
	} {
		f.Add([]byte(text))
	}
	registry := schema.NewRegistry()
	hours := registry.Schema(reflect.TypeFor[timetable.ResourceHoursBody](), true, "hours")
	f.Fuzz(func(t *testing.T, raw []byte) {
		var value any
		if edge.CheckJSON(raw) != nil || json.Unmarshal(raw, &value) != nil {
			return
		}
		var found huma.ValidateResult
		huma.Validate(registry, hours, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, value, &found)
		if len(found.Errors) > 0 {
			return
		}
		var body timetable.ResourceHoursBody
		require.NoError(t, schema.Unmarshal(raw, &body), "what the schema lets through can be decoded")
		h, err := body.Hours()
		if err == nil {
			err = h.Check()
		}
		if err != nil {
			require.True(t, problem.Is(err, problem.ValidationFailed), err)
			return
		}
		again, err := h.Body().Hours()
		require.NoError(t, err)
		require.Equal(t, h, again)
		for _, w := range h.Weekly {
			require.True(t, 0 <= w.Opens && w.Opens < 24*60 && w.Opens != w.Closes && 0 <= w.Closes &&
				w.Closes <= 24*60, w)
			require.True(t, 0 <= w.Weekday && w.Weekday <= 6, w)
		}
		require.Equal(t, body.Inherited, h.Inherited())
		require.False(t, h.Inherited() && h.Seasons != nil, h)
	})
}

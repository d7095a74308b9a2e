package pages_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/email"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

func texts(t *testing.T, tag email.Language) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("messages", string(tag)+".json"))
	require.NoError(t, err)
	var found map[string]any
	require.NoError(t, json.Unmarshal(raw, &found))
	return found
}

// TestTexts_AreThereInEachLanguage_WithTheSameValues compares the files of texts, and with what the pages ask for.
func TestTexts_AreThereInEachLanguage_WithTheSameValues(t *testing.T) {
	t.Parallel()
	values := regexp.MustCompile(`\{\{\.(\w+)\}\}`)
	of := func(text any) (found []string) {
		raw, err := json.Marshal(text)
		require.NoError(t, err)
		for _, m := range values.FindAllStringSubmatch(string(raw), -1) {
			found = append(found, m[1])
		}
		return found
	}
	english := texts(t, "en")
	for _, tag := range email.Languages {
		other := texts(t, tag)
		for name, text := range english {
			require.Contains(t, other, name, tag)
			require.ElementsMatch(t, of(text), of(other[name]), "%s in %s", name, tag)
		}
		require.Len(t, other, len(english), tag)
	}
	asked := regexp.MustCompile(`(?:\{\{|\()t "(\w+)"|\.text\("(\w+)"`)
	files, err := filepath.Glob("templates/*.html")
	require.NoError(t, err)
	sources, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range append(files, sources...) {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range asked.FindAllStringSubmatch(string(raw), -1) {
			key := m[1] + m[2]
			if key[len(key)-1] != '_' { // the rest is put behind it
				require.Contains(t, english, key, name)
			}
		}
	}
	for _, status := range []booking.Status{
		booking.Held, booking.Confirmed, booking.Completed, booking.Cancelled, booking.Expired, booking.NoShow,
		"lapsed",
	} {
		require.Contains(t, english, "booking_"+string(status))
	}
	for _, reason := range []timetable.Unavailable{
		timetable.TooSoon, timetable.TooLate, timetable.ClosedOn, timetable.NoHours, timetable.NoArrival,
		timetable.SoldOut, timetable.InTheWay,
	} {
		require.Contains(t, english, "day_"+string(reason))
	}
}

func TestLanguage_IsTheBrowsers_UnlessAnotherOneIsChosen(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 10, object{"deposit": 1050})
	v := s.visitor(t)
	for accepted, heading := range map[string]string{
		"de-AT,de;q=0.9,en;q=0.5": "Was möchten Sie buchen?", "es": "¿Qué quiere reservar?",
		"fr": "What would you like to book?",
		"":   "What would you like to book?", "*;q=broken": "What would you like to book?",
	} {
		v.Header = http.Header{"Accept-Language": {accepted}}
		require.Equal(t, heading, v.book(t, "").Heading(), accepted)
	}
	v.Header = http.Header{"Accept-Language": {"es"}}
	german := v.book(t, "").Follow(t, "Deutsch")
	require.Equal(t, "Was möchten Sie buchen?", german.Heading())
	month := german.Follow(t, "Harbour tour")
	require.Contains(t, month.Text(), "Wählen Sie ein Datum", "the choice stays")
	day := v.Open(t, month.Resolve(t, "/book/harbour/"+service+slotQuery(testtime.Date(0), 2)+"&lang=de"))
	hold := day.Press(t, "10:00")
	require.Equal(t, "Fast fertig", hold.Heading())
	require.Contains(t, hold.Text(), "10,50 €")
	require.Equal(t, "de", hold.Header.Get("Content-Language"))
}

func TestLanguage_ThatTheTenantDoesNotOffer_IsItsFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"languages": []string{"de"}})
	v := s.visitor(t)
	page := v.book(t, "?lang=es")
	require.Equal(t, "Was möchten Sie buchen?", page.Heading())
	require.NotContains(t, page.Text(), "Español")
}

func TestDetails_LanguageOfThePage_IsKeptWithTheBooking(t *testing.T) {
	t.Parallel()
	s := newSite(t, object{"address": "Pier 7\n20457 Hamburg", "contact": "+49 40 1234"})
	v := s.visitor(t)
	v.Header.Set("Accept-Language", "de")
	hold := v.book(t, "/"+s.tour(t, 10, nil)+slotQuery(testtime.Date(0), 1)).Press(t, "10:00")
	require.Contains(t, hold.Text(), "Pier 7 20457 Hamburg")
	booked := fill(t, hold, "Jetzt buchen").Submit(t)
	require.Equal(t, "de", s.booked(t)[0]["customer"].(object)["language"], booked.Text())
	entry := v.Open(t, ownPage(t, booked).URL.String()+"/booking.ics").Raw
	require.Contains(t, entry, "LOCATION:Pier 7\\, 20457 Hamburg")
	require.Contains(t, entry, "\nURL:"+s.url)
	require.Contains(t, entry, "ORGANIZER:mailto:booking@harbour.example")
}

package pages_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/testtime"
)

func TestHold_TakenMeanwhile_IsSaidKindlyAndTheNextFreeTimesAreOffered(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 2, nil)
	query := "/" + service + slotQuery(testtime.Date(0), 2)
	ada, ben := s.visitor(t).book(t, query), s.visitor(t).book(t, query)
	require.Equal(t, "Almost done", ada.Press(t, "10:00").Heading())

	taken := ben.Press(t, "10:00")
	require.Equal(t, http.StatusConflict, taken.Status)
	require.Equal(t, http.MethodGet, taken.Method, "the browser can come back to it")
	require.Contains(t, ben.By.Open(t, taken.URL.String()).Text(), "Sorry, this time was just taken.")
	require.Contains(t, taken.Text(), "Sorry, this time was just taken.")
	require.NotContains(t, taken.Text(), "10:00 to")
	next := taken.Follow(t, ", 11:00")
	require.Equal(t, "Almost done", next.Press(t, "11:00").Heading())
	require.Len(t, s.booked(t), 2)
}

func TestHold_TwoVisitorsForTheLastPlace_OneGetsIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	query := "/" + s.tour(t, 2, nil) + slotQuery(testtime.Date(0), 2)
	var forms [8]*pagetest.Form
	for i := range forms {
		forms[i] = s.visitor(t).book(t, query).Form(t, "10:00")
	}
	var answers [len(forms)]*pagetest.Page
	var all sync.WaitGroup
	for i, f := range forms {
		all.Go(func() { answers[i] = f.Submit(t) })
	}
	all.Wait()
	held := 0
	for _, a := range answers {
		if a.Status == http.StatusOK {
			held++
			require.Equal(t, "Almost done", a.Heading())
		} else {
			require.Equal(t, http.StatusConflict, a.Status, a.Text())
		}
	}
	require.Equal(t, 1, held)
	require.Len(t, s.booked(t), 1)
}

func TestHold_FormSentTwice_HoldsOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	f := s.visitor(t).book(t, "/"+s.tour(t, 10, nil)+slotQuery(testtime.Date(0), 2)).Form(t, "10:00")
	first, second := f.Submit(t), f.Submit(t)
	require.Equal(t, first.URL.Path, second.URL.Path)
	require.Len(t, s.booked(t), 1)
}

func TestDetails_FormSentTwice_ConfirmsOnceAndShowsTheBooking(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	f := fill(t, holdTour(t, s.visitor(t), s.tour(t, 10, nil)), "Book now")
	require.Equal(t, "You are booked", f.Submit(t).Heading())
	require.Equal(t, "You are booked", f.Submit(t).Heading())
	require.InDelta(t, 2, s.booked(t)[0]["version"], 0)
}

func TestHold_ApiKeysOfTheTenant_AreNotTouchedByFormKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 10, nil)
	f := s.visitor(t).book(t, "/"+service+slotQuery(testtime.Date(0), 2)).Form(t, "10:00")
	require.Equal(t, "Almost done", f.With("key", "order-4711").Submit(t).Heading())
	var keys []string
	rows, err := s.sql.Query(t.Context(), "SELECT key FROM idempotency_keys WHERE key LIKE '%4711%'")
	require.NoError(t, err)
	for rows.Next() {
		var key string
		require.NoError(t, rows.Scan(&key))
		keys = append(keys, key)
	}
	require.Empty(t, keys, "a visitor can't use up the keys of the tenant's own requests")
}

func TestHold_ThatCannotBe_IsRefusedAndHoldsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	service := s.tour(t, 10, nil)
	v := s.visitor(t)
	day := v.book(t, "/"+service+slotQuery(testtime.Date(0), 2))
	for name, c := range map[string]struct {
		field, value string
		status       int
	}{
		"party that is no number": {"party", "many", http.StatusBadRequest},
		"party that is too large": {"party", "999999", http.StatusBadRequest},
		"larger than the boat":    {"party", "11", http.StatusUnprocessableEntity},
		"no time":                 {"starts_at", "", http.StatusUnprocessableEntity},
		"time that is no time":    {"starts_at", "<script>", http.StatusUnprocessableEntity},
		"time between the slots": {"starts_at", testtime.Date(0).String() + "T10:17:00+02:00",
			http.StatusUnprocessableEntity},
		"date that is no date": {"date", "soon", http.StatusBadRequest},
		"no key":               {"key", "", http.StatusBadRequest},
	} {
		f := day.Form(t, "10:00")
		if f.Button.Has(c.field) {
			f.Button.Set(c.field, c.value)
		}
		answer := f.With(c.field, c.value).Submit(t)
		require.Equal(t, c.status, answer.Status, "%s: %s", name, answer.Text())
	}
	require.Empty(t, s.booked(t))
	require.Equal(t, http.StatusNotFound, v.book(t, "/"+testtime.Date(0).String()).Status)
	byHand := v.book(t, "/"+service+"?month=0000-99&party=-1&nights=x&date=tomorrow")
	require.Equal(t, http.StatusOK, byHand.Status, "a link that was changed by hand")
}

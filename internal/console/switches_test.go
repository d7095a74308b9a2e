package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"holdfast/internal/pages/pagetest"
	"holdfast/internal/user"
)

func TestHours_TypedForAWeek_WithoutChoosingTheWeek_AreRefusedAndStay(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	resource := s.call(t, http.MethodPost, "/v1/resources", s.key, object{"name": "Boat", "capacity": 1})["id"].(string)
	p := s.signedIn(t, "ada", user.RoleOwner)
	for path, choice := range map[string]string{"/hours": "always", "/resources/" + resource + "/hours": "inherited"} {
		form := s.at(t, p, path).Form(t, "Save").With("open", choice).With("week.monday", "09:00-17:00")
		refused := form.Submit(t)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status, path)
		require.Contains(t, refused.Text(), "Monday : It counts only with “Open: by the week below”.", path)
		again := refused.Form(t, "Save")
		require.Equal(t, "09:00-17:00", again.Values.Get("week.monday"), path)
		require.Equal(t, http.StatusOK, again.With("open", "weekly").Submit(t).Status, path)
		require.Equal(t, "09:00-17:00", s.at(t, p, path).Form(t, "Save").Values.Get("week.monday"), path)
	}
}

func TestHours_OfAWeek_GiveWayToAllTimes_UnlessTheyWereChangedToo(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	path := "/resources/" + s.resource(t, "Boat", 1) + "/hours"
	p := s.signedIn(t, "ada", user.RoleOwner)
	both := s.at(t, p, path).Form(t, "Save").With("open", "always").With("week.monday", "10:00-12:00").Submit(t)
	require.Equal(t, http.StatusUnprocessableEntity, both.Status, "the two contradict each other")
	require.Equal(t, http.StatusOK, s.at(t, p, path).Form(t, "Save").With("open", "always").Submit(t).Status)
	require.Equal(t, "always", s.at(t, p, path).Form(t, "Save").Values.Get("open"))
}

func TestService_CancellationStepsWithoutTheirTick_AreRefusedAndStay(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service := s.tour(t, nil)
	path := "/services/" + service + "/change"
	p := s.signedIn(t, "ada", user.RoleOwner)
	const step = "cancellation_policy.steps.0."
	for name, fields := range map[string]map[string]string{
		"What a cancellation costs : It counts only with “There is a policy” ticked.": {
			step + "from_minutes": "2", step + "from_minutes.unit": "days", step + "percent": "50"},
		"Reminders before a booking : It counts only with “This service has its own": {
			"reminders.0.days_before": "1", "reminders.0.at": "18:00"},
	} {
		form := s.at(t, p, path).Form(t, "Save")
		for field, value := range fields {
			form.With(field, value)
		}
		refused := form.Submit(t)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status, name)
		require.Contains(t, refused.Text(), name)
		again := refused.Form(t, "Save")
		for field, value := range fields {
			require.Equal(t, value, again.Values.Get(field), field)
		}
		toggle := strings.Split(name, " ")[0]
		own := map[string]string{"What": "cancellation_policy.steps.own", "Reminders": "reminders.own"}[toggle]
		require.Equal(t, http.StatusOK, again.With(own, "1").Submit(t).Status, name)
	}
	now := s.call(t, http.MethodGet, "/v1/services/"+service, s.key, nil)
	require.Len(t, now["cancellation_policy"].(object)["steps"], 1)
	require.Len(t, now["reminders"], 1)
	gone := s.at(t, p, path).Form(t, "Save").Without("cancellation_policy.steps.own").Submit(t)
	require.Equal(t, http.StatusOK, gone.Status, "a policy that isn't changed goes with its tick")
	require.NotContains(t, s.call(t, http.MethodGet, "/v1/services/"+service, s.key, nil)["cancellation_policy"],
		"steps")
}

func TestService_RowWithNothingButATick_IsRefused_AndOneThatWasEmptiedGoes(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service := s.tour(t, object{
		"price_per":  "booking",
		"unit_types": []object{{"key": "adult", "name": "Adult", "price": 2500, "counts": true}},
	})
	path := "/services/" + service + "/change"
	p := s.signedIn(t, "ada", user.RoleOwner)
	refused := s.at(t, p, path).Form(t, "Save").With("unit_types.1.counts", "1").Submit(t)
	require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
	require.Contains(t, refused.Text(), "Kinds of guests, row 2")
	form := s.at(t, p, path).Form(t, "Save")
	for _, field := range []string{"name", "key", "price"} {
		form.With("unit_types.0."+field, "")
	}
	require.Equal(t, http.StatusOK, form.Submit(t).Status, "its tick was there before")
	require.Empty(t, s.call(t, http.MethodGet, "/v1/services/"+service, s.key, nil)["unit_types"])
}

func TestSwitches_InABrowser_FollowWhatIsTyped_AndAnOldNoticeGoes(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	service := s.tour(t, nil)
	b := s.browser(t, pagetest.Desktop, user.RoleOwner)
	b.Open(t, s.url+"/console/harbour/hours")
	b.Fill(t, "week.monday", "09:00-17:00")
	b.Press(t, "Save")
	b.Run(t, chromedp.WaitVisible(chromedp.CSS(".notice.good")))
	require.NotContains(t, pagetest.Value(t, b, chromedp.Evaluate[string](`location.search`)), "done",
		"the page that is loaded again says nothing of it")
	require.Equal(t, "09:00-17:00",
		pagetest.Value(t, b, chromedp.Evaluate[string](`document.querySelector('[name="week.monday"]').value`)))
	b.Fill(t, "week.tuesday", "9 to 22")
	b.Run(t, chromedp.Click(chromedp.CSS("main .button.primary")), chromedp.WaitVisible(chromedp.CSS(".failure")))
	require.False(t, pagetest.Value(t, b, chromedp.Evaluate[bool](`Boolean(document.querySelector(".notice.good"))`)))
	b.Open(t, s.url+"/console/harbour/services/"+service+"/change")
	b.Fill(t, "cancellation_policy.steps.0.percent", "50")
	require.True(t, pagetest.Value(t, b, chromedp.Evaluate[bool](
		`document.querySelector('[name="cancellation_policy.steps.own"]').checked`)))
}
